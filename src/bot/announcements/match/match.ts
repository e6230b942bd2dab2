import type { Announcement } from '../../deals/announcement.ts';
import { isEventOf } from '../../deals/event.ts';
import { type ResourceKey, resourceOf, type Subscription } from '../../deals/subscription.ts';

/** Whether a subscription wants to be told such a thing at all, whatever its filter says. */
export function wants(
  { kinds, pausedBy, priceDropPercent, source }: Subscription,
  announcement: Announcement,
): boolean {
  if (pausedBy !== null || !kinds.includes(announcement.kind)) return false;
  if (announcement.kind === 'price-drop') {
    const [before, now] = [announcement.before.minimum, announcement.item.salePrice?.minimum ?? Infinity];
    // Prices are decimal fractions, which binary ones only come near to.
    return (before - now) * 100 >= before * priceDropPercent - 1e-6;
  }
  if (announcement.kind === 'event-started' && source.kind === 'events') {
    return isEventOf(announcement.item, source);
  }
  return true;
}

/** Those that are at work, by the resource that tells what they want. */
export function followersOf(subscriptions: readonly Subscription[]): Map<ResourceKey, Subscription[]> {
  const followers = new Map<ResourceKey, Subscription[]>();
  for (const subscription of subscriptions) {
    if (subscription.pausedBy !== null) continue;
    const resource = resourceOf(subscription.source);
    const others = followers.get(resource);
    if (others) others.push(subscription);
    else followers.set(resource, [subscription]);
  }
  return followers;
}

/** Something that has happened, and whose followers are to be told. */
export interface News {
  announcement: Announcement;
  /** As `sameResource` makes them. */
  resources: readonly ResourceKey[];
}
