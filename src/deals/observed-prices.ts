import { DAY_MS } from '../shared/time.ts';
import { type PriceRange, percentOff } from './price.ts';
import { courseOf, isRealPrice, type PriceRun, runUntil } from './price-runs.ts';

/**
 * A product's prices as they had been observed when an offer of it got its present price, and what has been observed
 * since that takes from it. A range counts as its cheapest variant. US dollars, epoch milliseconds.
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
  /**
   * The moment, not before `lowestSinceMs`, from which on the product was seen on four fifths of the days. Absent where the
   * price is no low, and where nobody knows.
   */
  seenSinceMs?: number;
  /** The lowest price below the offer's own at which the product was seen since; absent where it never was. */
  beatenBy?: { price: number; atMs: number };
  /** The price at which it was sold half of the observed time at most; null where too little is known. */
  usual: number | null;
  /** When the offer's own price becomes the usual one, if it lasts; absent where the usual one is not dearer. */
  usualUntilMs?: number;
}

/** The prices of this long before count for the usual one. */
const USUAL_OF_MS = 365 * DAY_MS;
/**
 * How long ago the product has to have been seen first, so that its prices say something, and the least observed time
 * that makes a price usual: the shortest life of offers.
 */
const LEAST_MS = 3 * DAY_MS;

/** The part of the days on which a product has to have been seen, so that something is said of all of them. */
const LEAST_SEEN = 4 / 5;

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
  const course = courseOf(runs.flatMap((run) => runUntil(run, atMs)));
  const earlier = stretchesOf(course);
  let low = { price: Infinity, atMs: -Infinity };
  let [lowerUntilMs, dearerUntilMs] = [-Infinity, -Infinity];
  for (const { untilMs, price: other } of earlier) {
    if (other <= low.price) low = { price: other, atMs: untilMs };
    if (other < price) lowerUntilMs = untilMs;
    if (other > price) dearerUntilMs = untilMs;
  }
  const sinceMs = earlier[0]?.fromMs ?? atMs;
  if (atMs - sinceMs < LEAST_MS) return undefined;
  const lowestSinceMs = dearerUntilMs > lowerUntilMs ? Math.max(lowerUntilMs, sinceMs) : null;
  const usual = usualPrice(earlier, atMs);
  return {
    atMs,
    sinceMs,
    low,
    lowestSinceMs,
    ...(lowestSinceMs === null ? {} : { seenSinceMs: seenSince(course, lowestSinceMs, atMs) }),
    usual,
    ...(usual !== null && usual > price ? { usualUntilMs: usualUntilMs(earlier, price, atMs) } : {}),
  };
}

/** The earliest moment, not before `sinceMs`, from which on the product was seen on enough days until `atMs`. */
function seenSince(course: readonly PriceRun[], sinceMs: number, atMs: number): number {
  const days = Math.ceil((atMs - sinceMs) / DAY_MS);
  // The last day is seen at its end, when the price begins.
  const isSeen = Array.from({ length: days }, (_, day) => day === 0);
  for (const { fromMs, untilMs } of course) {
    const latest = Math.floor((atMs - untilMs) / DAY_MS);
    isSeen.fill(true, latest, Math.max(latest + 1, Math.ceil((atMs - fromMs) / DAY_MS)));
  }
  let [seen, enough] = [0, 1];
  for (const [index, isSeenThen] of isSeen.entries()) {
    seen += isSeenThen ? 1 : 0;
    if (seen >= (index + 1) * LEAST_SEEN) enough = index + 1;
  }
  return enough === days ? sinceMs : atMs - enough * DAY_MS;
}

/**
 * What is left of what was observed once more is known of the product: runs of another listing, also such as were
 * not known to be its own. Nothing that it says is more than before; the same object where nothing is less.
 */
