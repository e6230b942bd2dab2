import type { FeedName } from '../../packages/catalog-service/src/index.ts';
import { isAstonishing } from '../../src/deals/feed-presence.ts';
import { feedKey, isGone, isInFeed, type KnownOffer } from '../../src/deals/known-offer.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import type { FeedAnswer } from './bot.ts';

type What = 'back in stock' | 'gone from a feed';

/** A change that one answer of a feed has shown, and that is not believed yet. */
interface Pending {
  what: What;
  feed: FeedName;
  id: string;
  sinceMs: number;
  /** The answers of the feed that have shown it, one after the other. */
  answers: number;
  /** The time between the feed's answer before and the one that showed it first. */
  intervalMs: number;
  /** Whether the offer itself has said so since. */
  wasAsked: boolean;
}

/**
 * Measures the time between the first answer that shows a change which needs a second one, and the moment from which on it is
 * believed, and judges that this is at the feed's next answer at the latest, or once the offer itself is asked. Changes that are true
 * count.
 */
export function createConfirmations(knownOf: (id: string) => KnownOffer | undefined) {
  const pending = new Map<string, Pending>();
  const answeredMs = new Map<FeedName, number>();
  const believed: (Pending & { afterMs: number })[] = [];
  const problems: string[] = [];

  function show(what: What, id: string, feed: FeedName, nowMs: number): void {
    const key = `${what} ${feed} ${id}`;
    const one = pending.get(key);
    if (one) one.answers += 1;
    else {
      const intervalMs = nowMs - (answeredMs.get(feed) ?? nowMs);
      pending.set(key, { what, feed, id, sinceMs: nowMs, answers: 1, intervalMs, wasAsked: false });
    }
  }

  /** Whether the feed, as the bot knows it, has called the offer sold out in its last answer. */
  function hasCalledSoldOut({ offer, dissents, feeds }: KnownOffer, feed: string): boolean {
    return offer.isSoldOut && feeds[feed]?.goneSinceMs === null && dissents?.[feed]?.['isSoldOut'] === undefined;
  }

  /** Whether it is believed by now; null where that can't be told any more, as the offer is over by time alone. */
  function isBelieved({ what, feed, id }: Pending, nowMs: number): boolean | null {
    const known = knownOf(id);
    if (!known) return null;
    if (what === 'back in stock') return !known.offer.isSoldOut;
    return !isInFeed(known, feedKey(feed)) || (isGone(known, nowMs) ? null : false);
  }

  return {
    /**
     * Takes an answer that the bot is about to read.
     * @param live the bot's records of the offers that it thinks are in the feed
     * @param isThere whether the feed holds an offer, whatever the answer shows
     */
    answer(
      feed: FeedName,
      { offers, unreadable, nameless, isCutOff }: FeedAnswer,
      { live, isThere }: { live: readonly KnownOffer[]; isThere: (id: string) => boolean },
      nowMs: number,
    ): void {
      const key = feedKey(feed);
      for (const { id, isSoldOut } of offers) {
        const known = knownOf(id);
        pending.delete(`gone from a feed ${feed} ${id}`);
        if (isSoldOut) pending.delete(`back in stock ${feed} ${id}`);
        else if (pending.has(`back in stock ${feed} ${id}`) || (known && hasCalledSoldOut(known, key)))
          show('back in stock', id, feed, nowMs);
      }
      const shown = new Set(offers.map(({ id }) => id));
      // What is cut off, or lacks half of the feed, proves nothing, and an item without an id may be any offer.
      const lacked = live.filter(({ offer }) => !shown.has(offer.id) && !unreadable.has(offer.id));
      const isProof = !isCutOff && nameless === 0 && !isAstonishing({ missing: lacked.length, live: live.length });
      for (const { offer } of isProof ? lacked : []) {
        if (!isThere(offer.id)) show('gone from a feed', offer.id, feed, nowMs);
      }
      answeredMs.set(feed, nowMs);
    },
    /** Takes it that these offers have said of themselves that they are in stock. */
    ask(inStock: ReadonlySet<string>): void {
      for (const one of pending.values()) one.wasAsked ||= one.what === 'back in stock' && inStock.has(one.id);
    },
    /** Sees what is believed after the bot has worked. */
    pass(nowMs: number): void {
      for (const [key, one] of pending) {
        const isSo = isBelieved(one, nowMs);
        if (isSo === false && one.answers < 2 && !one.wasAsked) continue;
        if (isSo === false) {
          const by = one.wasAsked ? 'has said so itself' : 'two answers have shown it';
          problems.push(`${one.id} is not believed to be ${one.what} (${one.feed}), although ${by}.`);
        }
        if (isSo) believed.push({ ...one, afterMs: nowMs - one.sinceMs });
        pending.delete(key);
      }
    },
    summary(): string[] {
      return (['back in stock', 'gone from a feed'] as const).map((what) => {
        const all = believed.filter((one) => one.what === what);
        const delays = spread(all.map(({ afterMs }) => afterMs));
        const intervals = spread(all.map(({ intervalMs }) => intervalMs));
        const byRequest = all.filter(({ answers, wasAsked }) => answers < 2 && wasAsked).length;
        const answers = Math.max(0, ...all.map((one) => one.answers));
        return `${all.length} times ${what}, believed ${delays} after the first answer: at the latest at answer ${answers} that showed it, ${byRequest} times by one request. The feed's answers before were ${intervals} apart.`;
      });
    },
    problems: () => [
      ...problems,
      ...(['back in stock', 'gone from a feed'] as const)
        .filter((what) => !believed.some((one) => one.what === what))
        .map((what) => `Nothing was ever believed to be ${what}.`),
    ],
  };
}

/** The median and the most of some times. */
function spread(some: readonly number[]): string {
  const sorted = some.toSorted((a, b) => a - b);
  const minutes = (ms = 0) => Math.round(ms / MINUTE_MS);
  return `${minutes(sorted[Math.floor(sorted.length / 2)])} minutes at the median and ${minutes(sorted.at(-1))} at most`;
}
