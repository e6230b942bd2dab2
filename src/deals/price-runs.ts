import type { PriceRange } from './price.ts';

/** A period in which a product was observed at one price, or sold out. Epoch milliseconds. */
export interface PriceRun {
  fromMs: number;
  /** The last moment at which it was observed so; not before `fromMs`. */
  untilMs: number;
  /** null while it was sold out. */
  price: PriceRange | null;
}

/** A period in which an offer was not observed. Epoch milliseconds. */
export interface Gap {
  fromMs: number;
  untilMs: number;
}

/**
 * Whether a price can be one: the catalog may send 0 where it knows none, and a low of $0 would stand for ever. A range
 * counts as its cheapest variant.
 */
export function isRealPrice(price: PriceRange | null): price is PriceRange {
  return price !== null && Number.isFinite(price.minimum) && price.minimum > 0;
}

/** The parts of a run outside the gaps. A run of no length is a single sight, which no gap contains. */
export function withoutGaps(run: PriceRun, gaps: readonly Gap[]): PriceRun[] {
  return gaps.reduce<PriceRun[]>(
    (parts, gap) =>
      parts.flatMap((part) => {
        if (part.fromMs === part.untilMs || gap.untilMs <= part.fromMs || gap.fromMs >= part.untilMs) return [part];
        const before = gap.fromMs >= part.fromMs ? [{ ...part, untilMs: gap.fromMs }] : [];
        return gap.untilMs < part.untilMs ? [...before, { ...part, fromMs: gap.untilMs }] : before;
      }),
    [run],
  );
}

/**
 * Runs in the order of their beginnings. Those at one price that touch or overlap become one, so that runs that are
 * added twice are there once. Runs of two listings at different prices may overlap.
 */
export function mergeRuns(runs: readonly PriceRun[]): PriceRun[] {
  const merged: PriceRun[] = [];
  /** By price, the place of its latest run in `merged`. */
  const latest = new Map<string, number>();
  for (const run of runs.toSorted((a, b) => a.fromMs - b.fromMs || dearness(a) - dearness(b))) {
    const key = run.price ? `${run.price.minimum}-${run.price.maximum}` : '';
    const place = latest.get(key);
    const last = place === undefined ? undefined : merged[place];
    if (place !== undefined && last && run.fromMs <= last.untilMs) {
      merged[place] = { ...last, untilMs: Math.max(last.untilMs, run.untilMs) };
    } else latest.set(key, merged.push(run) - 1);
  }
  return merged;
}

/** Orders runs that begin at the same moment, so that the result does not depend on the order in which they came. */
function dearness({ price }: PriceRun): number {
  return price ? price.minimum * 1e6 + price.maximum : -1;
}

/**
 * The runs of a product as one course without overlaps: at each moment the cheapest listing counts, and it is sold out
 * where none can be bought. Between two runs that do not touch, nothing is known.
 */
export function courseOf(runs: readonly PriceRun[]): PriceRun[] {
  const moments = [...new Set(runs.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]))].sort((a, b) => a - b);
  const byStart = mergeRuns(runs);
  const course: PriceRun[] = [];
  let active: PriceRun[] = [];
  let next = 0;
  for (const [index, fromMs] of moments.entries()) {
    for (; (byStart[next]?.fromMs ?? Infinity) <= fromMs; next += 1) active.push(byStart[next] as PriceRun);
    const lasting = active.filter(({ untilMs }) => untilMs > fromMs);
    // A single sight counts at its one moment, where nothing else is known.
    const here = lasting.length > 0 ? lasting : active.filter((run) => run.fromMs === fromMs);
    const untilMs = lasting.length > 0 ? (moments[index + 1] ?? fromMs) : fromMs;
    active = lasting;
    if (here.length > 0) course.push({ fromMs, untilMs, price: cheapest(here) });
  }
  return joined(course);
}

function cheapest(runs: readonly PriceRun[]): PriceRange | null {
  return runs.reduce<PriceRange | null>(
    (best, { price }) => (price && (!best || price.minimum < best.minimum) ? price : best),
    null,
  );
}

/** Joins neighbours that touch and show the same. */
function joined(course: readonly PriceRun[]): PriceRun[] {
  const result: PriceRun[] = [];
  for (const run of course) {
    const last = result.at(-1);
    if (last && last.untilMs === run.fromMs && last.price?.minimum === run.price?.minimum) {
      result[result.length - 1] = { ...last, untilMs: run.untilMs };
    } else result.push(run);
  }
  return result;
}
