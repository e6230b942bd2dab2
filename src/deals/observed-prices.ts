import { type PriceRange, percentOff } from './price.ts';
import { courseOf, isRealPrice, type PriceRun } from './price-runs.ts';

/**
 * A product's prices as they had been observed when an offer of it got its present price. They stay true for as
 * long as the price does. A range counts as its cheapest variant. US dollars, epoch milliseconds.
 */
export interface ObservedPrices {
  /** When the offer's price began. */
  atMs: number;
  /** When the product was first observed. */
  sinceMs: number;
  /** The lowest price before, and when it was last observed. */
  low: { price: number; atMs: number };
  /**
   * The moment from which on the product had not been cheaper: `sinceMs` where it never was; null where it had not been
   * dearer since either, so that its price is no low.
   */
  lowestSinceMs: number | null;
  /** The price at which it was sold half of the observed time at most; null where too little is known. */
  usual: number | null;
}

const DAY_MS = 24 * 3_600_000;
/** The prices of this long before count for the usual one. */
const USUAL_OF_MS = 365 * DAY_MS;
/**
 * How long ago the product has to have been seen first, so that its prices say something, and the least observed time
 * that makes a price usual: the shortest life of offers.
 */
const LEAST_MS = 3 * DAY_MS;

/**
 * The earlier runs of a product, summed up for a price that begins at `atMs`; undefined where the product has been
 * observed for less than three days, or the price is none. Runs from the future tell nothing.
 */
export function observedBefore(
  runs: readonly PriceRun[],
  salePrice: PriceRange | null,
  atMs: number,
): ObservedPrices | undefined {
  if (!isRealPrice(salePrice)) return undefined;
  const price = salePrice.minimum;
  const earlier = runs.flatMap((run) =>
    run.price && run.fromMs < atMs
      ? [{ fromMs: run.fromMs, untilMs: Math.min(run.untilMs, atMs), price: run.price.minimum }]
      : [],
  );
  let sinceMs = atMs;
  let low = { price: Infinity, atMs: -Infinity };
  let [lowerUntilMs, dearerUntilMs] = [-Infinity, -Infinity];
  for (const { fromMs, untilMs, price: other } of earlier) {
    sinceMs = Math.min(sinceMs, fromMs);
    if (other < low.price || (other === low.price && untilMs > low.atMs)) low = { price: other, atMs: untilMs };
    if (other < price) lowerUntilMs = Math.max(lowerUntilMs, untilMs);
    if (other > price) dearerUntilMs = Math.max(dearerUntilMs, untilMs);
  }
  if (atMs - sinceMs < LEAST_MS) return undefined;
  return {
    atMs,
    sinceMs,
    low,
    lowestSinceMs: dearerUntilMs > lowerUntilMs ? Math.max(lowerUntilMs, sinceMs) : null,
    usual: usualPrice(earlier, atMs),
  };
}

/**
 * The median of the prices in the year before `atMs`, weighted by how long each was observed; null where that is less
 * than three days.
 */
function usualPrice(
  earlier: readonly { fromMs: number; untilMs: number; price: number }[],
  atMs: number,
): number | null {
  const weighted = earlier
    .map(({ fromMs, untilMs, price }) => ({ price, ms: untilMs - Math.max(fromMs, atMs - USUAL_OF_MS) }))
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => a.price - b.price);
  const observedMs = weighted.reduce((sum, { ms }) => sum + ms, 0);
  if (observedMs < LEAST_MS) return null;
  let passedMs = 0;
  for (const { price, ms } of weighted) {
    passedMs += ms;
    if (passedMs * 2 >= observedMs) return price;
  }
  return null;
}

/** An offer with its present price, from which `observedBefore` reads. */
interface Priced {
  salePrice: PriceRange | null;
  observed?: ObservedPrices | undefined;
}

/** Whether the offer's product was never observed cheaper, but dearer. An equal earlier price is one, too. */
export function isLowestEver({ salePrice, observed }: Priced): boolean {
  if (!isRealPrice(salePrice) || !observed || observed.lowestSinceMs === null) return false;
  return salePrice.minimum <= observed.low.price;
}

