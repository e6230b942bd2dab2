import { createHash } from 'node:crypto';
import type { Announcement } from '../deals/announcement.ts';
import { newestFirst } from '../deals/life.ts';
import type { Subscription } from '../deals/subscription.ts';
import type { Delivery } from '../store/deliveries.ts';

/** What is news to whom. */
export interface Match {
  announcement: Announcement;
  subscription: Subscription;
}

/**
 * The id of an announcement in a channel: the same whenever and however often it is computed, however many of the
 * channel's subscriptions ask for it. 22 characters, of which Discord takes at most 25 as a nonce.
 */
export function deliveryId(channelId: string, { kind, subject }: Announcement): string {
  return createHash('sha256')
    .update(JSON.stringify([channelId, kind, subject]))
    .digest('base64url')
    .slice(0, 22);
}

/** One delivery for each announcement and channel, oldest thing first. */
export function deliveriesOf(matches: readonly Match[], nowMs: number): Delivery[] {
  const deliveries = new Map<string, Delivery>();
  const oldestFirst = newestFirst(
    matches.map((match) => ({ ...match, startDateMs: startOf(match.announcement) })),
  ).reverse();
  for (const { subscription, announcement } of oldestFirst) {
    const id = deliveryId(subscription.channelId, announcement);
    const others = (deliveries.get(id)?.matches ?? []).filter((other) => other.subscriptionId !== subscription.id);
    deliveries.set(id, {
      version: 2,
      id,
      guildId: subscription.guildId,
      channelId: subscription.channelId,
      matches: [...others, { subscriptionId: subscription.id, terms: [] }],
      announcement,
      createdAtMs: nowMs,
      sequence: deliveries.get(id)?.sequence ?? deliveries.size,
      dueAtMs: nowMs,
      isDigest: false,
    });
  }
  return [...deliveries.values()];
}

/** Every piece of news for every subscription that is not paused. */
export function matchNews(news: readonly Announcement[], subscriptions: readonly Subscription[]): Match[] {
  return subscriptions.flatMap((subscription) =>
    subscription.pausedBy !== null ? [] : news.map((announcement) => ({ announcement, subscription })),
  );
}

/** The newest of what is live, as many as each subscription still has to catch up with. */
export function matchCatchUps(live: readonly Announcement[], subscriptions: readonly Subscription[]): Match[] {
  const newest = newestFirst(live.map((announcement) => ({ announcement, startDateMs: startOf(announcement) })));
  return subscriptions.flatMap((subscription) =>
    newest.slice(0, subscription.catchUp).map(({ announcement }) => ({ announcement, subscription })),
  );
}

function startOf({ item }: Announcement): number | null {
  return 'startDateMs' in item ? item.startDateMs : null;
}
