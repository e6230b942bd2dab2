import type { Announcement } from '../../deals/announcement.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import { type PreviewParts, preview } from '../explain/dry-run.ts';
import { deliveryId, entityKey } from '../kinds/index.ts';
import type { Match } from '../outbox/enqueue.ts';

/** An announcement that a channel is owed. */
export interface Owed {
  deliveryId: string;
  announcement: Announcement;
  /** The subscriptions that want it. */
  matches: Match[];
  /** When the bot saw what it is about: epoch milliseconds. */
  atMs: number;
}

export interface OwedParts extends PreviewParts {
  store: PreviewParts['store'] & Pick<Store, 'deliveries' | 'posts'>;
  offers: PreviewParts['offers'] & Pick<OfferBook, 'get'>;
  currentState: Pick<CurrentState, 'seen' | 'fateOf'>;
}

/**
 * The announcements that a channel is owed according to what is known of offers and subscriptions, whatever outbox, ledger
 * and posts say: those of the last seven days that are still worth posting. What happened before a subscription was made,
 * changed or resumed, or its offer was restated, is left out, because it is not known how things were. Rejects with a
 * StoreError.
 * @param subscriptions the channel's active ones; those of people, and those to anything but feeds, are left out: of events
 *   and the like no history is kept
 */
export async function owedTo(
  subscriptions: readonly Subscription[],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  parts: OwedParts,
): Promise<Owed[]> {
  const owed = new Map<string, Owed>();
  const nowMs = parts.clock.now();
  for (const subscription of subscriptions.filter(({ watch, source }) => !watch && source.kind === 'feed')) {
    const { channelId, createdAtMs, changedAtMs = 0, resumedAtMs = 0 } = subscription;
    const sinceMs = Math.max(fromMs, createdAtMs, changedAtMs, resumedAtMs);
    const { entries } = await preview(subscription, parts);
    for (const { announcement, atMs, isNews } of entries) {
      if (!isNews || atMs <= sinceMs || atMs > untilMs) continue;
      // Nobody knows what it was like then.
      if (atMs <= (parts.offers.get(announcement.subject)?.restatedAtMs ?? 0)) continue;
      if (parts.currentState.fateOf(announcement, nowMs) !== 'live') continue;
      const id = deliveryId(channelId, announcement);
      const match = { announcement, subscription, terms: [] };
      const same = owed.get(id);
      if (same) same.matches.push(match);
      else owed.set(id, { deliveryId: id, announcement, matches: [match], atMs });
    }
  }
  return [...owed.values()];
}

/**
 * The deals of which there is no trace: neither in the outbox, the ledger nor the channel, and no post of the channel tells
 * of the same thing since. Rejects with a StoreError.
 * @param owed those of one channel
 * @param standing the ids that were found in the channel
 */
export async function withoutTrace(
  owed: readonly Owed[],
  standing: ReadonlySet<string>,
  { deliveries, posts }: Pick<Store, 'deliveries' | 'posts'>,
): Promise<Owed[]> {
  const untraced: Owed[] = [];
  for (const one of owed) {
    const { deliveryId: id, announcement, matches, atMs } = one;
    if (standing.has(id) || deliveries.isPending(id) || (await deliveries.ended(id)) !== undefined) continue;
    const thing = entityKey(announcement);
    const about = (await posts.about([thing])).get(thing) ?? [];
    const isTold = about.some(
      (post) => post.channelId === matches[0]?.subscription.channelId && post.postedAtMs >= atMs,
    );
    if (!isTold) untraced.push(one);
  }
  return untraced;
}
