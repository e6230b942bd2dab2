import { createRandom } from '../random.ts';
import { CATEGORIES, type Category, ELECTRONICS, HOME } from './categories.ts';
import { createListing, type Listing } from './listing.ts';
import type { Pace } from './pace.ts';

/** About this many offers are featured at a time. */
const FEATURED = 9;

/** Share of the arrivals that relist the product of an earlier listing. */
const RELIST_SHARE = 0.15;
const MAX_EDITION = 12;

/**
 * Steps of this size, modulo 1, spread evenly over the interval from 0 to 1, so that every category gets its share at
 * all times.
 */
const GOLDEN_STEP = 0.618033988749895;

/**
 * The listings that arrive in a span, newest first. The seed, the size and the pace of the store alone determine them.
 */
export function arrivalsIn(span: number, store: { seed: string; offers: number; pace: Pace }): Listing[] {
  const { seed, offers, pace } = store;
  const count = arrivalsCount(span, offers / pace.meanLife);
  return Array.from({ length: count }, (_, index) => {
    const key = `${seed}/${span}/${index}`;
    const random = createRandom(key, 'arrival');
    const startMs = pace.startMs(span, index, count, random);
    return createListing({
      key,
      ...productOf(span, index, store),
      category: categoryOf(span, index, pace),
      startMs,
      endMs: pace.endMs(span, startMs, random),
      isDealOff: false,
      featuredShare: Math.min(1, FEATURED / offers),
      pace,
    });
  }).sort((one, other) => other.startMs - one.startMs);
}

/** The number of arrivals in a span: whole numbers whose mean is `perSpan`. */
function arrivalsCount(span: number, perSpan: number): number {
  return Math.floor((span + 1) * perSpan) - Math.floor(span * perSpan);
}

function categoryOf(span: number, index: number, pace: Pace): Category {
  if (pace.isEveryOtherElectronics && index % 2 === 0) return ELECTRONICS;
  // A relist keeps its product's category, so the category depends on the span's place in the cycle of relists.
  const cycle = span % (pace.maxLife + 1);
  let left = (cycle * 0.37 + index * GOLDEN_STEP) % 1;
  return (
    CATEGORIES.find((_, place) => {
      left -= pace.shares[place] ?? 0;
      return left < 0;
    }) ?? HOME
  );
}

/**
 * The product of an arrival. A relist takes it from the arrival with the same `index` one cycle earlier, which has
 * ended for sure: a cycle is longer than the longest life.
 */
function productOf(
  span: number,
  index: number,
  store: { seed: string; offers: number; pace: Pace },
): Pick<Listing, 'product' | 'edition'> {
  const cycle = store.pace.maxLife + 1;
  let first = span;
  let edition = 1;
  while (
    edition < MAX_EDITION &&
    createRandom(store.seed, 'relist', first, index).chance(RELIST_SHARE) &&
    index < arrivalsCount(first - cycle, store.offers / store.pace.meanLife)
  ) {
    first -= cycle;
    edition += 1;
  }
  return { product: `${store.seed}/product/${first}/${index}`, edition };
}
