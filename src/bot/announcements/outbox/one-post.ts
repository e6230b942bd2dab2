import { type AnnouncementKind, thingOf } from '../../deals/announcement.ts';
import { sooner } from '../../deals/timing.ts';
import type { Delivery } from '../../store/delivery.ts';

/**
 * What says more comes first, and is live for at least as long as what comes after it: a price may rise again while an offer
 * is still new or back.
 */
const MOST_TELLING: readonly AnnouncementKind[] = ['new-offer', 'relisted', 'restocked', 'price-drop', 'ending-soon'];

/** One for each thing in a channel, of what was found together: the most telling, which stands for the others. */
export function onePostEach(deliveries: readonly Delivery[]): Delivery[] {
  const posts = new Map<string, Delivery>();
  for (const delivery of deliveries) {
    const place = `${delivery.channelId} ${thingOf(delivery.announcement)}`;
    const other = posts.get(place);
    posts.set(place, other ? together(other, delivery) : delivery);
  }
  return [...posts.values()];
}

function together(one: Delivery, other: Delivery): Delivery {
  const [first, second] = rankOf(one) <= rankOf(other) ? [one, other] : [other, one];
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

function rankOf({ announcement: { kind } }: Delivery): number {
  return MOST_TELLING.indexOf(kind);
}
