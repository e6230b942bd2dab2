import type { Card } from '../../src/discord/cards/parts.ts';
import type { Courier, NewMessage } from '../../src/discord/courier.ts';
import type { MessagePlace } from '../../src/discord/outcome.ts';
import type { Moment } from '../model/catalog.ts';
import type { ClosedChannels } from './closed-channels.ts';

/** A message that has arrived. */
export interface Arrived {
  message: NewMessage;
  place: MessagePlace;
  /** The moment by Discord's clock. */
  atMs: number;
  /** The moment by the bot's clock. */
  botMs: number;
}

export interface Arrivals {
  courier: Courier;
  arrived: Arrived[];
  edits: () => number;
}

/** Where the bot may not post for one of these reasons, it can read. */
const READABLE = ['cannot-post', 'messages-closed'];

/**
 * A Discord that takes everything at once where it is not closed: whatever is posted twice is there twice.
 * @param now Discord's clock and the bot's
 * @param onEdit called with the content that a message shows from now on
 */
export function createArrivals(
  now: () => Moment,
  closed?: Pick<ClosedChannels, 'refusal'>,
  onEdit?: (channelId: string, card: Card) => void,
): Arrivals {
  const arrived: Arrived[] = [];
  const byChannel = new Map<string, Arrived[]>();
  let edits = 0;
  const courier: Courier = {
    async post(message) {
      const { channelId } = message;
      const refusal = closed?.refusal(channelId, 'post');
      if (refusal) return refusal;
      const here = byChannel.get(channelId) ?? [];
      byChannel.set(channelId, here);
      const { trueMs: atMs, botMs } = now();
      const one = { message, place: { channelId, messageId: String(arrived.length + 1) }, atMs, botMs };
      here.push(one);
      arrived.push(one);
      return { kind: 'sent', place: one.place };
    },
    async edit({ channelId }, { card }) {
      const refusal = closed?.refusal(channelId, 'edit');
      if (refusal) return refusal;
      edits += 1;
      onEdit?.(channelId, card);
      return { kind: 'done' };
    },
    remove: async () => ({ kind: 'done' }),
    publish: async () => ({ kind: 'done' }),
    reply: async () => ({ kind: 'done' }),
    mayRing: () => true,
    mayPin: () => false,
    pin: async () => ({ kind: 'done' }),
    async findPosted(channelId, afterId) {
      const refusal = closed?.refusal(channelId, 'post');
      if (refusal && !READABLE.includes(refusal.reason)) return refusal;
      const found = (byChannel.get(channelId) ?? []).filter(
        ({ place }) => Number(place.messageId) > Number(afterId ?? 0),
      );
      const posted = new Map(found.map(({ message, place }) => [message.deliveryId, place]));
      return { kind: 'found', posted, messages: [], isCutOff: false };
    },
    confirm: async () => ({ kind: 'done' }),
    hasNonces: () => true,
    sendDirectMessage: async () => undefined,
  };
  return { courier, arrived, edits: () => edits };
}
