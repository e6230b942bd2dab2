import type { AnnouncementKind } from '../../src/bot/deals/announcement.ts';
import type { Offer } from '../../src/bot/deals/offer.ts';
import type { FeedName } from '../../src/catalog-service/content.ts';
import type { FeedAnswer } from './bot.ts';
import { type Follower, productOf } from './crowd.ts';
import type { WallClocks } from './wall-clocks.ts';

/** A post that has to come: the changes that one poll found in one offer, for one channel. */
export interface Expected {
  channelId: string;
  offerId: string;
  /** The moment of the poll, and the first moment of a post if no clock is set meanwhile: by the right time. */
  foundAtMs: number;
  dueAtMs: number;
  /** It may come, and need not. */
  isOptional: boolean;
  /** Somebody there watches the product. */
  isWatched: boolean;
}

/** A moment by the right time, and by the bot's clock. */
export interface Moment {
  trueMs: number;
  botMs: number;
}

/**
 * The posts that have to be made, computed from nothing but the catalog's answers and their times: written again, plainly, from what is
 * promised to people, without the bot's own detection, matching, timing or records.
 */
export interface Oracle {
  look(feed: FeedName, answer: FeedAnswer, now: Moment): void;
  /** Time alone: whatever ends soon. */
  pass(now: Moment): void;
  expected: readonly Expected[];
  /** The moment from which an offer is known to be over, by the right time; Infinity while it is not. */
  overFromMs(offerId: string): number;
  /** Whether it may be said that an offer is over, by the bot's clock. */
  mayBeOver(offerId: string, now: Moment): boolean;
}

interface Seen {
  offer: Offer;
  /** The feeds that have shown it, and how many whole answers it has been missing from since. */
  feeds: Map<FeedName, number>;
  /**
   * How many whole answers of each have come without it since it was last shown, those included in which it was hidden: a
   * feed that is cut off in between tells nothing, so two that were wrong may follow each other.
   */
  lacking: Map<FeedName, number>;
  /** The moment from which it is over, by the right time. */
  overFromMs: number;
  endTold: number | null;
}

interface News {
  kind: AnnouncementKind;
  /** Identifies an announcement that comes only once. */
  key: string;
  feeds: readonly FeedName[];
  /** Percent by which it is cheaper. */
  percent: number;
  isOptional: boolean;
  /** Whether it concerns those who watch the product, whatever the feed. */
  isOfProduct: boolean;
}

/** One answer without an offer may be wrong. In the time until it is gone, news of it may be told and need not. */
const GONE_AFTER_MISSES = 2;

const ENDING_SOON_MS = 3 * 3_600_000;

/** The other feeds that hold an offer, and those that may: it was missing from their last answer. */
function seeAgain(one: Seen, feed: FeedName): { held: FeedName[]; doubtful: FeedName[] } {
  const { feeds } = one;
  const others = [...feeds].filter(([other, missed]) => other !== feed && missed < GONE_AFTER_MISSES);
  const isHeld = ([name, missed]: [FeedName, number]) => missed === 0 && !isLackedTwice(one, name);
  return {
    held: [...(feeds.has(feed) ? [feed] : []), ...others.filter(isHeld).map(([name]) => name)],
    doubtful: others.filter((other) => !isHeld(other)).map(([name]) => name),
  };
}

/** Whether two whole answers of a feed have come without it, rightly or not: then it may be taken to be gone there. */
function isLackedTwice({ lacking }: Seen, feed: FeedName): boolean {
  return (lacking.get(feed) ?? 0) >= GONE_AFTER_MISSES;
}

/** Makes of news what has to be posted where. */
function createTeller(followers: readonly Follower[], clocks: WallClocks) {
  const told = new Set<string>();
  const expected: Expected[] = [];
  const byFeed = new Map<FeedName, Follower[]>();
  const byProduct = new Map<string, Follower[]>();
  for (const follower of followers) {
    const { feed, product } = follower;
    if (product === null) byFeed.set(feed, [...(byFeed.get(feed) ?? []), follower]);
    else byProduct.set(product, [...(byProduct.get(product) ?? []), follower]);
  }

  function tell(offer: Offer, news: readonly News[], { trueMs, botMs }: Moment): void {
    const due = new Map<string, Expected>();
    for (const { kind, key, feeds, percent, isOptional, isOfProduct } of news) {
      const fresh = new Set<string>();
      const ofProduct = isOfProduct ? byProduct.get(productOf(offer)) : undefined;
      for (const concerned of [...feeds.map((feed) => byFeed.get(feed)), ofProduct]) {
        for (const { subscription, wants } of concerned ?? []) {
          const { channelId, kinds, priceDropPercent, timing } = subscription;
          const once = `${channelId} ${key}`;
          if (!kinds.includes(kind) || (told.has(once) && !fresh.has(once))) continue;
          if (kind === 'price-drop' && percent < priceDropPercent - 1e-9) continue;
          if (!wants(offer, botMs)) continue;
          told.add(once);
          fresh.add(once);
          const before = due.get(channelId);
          const dueAtMs = trueMs + clocks.dueAtMs(timing, botMs) - botMs;
          due.set(channelId, {
            channelId,
            offerId: offer.id,
            foundAtMs: trueMs,
            dueAtMs: Math.min(before?.dueAtMs ?? Infinity, dueAtMs),
            isOptional: isOptional && before?.isOptional !== false,
            isWatched: before?.isWatched === true || subscription.watch?.product != null,
          });
        }
      }
    }
    expected.push(...due.values());
  }

  return { expected, tell };
}

/** The product has to have been seen for so long before a price of it can be a low. */
const LOW_AFTER_MS = 3 * 24 * 3_600_000;