export function weakened(
  observed: ObservedPrices,
  salePrice: PriceRange | null,
  runs: readonly PriceRun[],
): ObservedPrices {
  if (!isRealPrice(salePrice)) return observed;
  const own = salePrice.minimum;
  return runs.reduce((left, { price, fromMs, untilMs }) => {
    if (!price || price.minimum >= own) return left;
    return beatenSince(beatenBefore(left, price.minimum, fromMs, untilMs), price.minimum, fromMs, untilMs);
  }, observed);
}

/** With a lower price that was there before the offer's own began. */
function beatenBefore(observed: ObservedPrices, price: number, fromMs: number, untilMs: number): ObservedPrices {
  const { atMs, low, lowestSinceMs } = observed;
  const lastMs = Math.min(untilMs, atMs);
  if (fromMs >= atMs || (price >= low.price && (lowestSinceMs === null || lastMs <= lowestSinceMs))) return observed;
  const { seenSinceMs: _, ...rest } = observed;
  // Whether it was dearer after that, is not known any more.
  return { ...rest, low: price < low.price ? { price, atMs: lastMs } : low, lowestSinceMs: null };
}

/** With a lower price that was there after the offer's own had begun. */
function beatenSince(observed: ObservedPrices, price: number, fromMs: number, untilMs: number): ObservedPrices {
  const { atMs, beatenBy } = observed;
  if (untilMs < atMs || (beatenBy && beatenBy.price <= price)) return observed;
  return { ...observed, beatenBy: { price, atMs: Math.max(fromMs, atMs) } };
}

/**
 * The median of the prices in the year before `atMs`, weighted by how long each was the product's: of several listings the
 * cheapest counts. null where that is less than three days.
 */
function usualPrice(earlier: readonly Stretch[], atMs: number): number | null {
  const weighted = weightsOf(earlier, atMs);
  const observedMs = sumOf(weighted);
  if (observedMs < LEAST_MS) return null;
  let passedMs = 0;
  for (const { price, ms } of weighted) {
    passedMs += ms;
    if (passedMs * 2 >= observedMs) return price;
  }
  return null;
}

/** When a price that begins at `atMs` is the median, if it lasts: once it and what is cheaper make half of the time. */
function usualUntilMs(earlier: readonly Stretch[], price: number, atMs: number): number {
  const weighted = weightsOf(earlier, atMs);
  return atMs + sumOf(weighted) - 2 * sumOf(weighted.filter((other) => other.price <= price));
}

/** How long each price was the product's in the year before `atMs`, the cheapest first. */
function weightsOf(earlier: readonly Stretch[], atMs: number): { price: number; ms: number }[] {
  return earlier
    .map(({ fromMs, untilMs, price }) => ({ price, ms: untilMs - Math.max(fromMs, atMs - USUAL_OF_MS) }))
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => a.price - b.price);
}

function sumOf(weighted: readonly { ms: number }[]): number {
  return weighted.reduce((sum, { ms }) => sum + ms, 0);
}

/** The observed prices, with the offer's own as the usual one once it is that; the same object before. */
export function withOwnUsual(observed: ObservedPrices, salePrice: PriceRange | null, nowMs: number): ObservedPrices {
  const { usualUntilMs: untilMs = Number.POSITIVE_INFINITY, ...rest } = observed;
  return isRealPrice(salePrice) && untilMs <= nowMs ? { ...rest, usual: salePrice.minimum } : observed;
}

/** An offer with its present price, from which `observedBefore` reads. */
interface Priced {
  salePrice: PriceRange | null;
  observed?: ObservedPrices | undefined;
}

/** What may be said of a price that is a low. */
export interface Low {
  /** The moment since which its product has not been seen cheaper, but dearer. */
  sinceMs: number;
  /** Whether it never was. */
  isEver: boolean;
  /** Whether the product was seen on too few of the days since then, or nobody knows on how many. */
  hasGaps: boolean;
}

/**
 * What may be said of the offer's price now: null where its product was cheaper in the meantime, or not dearer before. An
 * equal earlier price takes nothing from it.
 */
