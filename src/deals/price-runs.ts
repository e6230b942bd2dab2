import { DAY_MS } from '../shared/time.ts';
import { isSamePrice, type PriceRange } from './price.ts';

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

/** The part of a run from a moment on; empty where it ended before. */
export function runFrom(run: PriceRun, ms: number): PriceRun[] {
  if (run.fromMs >= ms) return [run];
  return run.untilMs > ms ? [{ ...run, fromMs: ms }] : [];
}

/** The part of a run before a moment; empty where it begins then or later. */
export function runUntil(run: PriceRun, ms: number): PriceRun[] {
  return run.fromMs < ms ? [{ ...run, untilMs: Math.min(run.untilMs, ms) }] : [];
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
    const key = keyOf(run.price);
    const place = latest.get(key);
    const last = place === undefined ? undefined : merged[place];
    if (place !== undefined && last && run.fromMs <= last.untilMs) {
      merged[place] = { ...last, untilMs: Math.max(last.untilMs, run.untilMs) };
    } else latest.set(key, merged.push(run) - 1);
  }
  return merged;
}

function keyOf(price: PriceRange | null): string {
  return price ? `${price.minimum}-${price.maximum}` : '';
}

/** Orders runs that begin at the same moment, so that the result does not depend on the order in which they came. */
function dearness({ price }: Pick<PriceRun, 'price'>): number {
  return price ? price.minimum * 1e6 + price.maximum : -1;
}

/**
 * The runs of a product as one course without overlaps: at each moment the cheapest listing counts, and it is sold out
 * where none can be bought. Between two runs that do not touch, nothing is known.
 */
export function courseOf(runs: readonly PriceRun[]): PriceRun[] {
  return joined(partsOf(runs), (one, other) => one?.minimum === other?.minimum);
}

/** The course of a product, in a part for each moment at which a run begins or ends. */
function partsOf(runs: readonly PriceRun[]): PriceRun[] {
  const moments = [...new Set(runs.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]))].sort((a, b) => a - b);
  const byStart = mergeRuns(runs);
  const course: PriceRun[] = [];
  let active: PriceRun[] = [];
  let next = 0;
  for (const [index, fromMs] of moments.entries()) {
    for (; (byStart[next]?.fromMs ?? Infinity) <= fromMs; next += 1) active.push(byStart[next] as PriceRun);
    const lasting = active.filter(({ untilMs }) => untilMs > fromMs);
    const price = cheapest(lasting);
    // A single sight counts at its one moment, where nothing else is known or it is cheaper.
    const sights = active.filter((run) => run.fromMs === fromMs && run.untilMs === fromMs);
    const sighted = cheapest(sights);
    if (sights.length > 0 && (lasting.length === 0 || isCheaper(sighted, price))) {
      course.push({ fromMs, untilMs: fromMs, price: sighted });
    }
    if (lasting.length > 0) course.push({ fromMs, untilMs: moments[index + 1] ?? fromMs, price });
    active = lasting;
  }
  return course;
}

/** Whether something could be bought for less than the other, which may be sold out. */
function isCheaper(price: PriceRange | null, other: PriceRange | null): boolean {
  return price !== null && (other === null || price.minimum < other.minimum);
}

function cheapest(runs: readonly PriceRun[]): PriceRange | null {
  return runs.reduce<PriceRange | null>((best, { price }) => (isCheaper(price, best) ? price : best), null);
}

/** Joins neighbours that touch and have the same price. */
function joined(
  course: readonly PriceRun[],
  isSame: (one: PriceRange | null, other: PriceRange | null) => boolean,
): PriceRun[] {
  const result: PriceRun[] = [];
  for (const run of course) {
    const last = result.at(-1);
    if (last && last.untilMs === run.fromMs && isSame(last.price, run.price)) {
      result[result.length - 1] = { ...last, untilMs: run.untilMs };
    } else result.push(run);
  }
  return result;
}

/** The shortest time whose order is given up: what is said of prices is dated by days. */
const SHORTEST_MIXED_MS = DAY_MS;