/** The prices at which each product was seen. */
function createLows() {
  const seen = new Map<string, { atMs: number; price: number }[]>();
  return {
    /** Notes a price where it is new or can be paid again. True where the product had always cost more, for long enough. */
    note(offer: Offer, before: { price: Offer['salePrice']; isSoldOut: boolean } | null, atMs: number): boolean {
      const { salePrice, isSoldOut } = offer;
      const prices = seen.get(productOf(offer)) ?? [];
      const isSame = before !== null && !before.isSoldOut && before.price?.minimum === salePrice?.minimum;
      if (isSoldOut || isSame || !salePrice) return false;
      seen.set(productOf(offer), [...prices, { atMs, price: salePrice.minimum }]);
      const earlier = prices.filter((one) => one.atMs < atMs);
      const sinceMs = Math.min(...earlier.map((one) => one.atMs));
      return atMs - sinceMs >= LOW_AFTER_MS && earlier.every(({ price }) => salePrice.minimum < price);
    },
  };
}

export function createOracle(followers: readonly Follower[], clocks: WallClocks): Oracle {
  const seen = new Map<string, Seen>();
  const read = new Set<FeedName>();
  const lows = createLows();
  const { expected, tell } = createTeller(followers, clocks);

  const isOver = ({ isSoldOut, endDateMs }: Offer, nowMs: number) =>
    isSoldOut || (endDateMs !== null && endDateMs <= nowMs);

  return {
    expected,
    overFromMs(offerId) {
      const one = seen.get(offerId);
      return one ? Math.min(one.overFromMs, one.offer.endDateMs ?? Infinity) : Infinity;
    },
    mayBeOver(offerId, { trueMs, botMs }) {
      const one = seen.get(offerId);
      return !one || one.overFromMs <= trueMs || (one.offer.endDateMs ?? Infinity) <= botMs;
    },
    look(feed, { offers, hidden, isBroken, isCutOff }, now) {
      const { trueMs, botMs } = now;
      const shown = new Set(offers.map(({ id }) => id));
      for (const [id, one] of seen) {
        const missed = one.feeds.get(feed);
        if (isCutOff || shown.has(id) || missed === undefined) continue;
        if (!hidden.has(id) || !isBroken) one.lacking.set(feed, (one.lacking.get(feed) ?? 0) + 1);
        if ([...one.feeds.keys()].every((name) => isLackedTwice(one, name)))
          one.overFromMs = Math.min(one.overFromMs, trueMs);
        if (hidden.has(id)) continue;
        one.feeds.set(feed, missed + 1);
        if (![...one.feeds.values()].includes(0)) one.overFromMs = Math.min(one.overFromMs, trueMs);
      }
      for (const offer of offers) {
        const before = seen.get(offer.id);
        const one: Seen = before ?? {
          offer,
          feeds: new Map(),
          lacking: new Map(),
          overFromMs: Infinity,
          endTold: null,
        };
        const [was, is] = [one.offer.salePrice, offer.salePrice];
        const wasSoldOut = one.offer.isSoldOut;
        const isNew = !one.feeds.has(feed) && read.has(feed);
        const { held, doubtful } = seeAgain(one, feed);
        const isLow = lows.note(offer, before ? { price: was, isSoldOut: wasSoldOut } : null, botMs);
        one.offer = offer;
        one.feeds.set(feed, 0);
        one.lacking.delete(feed);
        one.overFromMs = isOver(offer, botMs) ? Math.min(one.overFromMs, trueMs) : Infinity;
        if (!before && offer.endDateMs !== null && offer.endDateMs - botMs <= ENDING_SOON_MS)
          one.endTold = offer.endDateMs;
        seen.set(offer.id, one);
        if (isOver(offer, botMs)) continue;
        const news: News[] = [];
        const add = (kind: AnnouncementKind, key: string, percent = 0) => {
          const said = { kind, key: `${offer.id} ${key}`, percent };
          news.push({ ...said, feeds: held, isOptional: false, isOfProduct: true });
          news.push({ ...said, feeds: doubtful, isOptional: true, isOfProduct: false });
        };
        if (isNew) {
          const said = { kind: 'new-offer', key: `${offer.id} new`, percent: 0, isOptional: false } as const;
          news.push({ ...said, feeds: [feed], isOfProduct: !before });
        }
        if (isLow && (before ? was && is && is.minimum < was.minimum : isNew))
          add('all-time-low', `low ${is?.minimum}`);
        if (before && wasSoldOut) add('restocked', `back ${trueMs}`);
        if (before && was && is && is.minimum < was.minimum) {
          add('price-drop', `${was.minimum} ${is.minimum}`, (100 * (was.minimum - is.minimum)) / was.minimum);
        }
        tell(offer, news, now);
      }
      read.add(feed);
    },
    pass(now) {
      const { trueMs, botMs } = now;
      for (const one of seen.values()) {
        const { offer, feeds, overFromMs, endTold } = one;
        const end = offer.endDateMs;
        if (end === null || end <= botMs || end - botMs > ENDING_SOON_MS || endTold === end || offer.isSoldOut)
          continue;
        const held = [...feeds].filter(([, missed]) => missed < GONE_AFTER_MISSES);
        if (held.length === 0) continue;
        one.endTold = end;
        const isOptional = overFromMs <= trueMs;
        const key = `${offer.id} ends ${end}`;
        const parts = (isMissed: boolean) =>
          held.filter(([feed, missed]) => (missed > 0 || isLackedTwice(one, feed)) === isMissed).map(([feed]) => feed);
        const kind = 'ending-soon';
        const news = [
          { kind, key, feeds: parts(false), percent: 0, isOptional, isOfProduct: true },
          { kind, key, feeds: parts(true), percent: 0, isOptional: true, isOfProduct: false },
        ] as const;
        tell(offer, news, now);
      }
    },
  };
}