export function lowOf({ salePrice, observed }: Priced): Low | null {
  if (!isRealPrice(salePrice) || !observed || observed.beatenBy || observed.lowestSinceMs === null) return null;
  const { lowestSinceMs: sinceMs, seenSinceMs = Infinity } = observed;
  return { sinceMs, isEver: salePrice.minimum <= observed.low.price, hasGaps: seenSinceMs > sinceMs };
}

/** Whether the offer's product was never observed cheaper, but dearer. */
function isLowestEver(offer: Priced): boolean {
  return lowOf(offer)?.isEver === true;
}

/** Whether the product was always observed dearer than the offer is now. */
export function isNewLow(offer: Priced): boolean {
  return isLowestEver(offer) && (offer.salePrice?.minimum ?? Infinity) < (offer.observed?.low.price ?? -Infinity);
}

/**
 * For how long before the offer's price began its product was seen on enough days, and not cheaper: milliseconds, Infinity
 * where it never was cheaper and that time is all; null where the price is no low.
 */
export function lowestForMs(offer: Priced): number | null {
  const { observed } = offer;
  const low = lowOf(offer);
  if (!observed || !low) return null;
  if (low.isEver && !low.hasGaps) return Number.POSITIVE_INFINITY;
  return observed.seenSinceMs === undefined ? null : observed.atMs - observed.seenSinceMs;
}

/** The lowest price at which the product was ever observed, apart from the offer's own. */
export function lowestPriceOf({ low, beatenBy }: ObservedPrices): number {
  return Math.min(low.price, beatenBy?.price ?? Infinity);
}

/**
 * By how many percent the offer is above the lowest price ever observed, its own included: whole percent, rounded up; 0
 * at the low, null where nothing is known or no other price was ever observed.
 */
export function percentAboveLow({ salePrice, observed }: Priced): number | null {
  if (!isRealPrice(salePrice) || !observed) return null;
  // Binary floating-point numbers only approximate decimal prices.
  const above = Math.max(0, Math.ceil((salePrice.minimum / lowestPriceOf(observed) - 1) * 100 - 1e-9));
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
  const isFarBelowLow = salePrice.minimum * 100 <= lowestPriceOf(observed) * SLIP_OF_LOW_PERCENT;
  return isFarBelowLow && (realDiscount(offer) ?? 0) >= SLIP_PERCENT;
}

/** A price, and a period in which a product had it. */
export interface Stretch {
  /** US dollars; of a range the cheapest variant. */
  price: number;
  fromMs: number;
  untilMs: number;
}

/** The parts of a course that have a price. */
function stretchesOf(course: readonly PriceRun[]): Stretch[] {
  return course.flatMap(({ price, fromMs, untilMs }) => (price ? [{ price: price.minimum, fromMs, untilMs }] : []));
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
  /** Whether that is what it costs now. */
  isCurrent: boolean;
  /** Since when it is sold out; null where it was last seen with a price. */
  soldOutSinceMs: number | null;
  /** null where too little is known. */
  usual: number | null;
}

/**
 * The history of a product from all its runs; null where no price was ever observed. Runs of the future are left out.
 * @param isListed whether a listing can be bought at the price that was observed last
 */
export function priceHistory(runs: readonly PriceRun[], nowMs: number, isListed: boolean): PriceHistory | null {
  const course = courseOf(
    runs.filter(({ fromMs }) => fromMs <= nowMs).map((run) => ({ ...run, untilMs: Math.min(run.untilMs, nowMs) })),
  );
  const stretches = stretchesOf(course);
  const [first, latest, last] = [course[0], course.at(-1), stretches.at(-1)];
  if (!first || !latest || !last) return null;
  return {
    course,
    sinceMs: first.fromMs,
    untilMs: latest.untilMs,
    low: stretches.reduce((best, stretch) => (stretch.price <= best.price ? stretch : best)),
    high: stretches.reduce((best, stretch) => (stretch.price >= best.price ? stretch : best)),
    last,
    isCurrent: isListed && latest.price !== null,
    soldOutSinceMs: latest.price ? null : latest.fromMs,
    usual: usualPrice(stretches, nowMs),
  };
}
