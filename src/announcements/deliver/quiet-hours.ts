import type { Subscription } from '../../deals/subscription.ts';
import { openFrom } from '../../deals/timing.ts';
import type { Delivery, DeliveryMatch } from '../../store/delivery.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import { activeSubscriptions } from './delivery-options.ts';

/**
 * When the first of the subscriptions has no quiet hours: epoch milliseconds; `nowMs` where one has none now or none is
 * left. Each subscription's hours are evaluated once.
 */
export function quietUntil(
  subscriptions: Pick<SubscriptionStore, 'get'>,
  nowMs: number,
): (matches: readonly DeliveryMatch[]) => number {
  const known = new Map<string, number>();
  const openMsOf = (subscription: Subscription) => {
    const openMs = known.get(subscription.id) ?? openFrom(subscription.timing, nowMs);
    known.set(subscription.id, openMs);
    return openMs;
  };
  return (matches) => {
    const openMs = activeSubscriptions(matches, subscriptions).map(openMsOf);
    return openMs.length === 0 ? nowMs : openMs.reduce((a, b) => Math.min(a, b));
  };
}

/** Postpones the due deliveries that are in quiet hours to the end of those. First due first. */
export function outOfQuiet(
  pending: readonly Delivery[],
  openMsOf: (matches: readonly DeliveryMatch[]) => number,
  nowMs: number,
): readonly Delivery[] {
  const held = pending.map((delivery) => {
    const wantedMs = dueFrom(delivery, nowMs);
    const openMs = wantedMs > nowMs ? nowMs : openMsOf(delivery.matches);
    const dueAtMs = openMs > nowMs ? openMs : wantedMs;
    return dueAtMs === delivery.dueAtMs ? delivery : { ...delivery, dueAtMs };
  });
  return held.some((delivery, index) => delivery !== pending[index])
    ? held.toSorted((one, other) => one.dueAtMs - other.dueAtMs)
    : pending;
}

/**
 * When a delivery is due: epoch milliseconds. An instant delivery is due now where the clock was set back to before its
 * creation.
 */
function dueFrom({ dueAtMs, createdAtMs }: Delivery, nowMs: number): number {
  return dueAtMs <= createdAtMs ? Math.min(dueAtMs, nowMs) : dueAtMs;
}
