import type { Announcement } from '../../deals/announcement.ts';
import type { KnownOffer } from '../../deals/known-offer.ts';
import type { ResourceKey, Subscription } from '../../deals/subscription.ts';
import type { Changes } from '../../store/table/state.ts';
import type { Match } from '../outbox/enqueue.ts';

/**
 * Posts that a feature owes to channels, besides those of a poll.
 * @example
 * owed: { resource: 'polls', of: async (live, wanted) => wanted(live, subscriptionsWithTicker()) }
 */
export interface OwedPosts {
  /** The resource whose polls enqueue the posts. */
  resource: ResourceKey;
  /**
   * Returns the posts of live announcements that channels lack, in the commit of a poll. Rejects with a StoreError.
   * @param wanted returns the announcements that the subscriptions' filters pass
   */
  of(
    live: readonly Announcement[],
    wanted: (some: readonly Announcement[], subscriptions: readonly Subscription[]) => Match[],
    changes: Changes,
  ): Promise<Match[]>;
}

/**
 * Announcements that a feature makes of offers itself, of kinds of its own.
 * @example
 * owedByOffers: { owedIn: async (changes, changed) => changed.flatMap((known) => greetingsFor(known)) }
 */
export interface OwedByOffers {
  /**
   * Returns the posts that the feature owes by now. Is called in each commit of changes by a poll or by time. Rejects with
   * a StoreError.
   * @param changes takes the feature's own records of the posts
   * @param changed the offers that the commit changes, as they are after it; none where it changes something else
   */
  owedIn(changes: Changes, changed: readonly KnownOffer[], nowMs: number): Promise<Match[]>;
}
