import { usualPrice } from './observed-prices.ts';
import { courseOf, type PriceRun } from './price-runs.ts';

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
