import type { Announcement } from '../../deals/announcement.ts';
import { type ResourceKey, resourceOf, type Subscription, sameResource } from '../../deals/subscription.ts';
import { unsuitedTo } from '../kinds/index.ts';

/** Whether a subscription wants such an announcement, regardless of its filter. */
export function wants(subscription: Subscription, announcement: Announcement): boolean {
  const { kinds, pausedBy } = subscription;
  return pausedBy === null && kinds.includes(announcement.kind) && unsuitedTo(announcement, subscription) === null;
}

/** The key by which the filter index is divided: a resource, or one product that somebody watches. */
export type MatchKey = ResourceKey | `product:${string}`;

/** The part of the filter index in which a subscription stands. */
export function matchKeyOf({ source, watch }: Pick<Subscription, 'source' | 'watch'>): MatchKey {
  return watch?.product ? `product:${watch.product.key}` : sameResource(resourceOf(source));
}

/** The announcements of one entity, and the resources and the product whose followers get them. */
export interface News {
  /** They show the entity in the same state, so that filters are matched once for all of them. */
  announcements: readonly [Announcement, ...Announcement[]];
  /** As `sameResource` makes them. */
  resources: readonly MatchKey[];
}
