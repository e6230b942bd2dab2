import type { Clock } from '../../src/clock.ts';
import type { Courier, NewMessage } from '../../src/discord/courier.ts';
import type { MessagePlace } from '../../src/discord/outcome.ts';

/** A message that has arrived. */
export interface Arrived {
  message: NewMessage;
  place: MessagePlace;
  atMs: number;
}

/** A Discord that takes everything at once: whatever is posted twice is there twice. */
export function createArrivals(clock: Clock): { courier: Courier; arrived: Arrived[]; edits: () => number } {
  const arrived: Arrived[] = [];
  const byChannel = new Map<string, Arrived[]>();
  let edits = 0;
  const courier: Courier = {
    async post(message) {
      const { channelId } = message;
      const here = byChannel.get(channelId) ?? [];
      byChannel.set(channelId, here);
      const one = { message, place: { channelId, messageId: String(arrived.length + 1) }, atMs: clock.now() };
      here.push(one);
      arrived.push(one);
      return { kind: 'sent', place: one.place };
    },
    async edit() {
      edits += 1;
      return { kind: 'done' };
    },
    publish: async () => ({ kind: 'done' }),
    async findPosted(channelId, afterId) {
      const found = (byChannel.get(channelId) ?? []).filter(
        ({ place }) => Number(place.messageId) > Number(afterId ?? 0),
      );
      const posted = new Map(found.map(({ message, place }) => [message.deliveryId, place]));
      return { kind: 'found', posted, isCutOff: false };
    },
    tell: async () => undefined,
  };
  return { courier, arrived, edits: () => edits };
}
