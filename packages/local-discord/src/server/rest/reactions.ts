import type { APIUser } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { PERMISSION } from '../numbers.ts';
import { requirePermissions } from '../permissions.ts';
import { emojiFrom, permissionToReact, reactorsWith } from '../reactions.ts';
import { IDS } from '../seed.ts';
import { compareSnowflakes } from '../snowflake.ts';
import { Field } from '../validate/form.ts';
import { botChannel, type MessageParams, type RestContext } from './context.ts';
import { limited } from './limit.ts';

interface EmojiParams {
  Params: MessageParams['Params'] & { emoji: string };
}

interface ReactorParams {
  Params: EmojiParams['Params'] & { userId: string };
}

export interface PageOfUsers {
  Querystring: { limit?: string; after?: string };
}

/** A page of those who reacted, or voted: https://discord.com/developers/docs/resources/message#get-reactions */
export function usersOf({ world }: RestContext, ids: readonly string[], query: PageOfUsers['Querystring']): APIUser[] {
  const form = new Field({ limit: query.limit === undefined ? 25 : Number(query.limit), after: query.after });
  const limit = form.at('limit').integer({ min: 1, max: 100 }) ?? 25;
  const after = form.at('after').snowflake() ?? '0';
  form.done();
  const later = ids.filter((id) => compareSnowflakes(id, after) > 0);
  const users = later.flatMap((id) => (id === IDS.application ? world.bot : (world.members.get(id)?.user ?? [])));
  return users.slice(0, limit);
}

/** https://discord.com/developers/docs/resources/message#create-reaction and those that follow it */
export function reactionRoutes(app: FastifyInstance, context: RestContext): void {
  const { world } = context;
  const all = '/channels/:channelId/messages/:messageId/reactions';
  const preHandler = limited(context, 'react');

  /** @throws DiscordError where the bot may not see the message, or lacks a permission */
  function messageIn({ channelId, messageId }: MessageParams['Params'], permission = 0n) {
    const channel = botChannel(world, channelId, PERMISSION.readMessageHistory);
    if (permission !== 0n) requirePermissions(world, IDS.application, channel, permission);
    return world.message(channel.id, messageId);
  }

  app.put<EmojiParams>(`${all}/:emoji/@me`, { preHandler }, async ({ params }, reply) => {
    const emoji = emojiFrom(params.emoji);
    const message = messageIn(params);
    requirePermissions(world, IDS.application, world.channel(message.channel_id), permissionToReact(message, emoji));
    world.react(message, { do: 'add', emoji, personId: IDS.application });
    return reply.code(204).send();
  });

  app.delete<ReactorParams>(`${all}/:emoji/:userId`, { preHandler }, async ({ params }, reply) => {
    const emoji = emojiFrom(params.emoji);
    const isOwn = params.userId === '@me' || params.userId === IDS.application;
    const message = messageIn(params, isOwn ? 0n : PERMISSION.manageMessages);
    world.react(message, { do: 'remove', emoji, personId: isOwn ? IDS.application : params.userId });
    return reply.code(204).send();
  });

  app.get<EmojiParams & PageOfUsers>(`${all}/:emoji`, async ({ params, query }) =>
    usersOf(context, reactorsWith(messageIn(params), emojiFrom(params.emoji)), query),
  );

  app.delete<EmojiParams>(`${all}/:emoji`, { preHandler }, async ({ params }, reply) => {
    const emoji = emojiFrom(params.emoji);
    world.react(messageIn(params, PERMISSION.manageMessages), { do: 'remove-emoji', emoji });
    return reply.code(204).send();
  });

  app.delete<MessageParams>(all, { preHandler }, async ({ params }, reply) => {
    world.react(messageIn(params, PERMISSION.manageMessages), { do: 'remove-all' });
    return reply.code(204).send();
  });
}
