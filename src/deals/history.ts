import { undecidedWith } from './arrival.ts';
import { decidedNow, ENDING_SOON_MS, type OfferChange } from './change.ts';
import { type KnownOffer, soldOutSince } from './known-offer.ts';

/** A past change of an offer, reconstructed from its record. */
export interface PastChange {
  /** When the bot detected it; for changes that time alone brings, when they were due. Epoch milliseconds. */
  atMs: number;
  /** Its `known` has the prices and stock until that moment. Everything else is current, what is undecided as well. */
  change: OfferChange;
  /** False where the feed's first poll already contained it, or where nobody followed the feed at that time. */
  isNews: boolean;
}

/** The past changes of an offer, oldest first. Changes that an older version of the bot did not record are missing. */
export function historyOf(known: KnownOffer): PastChange[] {
  return [...arrivals(known), ...priceDrops(known), ...surePrices(known), ...restocks(known), ...nearEnds(known)].sort(
    (a, b) => a.atMs - b.atMs,
  );
}

function arrivals(known: KnownOffer): PastChange[] {
  return Object.entries(known.feeds).map(([feed, { firstSeenMs: atMs, isOld }]) => ({
    atMs,
    change: {
      kind: atMs === known.firstSeenMs ? 'appeared' : 'entered',
      known: asOf(known, atMs),
      feeds: [feed],
      ...decidedNow(known.arrival?.undecided ?? []),
    },
    isNews: !isOld,
  }));
}

/** The price drops. A price that comes and goes is one story, and only its first drop is listed. */
function priceDrops(known: KnownOffer): PastChange[] {
  return known.prices.flatMap((price): PastChange[] => {
    const { atMs, drop } = price;
    if (drop?.storyMs !== atMs) return [];
    const undecided = price === known.prices.at(-1) ? undecidedWith(price) : [];
    const at = { known: asOf(known, atMs), feeds: feedsAt(known, atMs), ...decidedNow(undecided) };
    return [{ atMs, change: { kind: 'price-dropped', ...at, ...drop }, isNews: true }];
  });
}

/** The prices that two answers have shown, at the time of the first, because that of the second is not kept. */
function surePrices(known: KnownOffer): PastChange[] {
  return known.prices.flatMap(({ atMs, observed, isSeenOnce }): PastChange[] => {
    if (!observed || isSeenOnce) return [];
    const feeds = atMs === known.firstSeenMs ? newFeedsAt(known, atMs) : feedsAt(known, atMs);
    const change = { kind: 'price-confirmed', known: asOf(known, atMs), feeds } as const;
    return [{ atMs, change, isNews: feeds.length > 0 }];
  });
}

function restocks(known: KnownOffer): PastChange[] {
  const stories = new Set<number>();
  return (known.stock ?? []).flatMap(({ atMs, storyMs }): PastChange[] => {
    if (storyMs === undefined || stories.has(storyMs)) return [];
    stories.add(storyMs);
    const change = { kind: 'restocked', known: asOf(known, atMs), feeds: feedsAt(known, atMs), storyMs } as const;
    return [{ atMs, change, isNews: true }];
  });
}

function nearEnds(known: KnownOffer): PastChange[] {
  const { endDateMs } = known.offer;
  if (endDateMs === null || known.endingSoonToldMs !== endDateMs) return [];
  const atMs = endDateMs - ENDING_SOON_MS;
  // The bot first saw it when its end was already near, so that no separate "ending soon" announcement was made.
  if (known.firstSeenMs >= atMs) return [];
  return [
    { atMs, change: { kind: 'ending-soon', known: asOf(known, atMs), feeds: feedsAt(known, atMs) }, isNews: true },
  ];
}

/** The feeds that listed the offer at that moment and had done so before. */
function feedsAt({ feeds }: KnownOffer, atMs: number): string[] {
  return Object.entries(feeds)
    .filter(([, { firstSeenMs, goneSinceMs }]) => firstSeenMs < atMs && (goneSinceMs === null || goneSinceMs > atMs))
    .map(([feed]) => feed);
}

/** The feeds that showed the offer first, where it was news. */
function newFeedsAt({ feeds }: KnownOffer, atMs: number): string[] {
  return Object.entries(feeds)
    .filter(([, { firstSeenMs, isOld }]) => firstSeenMs === atMs && !isOld)
    .map(([feed]) => feed);
}

function asOf(known: KnownOffer, atMs: number): KnownOffer {
  const prices = known.prices.filter((since) => since.atMs <= atMs);
  const price = prices.at(-1) ?? known.prices[0];
  const soldOutAtMs = soldOutSince(known, atMs);
  const { observed: _, ...offer } = known.offer;
  return {
    ...known,
    offer: {
      ...offer,
      salePrice: price?.salePrice ?? null,
      isSoldOut: soldOutAtMs !== null,
      ...(price?.observed && !price.isSeenOnce ? { observed: price.observed } : {}),
    },
    prices,
    soldOutAtMs,
  };
}
