import { createHash } from 'node:crypto';
import { type Delivery, idsOf, type RollUp } from '../../store/deliveries.ts';

/**
 * One roll-up of these deliveries, and of the one that waits already, whose place it then takes. Its id is made from what is
 * in it: whoever makes it again gets the same.
 */
export function rollUpOf(deliveries: readonly [Delivery, ...Delivery[]], earlier: RollUp | undefined): RollUp {
  const [{ guildId, channelId }] = deliveries;
  const members = [
    ...(earlier?.members ?? []),
    ...deliveries.map(({ id, announcement, alsoTells, matches }) => ({
      deliveryId: id,
      announcement,
      alsoTells,
      matches,
    })),
  ];
  const ids = members.map(({ deliveryId }) => deliveryId).sort();
  return {
    version: 1,
    id: createHash('sha256')
      .update(JSON.stringify(['roll-up', channelId, ids]))
      .digest('base64url')
      .slice(0, 22),
    guildId,
    channelId,
    members,
    replaces: [...(earlier ? [earlier.id, ...earlier.replaces] : []), ...deliveries.flatMap(idsOf)],
    createdAtMs: Math.min(...deliveries.map(({ createdAtMs }) => createdAtMs), earlier?.createdAtMs ?? Infinity),
  };
}
