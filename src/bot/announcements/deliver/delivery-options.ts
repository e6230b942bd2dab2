import type { Subscription } from '../../deals/subscription.ts';
import { openFrom } from '../../deals/timing.ts';
import type { DeliveryMatch } from '../../store/delivery.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';

/** The posting options of the subscriptions that want a delivery, merged. */
export interface DeliveryOptions {
  mentionRoleIds: string[];
  isPublished: boolean;
  tagIds: string[];
}

/** The subscriptions that still want the delivery: neither removed nor paused. */
export function activeSubscriptions(
  matches: readonly DeliveryMatch[],
  subscriptions: Pick<SubscriptionStore, 'get'>,
): Subscription[] {
  return matches
    .map(({ subscriptionId }) => subscriptions.get(subscriptionId))
    .filter((subscription) => subscription !== undefined && subscription.pausedBy === null) as Subscription[];
}

/**
 * Merges the options of all subscriptions. One that asks for publishing is enough. Only the roles of subscriptions
 * without quiet hours now are mentioned: a post that two subscriptions want is made once, as soon as the first has no
 * quiet hours.
 */
export function mergeOptions(subscriptions: readonly Subscription[], nowMs: number): DeliveryOptions {
  const open = subscriptions.filter(({ timing }) => openFrom(timing, nowMs) <= nowMs);
  return {
    mentionRoleIds: [...new Set(open.flatMap(({ mentionRoleId }) => mentionRoleId ?? []))],
    isPublished: subscriptions.some(({ isPublished }) => isPublished),
    tagIds: [...new Set(subscriptions.flatMap(({ tagIds }) => tagIds))],
  };
}
