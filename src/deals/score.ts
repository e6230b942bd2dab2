import { DAY_MS } from '../shared/time.ts';
import { lowestForMs, realDiscount } from './observed-prices.ts';
import type { Offer } from './offer.ts';
import { discountOf } from './price.ts';

type Priced = Pick<Offer, 'salePrice' | 'observed'>;

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
} as const;
/** What the list price says is no evidence: each percent off it counts as half a percent off the usual price. */
const LIST_SHARE = 1 / 2;

/** How good a deal is among others that wait for a place. */
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

/**
 * How good an offer is: by its discount against what it usually costs, by how low its price is among those observed, and
 * by how fast it sells. Only what was observed counts in full.
 */
export function scoreOf(offer: Priced & Pick<Offer, 'listPrice' | 'startDateMs'>, sales: Sales, nowMs: number): Score {
  const off = realDiscount(offer) ?? (discountOf(offer.salePrice, offer.listPrice)?.minimum ?? 0) * LIST_SHARE;
  return { points: off + worthOfLow(offer) + worthOfSales(sales, nowMs), startDateMs: offer.startDateMs };
}

/** Of a product that was first seen some days ago, the lowest price ever says little. */
function worthOfLow(offer: Priced): number {
  const forMs = lowestForMs(offer);
  if (forMs === null || !offer.observed) return 0;
  const isEver = forMs === Number.POSITIVE_INFINITY;
  const knownMs = isEver ? offer.observed.atMs - offer.observed.sinceMs : forMs;
  if (knownMs < LONG_LOW_MS) return 0;
  return isEver ? WORTH.lowestEver : WORTH.longLow;
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
