import type { FastifyInstance } from 'fastify';
import { asApiMessage } from '../messages.ts';
import { PERMISSION } from '../numbers.ts';
import { isAllowed } from '../permissions.ts';
import { pin, unpin } from '../pins.ts';
import { IDS } from '../seed.ts';
import { Field } from '../validate/form.ts';
import type { PinnedMessage } from '../world.ts';
import { botChannel, type ChannelParams, type MessageParams, type RestContext } from './context.ts';

/** The most pins in one response, which is also the default. */
const PAGE = 50;

interface PinsQuery {
  Querystring: { before?: string; limit?: string };
}

/** https://discord.com/developers/docs/resources/message#get-channel-pins; the paths without `messages` are the older ones. */
export function pinRoutes(app: FastifyInstance, context: RestContext): void {
  const { world } = context;

  /** Without the permission to read the history, Discord shows none. */
  function pinsOf(channelId: string): PinnedMessage[] {
    const channel = botChannel(world, channelId);
    const isReader = isAllowed(world, IDS.application, channel, PERMISSION.readMessageHistory);
    return isReader ? world.pins(channel.id) : [];
  }

  app.get<ChannelParams & PinsQuery>('/channels/:channelId/messages/pins', async ({ params, query }) => {
    const { before, limit } = query;
    const form = new Field({ before, ...(limit !== undefined && { limit: Number(limit) }) });
    const number = form.at('limit').integer({ min: 1, max: PAGE }) ?? PAGE;
    const beforeMs = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
    if (Number.isNaN(beforeMs)) {
      form.at('before').fail('DATE_TIME_TYPE_PARSE', `Could not parse ${before}. Should be ISO8601.`);
    }
    form.done();
    const found = pinsOf(params.channelId).filter(({ pinned_at: at }) => Date.parse(at) < beforeMs);
    return {
      items: found.slice(0, number).map((one) => ({ pinned_at: one.pinned_at, message: asApiMessage(one) })),
      has_more: found.length > number,
    };
  });

  app.get<ChannelParams>('/channels/:channelId/pins', async ({ params }) =>
    pinsOf(params.channelId).slice(0, PAGE).map(asApiMessage),
  );

  for (const path of ['/channels/:channelId/messages/pins/:messageId', '/channels/:channelId/pins/:messageId']) {
    app.put<MessageParams>(path, async ({ params }, reply) => {
      pin(context, botChannel(world, params.channelId), params.messageId, world.bot);
      return reply.code(204).send();
    });
    app.delete<MessageParams>(path, async ({ params }, reply) => {
      unpin(world, botChannel(world, params.channelId), params.messageId, world.bot);
      return reply.code(204).send();
    });
  }
}
