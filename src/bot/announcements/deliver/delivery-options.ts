import type { Subscription } from '../../deals/subscription.ts';
import { openFrom } from '../../deals/timing.ts';
import type { DeliveryMatch } from '../../store/delivery.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';

/** What those who want something in a channel say about how it is posted there. */
export interface DeliveryOptions {
  mentionRoleIds: string[];
  isPublished: boolean;
  tagIds: string[];
}

/** The subscriptions that still want what they matched: removed ones and those that rest do not. */
export function activeSubscriptions(
  matches: readonly DeliveryMatch[],
  subscriptions: Pick<SubscriptionStore, 'get'>,
): Subscription[] {
  return matches
    .map(({ subscriptionId }) => subscriptions.get(subscriptionId))
    .filter((subscription) => subscription !== undefined && subscription.pausedBy === null) as Subscription[];
}

/**
 * All of them together: publishing is enough for one to ask for. Roles are mentioned only for those that have no quiet hours
 * now: a post that two of them want comes as soon as it is open for one, and only once.
 */
export function mergeOptions(subscriptions: readonly Subscription[], nowMs: number): DeliveryOptions {
  const open = subscriptions.filter(({ timing }) => openFrom(timing, nowMs) <= nowMs);
  return {
    mentionRoleIds: [...new Set(open.flatMap(({ mentionRoleId }) => mentionRoleId ?? []))],
    isPublished: subscriptions.some(({ isPublished }) => isPublished),
    tagIds: [...new Set(subscriptions.flatMap(({ tagIds }) => tagIds))],
  };
}
