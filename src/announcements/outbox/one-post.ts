import { sooner } from '../../deals/timing.ts';
import type { Delivery } from '../../store/delivery.ts';
import { entityKey, partOf, rankOf } from '../kinds/index.ts';

/**
 * One delivery for each entity in a channel, of those that were detected together: the kind that ranks first stands for
 * the others.
 */
export function onePostEach(deliveries: readonly Delivery[]): Delivery[] {
  const posts = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const place = `${delivery.channelId} ${entityKey(delivery.announcement)}`;
    const others = posts.get(place) ?? [];
    const separate = others.filter((other) => !isOneWith(delivery, other));
    const joined = others
      .filter((other) => isOneWith(delivery, other))
      .reduce((one, other) => together(other, one), delivery);
    posts.set(place, [...separate, joined]);
  }
  return [...posts.values()].flat();
}

/** Two different parts of an entity do not stand for each other; the whole entity stands for each of its parts. */
function isOneWith({ announcement: one }: Delivery, { announcement: other }: Delivery): boolean {
  const parts = [partOf(one), partOf(other)];
  return parts.includes(null) || parts[0] === parts[1];
}

function together(one: Delivery, other: Delivery): Delivery {
  const [first, second] = rankOf(one.announcement) <= rankOf(other.announcement) ? [one, other] : [other, one];
  const named = new Set(first.matches.map(({ subscriptionId }) => subscriptionId));
  return {
    ...first,
    ...sooner(
      { dueAtMs: first.dueAtMs, isDigest: first.isDigest },
      { dueAtMs: second.dueAtMs, isDigest: second.isDigest },
    ),
    matches: [...first.matches, ...second.matches.filter(({ subscriptionId }) => !named.has(subscriptionId))],
    alsoTells: [...first.alsoTells, second.id, ...second.alsoTells],
  };
}
