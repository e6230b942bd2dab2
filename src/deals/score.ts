import { DAY_MS } from '../shared/time.ts';
import { lowestForMs, realDiscount } from './observed-prices.ts';
import type { Offer } from './offer.ts';
import { discountOf } from './price.ts';

type Priced = Pick<Offer, 'salePrice' | 'observed'>;
type Scored = Priced & Pick<Offer, 'listPrice' | 'isFeatured'>;

/** From this long on a low counts. */
const LONG_LOW_MS = 90 * DAY_MS;

/** What is worth as much as this many percent less than the usual price. */
const WORTH = {
  /** The lowest price that was ever observed. */
  lowestEver: 20,
  /** The lowest price in 90 days. */
  longLow: 10,
  /** Almost gone, or selling out at once; less the longer that takes, and nothing from a day on. */
  sellingOut: 15,
  /** The catalog points at it. */
  featured: 5,
} as const;
/** What the list price says is no evidence: each percent off it counts as half a percent off the usual price. */
const LIST_SHARE = 1 / 2;

/** What is good about a deal. */
export interface ScorePart {
  of: 'usual' | 'list' | keyof typeof WORTH;
  points: number;
}

/** How good a deal is among others. */
export interface Score {
  /** Percent off the usual price, and what is worth as much. */
  points: number;
  /** When it began: epoch milliseconds; null where that is not known. */
  startDateMs: number | null;
}

/** How an offer sells, as far as that is known. */
export interface Sales {
  isAlmostGone: boolean;
  /** When it will have sold out at its present pace: epoch milliseconds; null where that can't be said. */
  sellsOutAtMs: number | null;
}

const NOT_KNOWN: Sales = { isAlmostGone: false, sellsOutAtMs: null };

/**
 * How good an offer is: by its discount against what it usually costs, by how low its price is among those observed, by how
 * fast it sells, and by whether the catalog features it. Only what was observed counts in full.
 * @param sales absent where the order has to last: how an offer sells changes from hour to hour
 */
export function scoreOf(offer: Scored & Pick<Offer, 'startDateMs'>, sales?: Sales, nowMs = 0): Score {
  const points = scoreParts(offer, sales, nowMs).reduce((sum, part) => sum + part.points, 0);
  return { points, startDateMs: offer.startDateMs };
}

/** What an offer's points are for, its discount first. Parameters as for `scoreOf`. */
export function scoreParts(offer: Scored, sales = NOT_KNOWN, nowMs = 0): ScorePart[] {
  const parts: (ScorePart | null)[] = [
    partOfDiscount(offer),
    partOfLow(offer),
    { of: 'sellingOut', points: worthOfSales(sales, nowMs) },
    { of: 'featured', points: offer.isFeatured ? WORTH.featured : 0 },
  ];
  return parts.flatMap((part) => (part && part.points > 0 ? [part] : []));
}

function partOfDiscount(offer: Scored): ScorePart {
  const real = realDiscount(offer);
  if (real !== null) return { of: 'usual', points: real };
  return { of: 'list', points: (discountOf(offer.salePrice, offer.listPrice)?.minimum ?? 0) * LIST_SHARE };
}

/** Of a product that was first seen some days ago, the lowest price ever says little. */
function partOfLow(offer: Priced): ScorePart | null {
  const forMs = lowestForMs(offer);
  if (forMs === null || !offer.observed) return null;
  const isEver = forMs === Number.POSITIVE_INFINITY;
  const knownMs = isEver ? offer.observed.atMs - offer.observed.sinceMs : forMs;
  if (knownMs < LONG_LOW_MS) return null;
  const of = isEver ? 'lowestEver' : 'longLow';
  return { of, points: WORTH[of] };
}

function worthOfSales({ isAlmostGone, sellsOutAtMs }: Sales, nowMs: number): number {
  if (isAlmostGone) return WORTH.sellingOut;
  if (sellsOutAtMs === null) return 0;
  const leftMs = Math.max(0, sellsOutAtMs - nowMs);
  return WORTH.sellingOut * Math.max(0, 1 - leftMs / DAY_MS);
}

/** Orders scores, the best first: of two that are as good the newer one. */
export function byScore(one: Score, other: Score): number {
  return other.points - one.points || newness(other) - newness(one);
}

function newness({ startDateMs }: Score): number {
  return startDateMs ?? 0;
}
