import type { PriceRange } from '../../deals/price.ts';
import type { PriceRun } from '../../deals/price-runs.ts';
import { COLORS as OF_PICTURES } from '../../discord/pictures/svg.ts';

/** The least width of what stands alone: a single sight is a point in time. */
export const LEAST_WIDTH = 4;
/** Stretches that begin and end in one column of this width can't be told apart, and are drawn as one. */
const COLUMN = 2;

/** Each line has its own dashes and label, so that colours say nothing alone. */
export const COLORS = {
  ...OF_PICTURES,
  rule: '#3f4147',
  course: '#8ab4ff',
  usual: '#ffd479',
  soldOut: '#6d6f78',
} as const;

/** Places moments and prices on the picture. */
export interface Scale {
  /** The right end of the plot. */
  right: number;
  x: (ms: number) => number;
  y: (price: number) => number;
}

/** Places prices between two heights, with room above the highest and below the lowest. */
export function priceAxis(
  { minimum, maximum }: PriceRange,
  { top, bottom }: { top: number; bottom: number },
): Scale['y'] {
  // A price that never changed stands in the middle.
  const margin = maximum > minimum ? (maximum - minimum) * 0.08 : Math.max(maximum * 0.1, 0.01);
  const [least, most] = [minimum - margin, maximum + margin];
  return (price) => bottom - ((price - least) / (most - least)) * (bottom - top);
}

/** The course with the cheapest of those runs that begin and end in one column; all others last as long as they did. */
export function inColumns(course: readonly PriceRun[], { x }: Scale): PriceRun[] {
  const shown: PriceRun[] = [];
  /** Of the column of the last run, the places in `shown` of its narrow runs: with a price, and sold out. */
  const narrow = new Map<string, number>();
  for (const run of course) {
    const [from, until] = [run.fromMs, run.untilMs].map((ms) => Math.floor(x(ms) / COLUMN));
    const key = `${from} ${run.price === null}`;
    const place = narrow.get(key);
    const same = place === undefined ? undefined : shown[place];
    if (from !== until) shown.push(run);
    else if (place === undefined || !same) narrow.set(key, shown.push(run) - 1);
    else {
      const isCheaper = same.price && run.price && same.price.minimum < run.price.minimum;
      shown[place] = { fromMs: same.fromMs, untilMs: run.untilMs, price: isCheaper ? same.price : run.price };
    }
  }
  return shown;
}

/** One path for all prices: a run that touches the former one, as far as anybody can see, is a step; any other begins anew. */
export function steps(course: readonly PriceRun[], { x, y, right: edge }: Scale): string {
  const isTouching = (untilMs: number, fromMs: number) => Math.abs(x(fromMs) - x(untilMs)) <= COLUMN;
  const priced = course.flatMap(({ fromMs, untilMs, price }) => (price ? [{ fromMs, untilMs, price }] : []));
  return priced
    .map(({ fromMs, untilMs, price }, index) => {
      const [before, after] = [priced[index - 1], priced[index + 1]];
      const isStep = before !== undefined && isTouching(before.untilMs, fromMs);
      const isAlone = !isStep && !(after && isTouching(untilMs, after.fromMs));
      const right = isAlone ? Math.max(x(untilMs), x(fromMs) + LEAST_WIDTH) : x(untilMs);
      const start = isStep ? `V${at(y(price.minimum))}` : `M${at(x(fromMs))} ${at(y(price.minimum))}`;
      return `${start}H${at(Math.min(right, edge))}`;
    })
    .join('');
}

/** A coordinate with one decimal. */
export function at(coordinate: number): string {
  return String(Math.round(coordinate * 10) / 10);
}