/** Whether the product was always observed dearer than the offer is now. */
export function isNewLow({ salePrice, observed }: Priced): boolean {
  return isRealPrice(salePrice) && observed !== undefined && salePrice.minimum < observed.low.price;
}

/**
 * For how long before the offer's price began its product had not been cheaper, but dearer: milliseconds, Infinity where
 * it never was cheaper; null where the price is no low.
 */
export function lowestForMs(offer: Priced): number | null {
  const { observed } = offer;
  if (!observed || observed.lowestSinceMs === null) return null;
  return isLowestEver(offer) ? Number.POSITIVE_INFINITY : observed.atMs - observed.lowestSinceMs;
}

/**
 * By how many percent the offer is above the lowest price ever observed, its own included: whole percent, rounded up; 0
 * at the low, null where nothing is known or no other price was ever observed.
 */
export function percentAboveLow({ salePrice, observed }: Priced): number | null {
  if (!isRealPrice(salePrice) || !observed) return null;
  // Binary floating-point numbers only approximate decimal prices.
  const above = Math.max(0, Math.ceil((salePrice.minimum / observed.low.price - 1) * 100 - 1e-9));
  return above === 0 && observed.lowestSinceMs === null ? null : above;
}

/**
 * The discount against the usual price, in whole percent, rounded down; 0 where it is not cheaper, null where the usual
 * price is not known.
 */
export function realDiscount({ salePrice, observed }: Priced): number | null {
  if (!isRealPrice(salePrice) || !observed || observed.usual === null) return null;
  return Math.max(0, percentOff(salePrice.minimum, observed.usual));
}

/** The least real discount, in percent, that looks like a mistake where the product was never nearly as cheap. */
const SLIP_PERCENT = 70;
/** The most percent of the former low that such a price is. */
const SLIP_OF_LOW_PERCENT = 50;

/** Whether the price may be a slip: far below the usual price, and half of the lowest one at most. */
export function isLikelySlip(offer: Priced): boolean {
  const { salePrice, observed } = offer;
  if (!isRealPrice(salePrice) || !observed) return false;
  return (
    (realDiscount(offer) ?? 0) >= SLIP_PERCENT && salePrice.minimum * 100 <= observed.low.price * SLIP_OF_LOW_PERCENT
  );
}

/** A price, and a period in which a product had it. */
export interface Stretch {
  /** US dollars; of a range the cheapest variant. */
  price: number;
  fromMs: number;
  untilMs: number;
}

/** A product's observed prices, as people see them. Epoch milliseconds. */
export interface PriceHistory {
  /** Without overlaps, oldest first; null stands for sold out. Where two do not touch, nothing is known between them. */
  course: readonly PriceRun[];
  sinceMs: number;
  /** When it was last observed. */
  untilMs: number;
  /** The latest stretch at the lowest price, and at the highest. */
  low: Stretch;
  high: Stretch;
  /** The latest stretch with a price. */
  last: Stretch;
  /** Since when it is sold out; null where it was last seen with a price. */
  soldOutSinceMs: number | null;
  /** null where too little is known. */
  usual: number | null;
}

/** The history of a product from all its runs; null where no price was ever observed. Runs of the future are left out. */
export function priceHistory(runs: readonly PriceRun[], nowMs: number): PriceHistory | null {
  const course = courseOf(
    runs.filter(({ fromMs }) => fromMs <= nowMs).map((run) => ({ ...run, untilMs: Math.min(run.untilMs, nowMs) })),
  );
  const stretches = course.flatMap(({ price, fromMs, untilMs }) =>
    price ? [{ price: price.minimum, fromMs, untilMs }] : [],
  );
  const [first, latest, last] = [course[0], course.at(-1), stretches.at(-1)];
  if (!first || !latest || !last) return null;
  return {
    course,
    sinceMs: first.fromMs,
    untilMs: latest.untilMs,
    low: stretches.reduce((best, stretch) => (stretch.price <= best.price ? stretch : best)),
    high: stretches.reduce((best, stretch) => (stretch.price >= best.price ? stretch : best)),
    last,
    soldOutSinceMs: latest.price ? null : latest.fromMs,
    usual: usualPrice(stretches, nowMs),
  };
}
