import type { APIMessage } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { deliverToFollowers } from '../following.ts';
import { asApiMessage, asCreatedMessage, findByNonce, withoutContent } from '../messages.ts';
import { CHANNEL, MESSAGE_FLAG, PERMISSION } from '../numbers.ts';
import type { PageMessage } from '../page-api.ts';
import { isAllowed, requirePermissions, sendingPermission } from '../permissions.ts';
import type { Taken } from '../rate-limits.ts';
import { IDS } from '../seed.ts';
import { compareSnowflakes, snowflakeTimeMs } from '../snowflake.ts';
import { openForMessage } from '../thread-life.ts';
import { Field } from '../validate/form.ts';
import { validateMessageEdit, validateNewMessage } from '../validate/message.ts';
import { isDirect, isThread } from '../world.ts';
import { bodyOf, type RequestBody } from './body.ts';
import { botChannel, type ChannelParams, type MessageParams, type RestContext } from './context.ts';
import { limited } from './limit.ts';

/** The age from which on Discord limits the edits of messages. */
const OLD_MS = 3_600_000;
/** https://discord.com/developers/docs/resources/message#bulk-delete-messages */
const BULK_DELETED_WITHIN_MS = 14 * 86_400_000;

interface ListQuery {
  Querystring: { before?: string; after?: string; around?: string; limit?: string };
}

/** https://discord.com/developers/docs/resources/message */
export function messageRoutes(app: FastifyInstance, context: RestContext): void {
  const { world, messages, rateLimits, clock } = context;
  let oldEditRefusals = 0;

  /** The message as the bot reads it: without what others wrote, where its application lacks the intent for that. */
  function shown(message: PageMessage): APIMessage {
    const whole = asApiMessage(message);
    return context.privilegedIntents.includes('messageContent') ? whole : withoutContent(world, whole);
  }

  /** Every second refusal doesn't say how long the limit lasts: Discord's answers vary. */
  function refuseOldEdit(resetAfterMs: number): never {
    oldEditRefusals += 1;
    throw new DiscordError('oldEditLimit', oldEditRefusals % 2 === 1 ? { retryAfterMs: resetAfterMs } : {});
  }

  app.get<ChannelParams & ListQuery>('/channels/:channelId/messages', async (request) => {
    const channel = botChannel(world, request.params.channelId);
    const { limit, ...anchors } = request.query;
    const query = new Field({ ...anchors, ...(limit !== undefined && { limit: Number(limit) }) });
    const number = query.at('limit').integer({ min: 1, max: 100 }) ?? 50;
    for (const key of ['before', 'after', 'around']) {
      query.at(key).snowflake();
    }
    query.done();
    // Without the permission to read the history, Discord shows an empty one.
    if (!isAllowed(world, IDS.application, channel, PERMISSION.readMessageHistory)) return [];
    const visible = world.messages(channel.id).filter((message) => message.visible_to === null);
    return pick(visible, number, anchors).toReversed().map(shown);
  });

  app.get<MessageParams>('/channels/:channelId/messages/:messageId', async (request) => {
    const channel = botChannel(world, request.params.channelId, PERMISSION.readMessageHistory);
    return shown(world.message(channel.id, request.params.messageId));
  });

  app.post<ChannelParams>(
    '/channels/:channelId/messages',
    { preHandler: limited(context, 'createMessage') },
    async (request) => asCreatedMessage(createMessage(context, request.params.channelId, bodyOf(request))),
  );

  app.patch<MessageParams>(
    '/channels/:channelId/messages/:messageId',
    { preHandler: limited(context, 'editMessage') },
    async (request) => {
      const channel = botChannel(world, request.params.channelId);
      const message = world.message(channel.id, request.params.messageId);
      if (message.author.id !== IDS.application) throw new DiscordError('notAuthor');
      if (isThread(channel) && channel.thread_metadata?.archived) throw new DiscordError('archivedThread');
      const { json, files } = bodyOf(request);
      const edit = validateMessageEdit(new Field(json), files, message);
      if ((message.flags ?? 0) & MESSAGE_FLAG.crossposted) {
        refuseBeyond(rateLimits.take('editPublished', message.id));
      }
      if (clock.now() - snowflakeTimeMs(message.id) > OLD_MS) {
        const taken = rateLimits.take('editOldMessage', channel.id);
        if (!taken.allowed) refuseOldEdit(taken.resetAfterMs);
      }
      const edited = messages.revise(message, edit, files);
      world.setMessage(edited);
      return asApiMessage(edited);
    },
  );

  app.delete<MessageParams>(
    '/channels/:channelId/messages/:messageId',
    { preHandler: limited(context, 'deleteMessage') },
    async (request, reply) => {
      const channel = botChannel(world, request.params.channelId);
      const message = world.message(channel.id, request.params.messageId);
      if (message.author.id !== IDS.application) {
        requirePermissions(world, IDS.application, channel, PERMISSION.manageMessages);
      }
      world.deleteMessage(message);
      return reply.code(204).send();
    },
  );

  app.post<ChannelParams>(
    '/channels/:channelId/messages/bulk-delete',
    { preHandler: limited(context, 'bulkDelete') },
    async (request, reply) => {
      const channel = botChannel(world, request.params.channelId, PERMISSION.manageMessages);
      const form = new Field(bodyOf(request).json);
      const listed = form.at('messages').list({ min: 2, max: 100, required: true });
      const ids = listed.map((one) => one.snowflake() ?? '');
      form.done();
      if (ids.some((id) => clock.now() - snowflakeTimeMs(id) > BULK_DELETED_WITHIN_MS)) {
        throw new DiscordError('tooOldToBulkDelete');
      }
      world.deleteMessages(channel, ids);
      return reply.code(204).send();
    },
  );

  app.post<ChannelParams>('/channels/:channelId/typing', async (request, reply) => {
    const channel = world.channel(request.params.channelId);
    requirePermissions(world, IDS.application, channel, sendingPermission(channel));
    world.type(channel, IDS.application, clock.now());
    return reply.code(204).send();
  });

  app.post<MessageParams>('/channels/:channelId/messages/:messageId/crosspost', async ({ params }) =>
    asApiMessage(publish(context, params)),
  );
}