/**
 * At most `most` runs, twelve at least, in place of more. What a claim can rest on is kept:
 * - the first moment and the last one, with what could be seen then,
 * - the lowest and the highest price, each with the last time at which it was seen,
 * - the time for which each price was observed, and the time for which none was.
 *
 * What is lost is the order in which prices followed each other within a day, or within a longer time where days are too
 * many: there the dear ones go first. So no price seems to have been left earlier than it was, and none is the lowest for
 * longer than it was. Where even the prices are too many, those that lasted shortest count as the next cheaper one.
 */
export function compacted(runs: readonly PriceRun[], most: number): readonly PriceRun[] {
  const course = joined(partsOf(runs), isSamePrice);
  const [first, last] = [course[0], course.at(-1)];
  if (!first || !last || course.length <= most) return course;
  const parts = partsBetween(course, pinned(course));
  const spanMs = last.untilMs - first.fromMs;
  for (let mixedMs = SHORTEST_MIXED_MS; mixedMs < spanMs; mixedMs *= 2) {
    const stretches = parts.flatMap((part) => stretchesOf(part, mixedMs));
    const shorter = joined(
      stretches.flatMap((stretch) => dearFirst(stretch, most)),
      isSamePrice,
    );
    if (shorter.length <= most) return shorter;
  }
  const each = Math.floor(most / parts.length);
  return joined(
    parts.flatMap((part) => dearFirst(part, each)),
    isSamePrice,
  );
}

/** The latest runs at the lowest and at the highest price, and the last run. */
function pinned(course: readonly PriceRun[]): ReadonlySet<PriceRun | undefined> {
  const priced = course.filter(({ price }) => price !== null);
  const latest = (isBeyond: (one: PriceRun, other: PriceRun) => boolean) =>
    priced.reduce<PriceRun | undefined>((best, run) => (best && isBeyond(best, run) ? best : run), undefined);
  const low = latest((one, other) => isCheaper(one.price, other.price));
  const high = latest((one, other) => isCheaper(other.price, one.price));
  return new Set([low, high, course.at(-1)]);
}

/** The course in parts: each of `alone` is one, and so is what lies between two of them. */
function partsBetween(course: readonly PriceRun[], alone: ReadonlySet<PriceRun | undefined>): PriceRun[][] {
  const parts: PriceRun[][] = [[]];
  for (const run of course) {
    if (alone.has(run)) parts.push([run], []);
    else parts.at(-1)?.push(run);
  }
  return parts.filter((part) => part.length > 0);
}

/** Neighbours that together last `mostMs` at most. */
function stretchesOf(course: readonly PriceRun[], mostMs: number): PriceRun[][] {
  const stretches: PriceRun[][] = [];
  for (const run of course) {
    const stretch = stretches.at(-1);
    if (stretch?.[0] && run.untilMs - stretch[0].fromMs <= mostMs) stretch.push(run);
    else stretches.push([run]);
  }
  return stretches;
}

/**
 * A stretch of a course in which each price comes once: sold-out time first, then the dear prices, the cheapest last and
 * until the end. Of more than `most`, those that lasted shortest count as the next cheaper one.
 */
function dearFirst(stretch: readonly PriceRun[], most: number): PriceRun[] {
  const [first, end] = [stretch[0], stretch.at(-1)];
  if (!first || !end || stretch.length === 1) return [...stretch];
  const totals = new Map<string, { price: PriceRange | null; ms: number }>();
  for (const { price, fromMs, untilMs } of stretch) {
    const key = keyOf(price);
    totals.set(key, { price, ms: (totals.get(key)?.ms ?? 0) + untilMs - fromMs });
  }
  const order = (total: Pick<PriceRun, 'price'>) => (total.price ? dearness(total) : Infinity);
  const byPrice = [...totals.values()].sort((a, b) => order(b) - order(a));
  const shortest = byPrice.slice(0, -1).filter(({ price }) => price !== null);
  const dropped = new Set(shortest.sort((a, b) => a.ms - b.ms).slice(0, Math.max(0, byPrice.length - most)));
  const runs: PriceRun[] = [];
  let [atMs, droppedMs] = [first.fromMs, 0];
  for (const total of byPrice) {
    const ms = total.ms + droppedMs;
    droppedMs = dropped.has(total) ? ms : 0;
    if (dropped.has(total)) continue;
    const fromMs = total === byPrice.at(-1) ? end.untilMs - ms : atMs;
    atMs = fromMs + ms;
    runs.push({ fromMs, untilMs: atMs, price: total.price });
  }
  return runs;
}
