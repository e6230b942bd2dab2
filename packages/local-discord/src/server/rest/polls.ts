import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { asApiMessage } from '../messages.ts';
import { PERMISSION } from '../numbers.ts';
import { endPoll } from '../poll-life.ts';
import { pollIn, votersFor } from '../polls.ts';
import { IDS } from '../seed.ts';
import { botChannel, type MessageParams, type RestContext } from './context.ts';
import { type PageOfUsers, usersOf } from './reactions.ts';

interface AnswerParams extends PageOfUsers {
  Params: MessageParams['Params'] & { answerId: string };
}

/** https://discord.com/developers/docs/resources/poll */
export function pollRoutes(app: FastifyInstance, context: RestContext): void {
  const { world } = context;
  const all = '/channels/:channelId/polls/:messageId';

  /** @throws DiscordError where the bot may not see the message, or it has no poll */
  function pollOf({ channelId, messageId }: MessageParams['Params']) {
    const channel = botChannel(world, channelId, PERMISSION.readMessageHistory);
    return pollIn(world.message(channel.id, messageId));
  }

  app.get<AnswerParams>(`${all}/answers/:answerId`, async ({ params, query }) => ({
    users: usersOf(context, votersFor(pollOf(params), Number(params.answerId)), query),
  }));

  app.post<MessageParams>(`${all}/expire`, async ({ params }) => {
    const message = pollOf(params);
    if (message.author.id !== IDS.application) throw new DiscordError('notAuthor');
    if (message.poll.results?.is_finalized) throw new DiscordError('pollExpired');
    return asApiMessage(endPoll(context, message));
  });
}
