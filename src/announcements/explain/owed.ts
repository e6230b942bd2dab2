import type { Announcement } from '../../deals/announcement.ts';
import { filterOf } from '../../deals/filter-of.ts';
import { personAt } from '../../deals/person.ts';
import type { Setting } from '../../deals/settings.ts';
import { resourceOf, type Subscription } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Records } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import { deliveryId, entityKey, knownAs } from '../kinds/index.ts';
import type { Match } from '../outbox/enqueue.ts';
import { type PreviewParts, preview } from './dry-run.ts';

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
  store: Records;
  offers: PreviewParts['offers'] & Pick<OfferBook, 'get'>;
  currentState: Pick<CurrentState, 'seen' | 'fateOf'>;
}

/**
 * The announcements that a channel is owed according to what is known of offers and subscriptions, whatever outbox, ledger
 * and posts say: those of the last seven days that are still worth posting. What happened before a subscription was made,
 * changed or resumed, or its offer was restated, is left out, because it is not known how things were. Rejects with a
 * StoreError.
 * @param subscriptions the channel's active ones; those of people are left out, and of those to events and the like the ones
 *   that don't take all: it is kept which were news, and not how they were then
 */
export async function owedTo(
  subscriptions: readonly Subscription[],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  parts: OwedParts,
): Promise<Owed[]> {
  const owed = new Map<string, Owed>();
  const nowMs = parts.clock.now();
  for (const subscription of subscriptions.filter((one) => isJudged(one, parts.settings))) {
    const { channelId, createdAtMs, changedAtMs = 0, resumedAtMs = 0 } = subscription;
    const sinceMs = Math.max(fromMs, createdAtMs, changedAtMs, resumedAtMs);
    const { entries } = await preview(subscription, parts);
    const news = entries.filter(({ atMs, isNews }) => isNews && atMs > sinceMs && atMs <= untilMs);
    const certain = await certainOf(news, subscription, parts);
    for (const { announcement, atMs } of certain) {
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

/** Whether it is known of what has happened that a subscription wanted it. */
function isJudged(subscription: Subscription, settings: readonly Setting[]): boolean {
  const { guildId, source } = subscription;
  if (personAt(guildId) !== null) return false;
  if (source.kind === 'feed') return true;
  const takesAll = source.kind !== 'events' || (source.sites.length === 0 && source.types.length === 0);
  return takesAll && filterOf(subscription, settings)?.canonical === '';
}

/** Those of news of which it is known that they were news, and what they were like then. Rejects with a StoreError. */
async function certainOf<N extends { announcement: Announcement; atMs: number }>(
  news: readonly N[],
  { source }: Subscription,
  { offers, store }: OwedParts,
): Promise<N[]> {
  if (source.kind === 'feed') {
    return news.filter(({ announcement: { subject }, atMs }) => atMs > (offers.get(subject)?.restatedAtMs ?? 0));
  }
  const names = news.map(({ announcement }) => knownAs(announcement));
  const known = await store.known.among(resourceOf(source), names);
  return news.filter(({ announcement }) => known.get(knownAs(announcement))?.wasNews);
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
  { deliveries, posts }: Records,
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
