import type { Announcement } from '../../deals/announcement.ts';
import type { ResourceKey, Subscription } from '../../deals/subscription.ts';
import type { AnnouncementContext } from '../../discord/cards/announced.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { DeliveryMatch } from '../../store/delivery.ts';
import type { KeptMarks, Post } from '../../store/posts.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import type { Changes } from '../../store/table/state.ts';

/**
 * Posts that a feature keeps: each shows what is so now, until what it is about is over. It is a post of its own, due at once,
 * and no part of a digest or another roll-up.
 * @example
 * kept: {
 *   mark: 'isTicker',
 *   resource: 'polls',
 *   wants: ({ kind }, { hasTicker }) => kind === 'new-poll' && hasTicker === true,
 *   card: ({ item }, context, updatedAtMs) => tickerCard(item, context, updatedAtMs),
 *   posted: () => undefined,
 *   keep: () => checkAll(),
 *   deleted: (changes, { guildId }) => store.tickers.forget(changes, guildId),
 * }
 */
export interface KeptPosts {
  /** The field of a post's record that says that it is one. One that is over stays what it was. */
  mark: keyof KeptMarks;
  /** The resource whose polls change what they show. */
  resource: ResourceKey;
  /** Whether the subscription, paused or not, has the announcement posted so. */
  wants(announcement: Announcement, subscription: Subscription): boolean;
  /** @param updatedAtMs the moment that the card is to tell; null for none, so that the same card has the same hash */
  card(announcement: Announcement, context: AnnouncementContext, updatedAtMs: number | null): Card;
  /** Adds what else is to be done to the commit of a post. */
  posted(changes: Changes, post: Post): void;
  /** Queues what has to be done for all of them, after a poll of the resource and at each tick. Rejects with a StoreError. */
  keep(): Promise<void>;
  /**
   * Adds to the commit that forgets a post what follows from that: Discord has denied its message twice, and what it is about
   * is not over.
   */
  deleted(changes: Changes, post: Post): void | Promise<void>;
}

/** Whether one of the subscriptions has the announcement posted so. */
export function isKeptFor(
  keeper: KeptPosts,
  { announcement, matches }: { announcement: Announcement; matches: readonly DeliveryMatch[] },
  subscriptions: Pick<SubscriptionStore, 'get'>,
): boolean {
  return matches.some(({ subscriptionId }) => {
    const subscription = subscriptions.get(subscriptionId);
    return subscription !== undefined && keeper.wants(announcement, subscription);
  });
}

/** A post's record with the mark of its keeper alone. @param all the keepers that there are */
export function markedBy<T extends object>(
  keeper: KeptPosts | null,
  post: T,
  all: readonly KeptPosts[],
): T & KeptMarks {
  const marked: T & KeptMarks = { ...post };
  for (const { mark } of all) delete marked[mark];
  return keeper ? { ...marked, [keeper.mark]: true } : marked;
}
