import { type Look, type LookSettings, lookOf } from '../../deals/look.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { openFrom } from '../../deals/timing.ts';
import type { DeliveryMatch } from '../../store/delivery.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';

/** The posting options of the subscriptions that want a delivery, merged. */
export interface DeliveryOptions {
  mentionRoleIds: string[];
  isPublished: boolean;
  tagIds: string[];
  look: Look;
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
 * One post has one look: that of the subscription that was made first. It is silent only where all of them ask for that;
 * those with quiet hours now make no sound either way.
 * @param serverLook fills what the subscription's own look leaves open
 */
export function mergeOptions(
  subscriptions: readonly Subscription[],
  serverLook: LookSettings,
  nowMs: number,
): DeliveryOptions {
  const open = subscriptions.filter(({ timing }) => openFrom(timing, nowMs) <= nowMs);
  const [first] = subscriptions.toSorted(byCreation);
  const heard = open.length > 0 ? open : subscriptions;
  const isSilent = heard.length > 0 && heard.every(({ look }) => lookOf(serverLook, look).isSilent);
  return {
    mentionRoleIds: [...new Set(open.flatMap(({ mentionRoleId }) => mentionRoleId ?? []))],
    isPublished: subscriptions.some(({ isPublished }) => isPublished),
    tagIds: [...new Set(subscriptions.flatMap(({ tagIds }) => tagIds))],
    look: { ...lookOf(serverLook, first?.look), isSilent },
  };
}

/** The id decides between subscriptions of the same moment. */
function byCreation(one: Subscription, other: Subscription): number {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}
