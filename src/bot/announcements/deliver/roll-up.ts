import { createHash } from 'node:crypto';
import { idsOf, memberOf, type RollUp } from '../../store/deliveries.ts';
import type { Delivery } from '../../store/delivery.ts';

/** One roll-up of these deliveries. Its id is made from what is in it: whoever makes it again gets the same. */
export function rollUpOf(deliveries: readonly [Delivery, ...Delivery[]]): RollUp {
  const [{ guildId, channelId }] = deliveries;
  const ids = deliveries.map(({ id }) => id).sort();
  return {
    version: 1,
    id: createHash('sha256')
      .update(JSON.stringify(['roll-up', channelId, ids]))
      .digest('base64url')
      .slice(0, 22),
    guildId,
    channelId,
    members: deliveries.map(memberOf),
    replaces: deliveries.flatMap(idsOf),
    createdAtMs: Math.min(...deliveries.map(({ createdAtMs }) => createdAtMs)),
  };
}