/** Creates a message, or returns the existing one with the same nonce if the nonce is enforced. */
function createMessage(context: RestContext, channelId: string, { json, files }: RequestBody): PageMessage {
  const { world, messages } = context;
  const channel = world.channel(channelId);
  requirePermissions(world, IDS.application, channel, sendingPermission(channel));
  if (channel.type === CHANNEL.forum) throw new DiscordError('notTextChannel');
  const closed = isDirect(channel) && channel.recipients?.some(({ id }) => !world.takesDirectMessages(id));
  if (closed) throw new DiscordError('cannotMessageUser');
  const body = validateNewMessage(new Field(json), files);
  if (files.length > 0) requirePermissions(world, IDS.application, channel, PERMISSION.attachFiles);
  if (body.poll) requirePermissions(world, IDS.application, channel, PERMISSION.sendPolls);
  if (isThread(channel)) openForMessage(world, channel);
  if (body.enforce_nonce && body.nonce !== undefined) {
    const repeated = findByNonce(context, channel.id, IDS.application, body.nonce);
    if (repeated) return repeated;
  }
  const mayEmbed = isAllowed(world, IDS.application, channel, PERMISSION.embedLinks);
  const shown = mayEmbed ? body : { ...body, embeds: [] };
  const message = messages.compose({ channel: world.channel(channel.id), author: world.bot, body: shown, files });
  world.addMessage(message);
  return message;
}

/** Publishes a message to the followers of its announcement channel. */
function publish(
  { world, messages, rateLimits, othersPublish }: RestContext,
  { channelId, messageId }: MessageParams['Params'],
): PageMessage {
  const channel = botChannel(world, channelId, PERMISSION.sendMessages);
  if (channel.type !== CHANNEL.announcement) throw new DiscordError('wrongChannelType');
  const message = world.message(channel.id, messageId);
  if (message.author.id !== IDS.application) {
    requirePermissions(world, IDS.application, channel, PERMISSION.manageMessages);
  }
  const flags = message.flags ?? 0;
  if (flags & MESSAGE_FLAG.crossposted) throw new DiscordError('alreadyCrossposted');
  refuseBeyond(rateLimits.take('crosspost', channel.id, othersPublish()));
  const published = { ...message, flags: flags | MESSAGE_FLAG.crossposted };
  world.setMessage(published);
  deliverToFollowers({ world, messages }, published);
  return published;
}

/** @throws DiscordError 20028, beyond a limit on what is published */
function refuseBeyond({ allowed, resetAfterMs }: Taken): void {
  if (!allowed) throw new DiscordError('channelWriteLimit', { retryAfterMs: resetAfterMs, isShared: true });
}

/**
 * Selects the requested messages, oldest first:
 * https://discord.com/developers/docs/resources/message#get-channel-messages
 */
function pick(all: PageMessage[], limit: number, { before, after, around }: ListQuery['Querystring']): PageMessage[] {
  if (around !== undefined) {
    const older = all.filter(({ id }) => compareSnowflakes(id, around) < 0);
    const rest = all.filter(({ id }) => compareSnowflakes(id, around) >= 0);
    const half = Math.floor(limit / 2);
    const latest = half === 0 ? [] : older.slice(-half);
    return [...latest, ...rest.slice(0, limit - latest.length)];
  }
  if (before !== undefined) return all.filter(({ id }) => compareSnowflakes(id, before) < 0).slice(-limit);
  if (after !== undefined) return all.filter(({ id }) => compareSnowflakes(id, after) > 0).slice(0, limit);
  return all.slice(-limit);
}
