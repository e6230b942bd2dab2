import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compacted, courseOf, isRealPrice, mergeRuns, type PriceRun, withoutGaps } from '../../src/deals/price-runs.ts';
import { HOUR_MS } from '../../src/shared/time.ts';

const run = (fromMs: number, untilMs: number, price: number | null): PriceRun => ({
  fromMs,
  untilMs,
  price: price === null ? null : { minimum: price, maximum: price },
});

test.each([
  [null, false],
  [{ minimum: 0, maximum: 0 }, false],
  [{ minimum: 0, maximum: 20 }, false],
  [{ minimum: Number.NaN, maximum: 20 }, false],
  [{ minimum: 0.01, maximum: 0.01 }, true],
  [{ minimum: 5, maximum: 20 }, true],
])('%o is a price that can be one: %s', (price, expected) => {
  expect(isRealPrice(price)).toBe(expected);
});

test('runs at one price become one where they touch or overlap, and stay two with a gap between', () => {
  expect(mergeRuns([run(10, 20, 5), run(0, 10, 5)])).toEqual([run(0, 20, 5)]);
  expect(mergeRuns([run(0, 15, 5), run(10, 20, 5)])).toEqual([run(0, 20, 5)]);
  expect(mergeRuns([run(0, 30, 5), run(10, 20, 5)])).toEqual([run(0, 30, 5)]);
  expect(mergeRuns([run(0, 10, 5), run(11, 20, 5)])).toEqual([run(0, 10, 5), run(11, 20, 5)]);
  expect(mergeRuns([run(0, 10, 5), run(10, 20, null), run(20, 30, 5)])).toHaveLength(3);
});

test('overlapping runs at different prices both stay', () => {
  expect(mergeRuns([run(0, 20, 5), run(5, 25, 7), run(10, 30, 5)])).toEqual([run(0, 30, 5), run(5, 25, 7)]);
});

test('a gap takes its part out of a run', () => {
  expect(withoutGaps(run(0, 30, 5), [{ fromMs: 10, untilMs: 20 }])).toEqual([run(0, 10, 5), run(20, 30, 5)]);
  expect(withoutGaps(run(0, 30, 5), [{ fromMs: 10, untilMs: 30 }])).toEqual([run(0, 10, 5)]);
  expect(withoutGaps(run(15, 30, 5), [{ fromMs: 10, untilMs: 20 }])).toEqual([run(20, 30, 5)]);
  expect(withoutGaps(run(10, 20, 5), [{ fromMs: 5, untilMs: 25 }])).toEqual([]);
  expect(withoutGaps(run(0, 10, 5), [{ fromMs: 10, untilMs: 20 }])).toEqual([run(0, 10, 5)]);
  expect(withoutGaps(run(20, 30, 5), [{ fromMs: 10, untilMs: 20 }])).toEqual([run(20, 30, 5)]);
  expect(withoutGaps(run(15, 15, 5), [{ fromMs: 10, untilMs: 20 }])).toEqual([run(15, 15, 5)]);
});

test('of several listings the cheapest counts at each moment, and a product is sold out where none can be bought', () => {
  expect(courseOf([run(0, 30, 10), run(10, 20, 8)])).toEqual([run(0, 10, 10), run(10, 20, 8), run(20, 30, 10)]);
  expect(courseOf([run(0, 30, null), run(10, 20, 8)])).toEqual([run(0, 10, null), run(10, 20, 8), run(20, 30, null)]);
  expect(courseOf([run(0, 30, 10), run(10, 20, null)])).toEqual([run(0, 30, 10)]);
});

test('between runs that do not touch, nothing is known; a single sight is a run of no length', () => {
  expect(courseOf([run(20, 30, 10), run(0, 10, 10)])).toEqual([run(0, 10, 10), run(20, 30, 10)]);
  expect(courseOf([run(5, 5, 10), run(20, 30, 12)])).toEqual([run(5, 5, 10), run(20, 30, 12)]);
  expect(courseOf([])).toEqual([]);
});

test('a single sight counts beside another listing where it is cheaper', () => {
  expect(courseOf([run(0, 30, 10), run(20, 20, 8)])).toEqual([run(0, 20, 10), run(20, 20, 8), run(20, 30, 10)]);
  expect(courseOf([run(0, 30, 10), run(20, 20, 12), run(25, 25, null)])).toEqual([run(0, 30, 10)]);
});

test('whatever is added, and in whatever order, adding it again changes nothing, and the course never overlaps', () => {
  const someRun = fc
    .tuple(fc.nat(50), fc.nat(20), fc.constantFrom(null, 5, 7, 9))
    .map(([fromMs, length, price]) => run(fromMs, fromMs + length, price));
  fc.assert(
    fc.property(fc.array(someRun, { maxLength: 12 }), (runs) => {
      const merged = mergeRuns(runs);
      expect(mergeRuns([...merged, ...runs])).toEqual(merged);
      expect(mergeRuns(runs.toReversed())).toEqual(merged);
      const course = courseOf(runs);
      for (const [index, { fromMs, untilMs }] of course.entries()) {
        expect(untilMs).toBeGreaterThanOrEqual(fromMs);
        expect(course[index + 1]?.fromMs ?? Infinity).toBeGreaterThanOrEqual(untilMs);
      }
      // At every half moment the course says what the cheapest run says.
      for (let atMs = 0.5; atMs < 71; atMs += 1) {
        const covers = ({ fromMs, untilMs }: PriceRun) => fromMs < atMs && atMs < untilMs;
        const prices = runs.filter(covers).map(({ price }) => price?.minimum ?? Infinity);
        const shown = course.find(covers);
        expect(shown ? (shown.price?.minimum ?? Infinity) : null).toBe(prices.length > 0 ? Math.min(...prices) : null);
      }
    }),
    { seed: 20261122 },
  );
});

/** How long each price was observed, and since and until when it was. */
function totalsOf(runs: readonly PriceRun[]) {
  const lasted: Record<string, number> = {};
  for (const { price, fromMs, untilMs } of runs) {
    const key = String(price?.minimum ?? null);
    lasted[key] = (lasted[key] ?? 0) + untilMs - fromMs;
  }
  return lasted;
}

/** When the price was last seen, and when a lower one was. */
const lastMs = (runs: readonly PriceRun[], isMeant: (dollars: number) => boolean) =>
  Math.max(-Infinity, ...runs.filter(({ price }) => price && isMeant(price.minimum)).map(({ untilMs }) => untilMs));

test('of too many runs those within a day are put together, the dear ones first', () => {
  const hours = (from: number, until: number, price: number | null) => run(from * HOUR_MS, until * HOUR_MS, price);
  const flapping = Array.from({ length: 30 }, (_, index) => hours(index, index + 1, index % 2 === 0 ? 20 : 30));
  expect(compacted(flapping, 30)).toEqual(flapping);
  expect(compacted(flapping, 29)).toEqual([
    hours(0, 12, 30),
    hours(12, 24, 20),
    hours(24, 26, 30),
    hours(26, 29, 20),
    hours(29, 30, 30),
  ]);
});

test('whatever runs become few, the ends, the extremes and the time of each price stay, and no low lasts longer', () => {
  const someRuns = fc
    .array(fc.tuple(fc.nat(40), fc.nat(40), fc.constantFrom(null, 5, 7, 9, 9.5, 11)), { minLength: 20, maxLength: 120 })
    .map((parts) => {
      let atMs = 0;
      return parts.map(([gap, length, price]) => {
        const fromMs = atMs + (gap > 20 ? (gap - 20) * HOUR_MS : 0);
        atMs = fromMs + (length + 1) * HOUR_MS;
        return run(fromMs, atMs, price);
      });
    });
  fc.assert(
    fc.property(someRuns, fc.integer({ min: 50, max: 80 }), (runs, most) => {
      const course = courseOf(runs);
      const few = compacted(runs, most);
      expect(few.length).toBeLessThanOrEqual(most);
      expect(totalsOf(few)).toEqual(totalsOf(course));
      expect([few[0]?.fromMs, few.at(-1)]).toEqual([course[0]?.fromMs, course.at(-1)]);
      const prices = course.flatMap(({ price }) => price?.minimum ?? []);
      for (const extreme of [Math.min(...prices), Math.max(...prices)]) {
        expect(lastMs(few, (price) => price === extreme)).toBe(lastMs(course, (price) => price === extreme));
      }
      for (const price of prices) {
        const [lower, before] = [few, course].map((some) => lastMs(some, (other) => other < price));
        expect(lower).toBeGreaterThanOrEqual(before ?? 0);
        const [dearer, dearerBefore] = [few, course].map((some) => lastMs(some, (other) => other > price));
        // It was dearer since it was last cheaper: only where it was.
        if ((dearer ?? 0) > (lower ?? 0)) expect(dearerBefore).toBeGreaterThan(before ?? 0);
      }
      expect(compacted(few, most)).toEqual(few);
    }),
    { seed: 20261123 },
  );
});

test('a price range is put together with its like only', () => {
  const range = { minimum: 20, maximum: 30 };
  const runs = Array.from({ length: 20 }, (_, hour) => ({
    ...run(hour * HOUR_MS, (hour + 1) * HOUR_MS, 20),
    ...(hour % 2 === 0 ? { price: range } : {}),
  }));
  const few = compacted(runs, 12);
  const ranges = few.filter(({ price }) => price?.maximum === 30);
  expect(totalsOf(ranges)).toEqual({ 20: 10 * HOUR_MS });
  expect(totalsOf(few)).toEqual({ 20: 20 * HOUR_MS });
});

test('where the prices themselves are too many, those that lasted shortest count as the next cheaper one', () => {
  const rising = Array.from({ length: 200 }, (_, index) =>
    run(index * 10, index * 10 + (index % 10 === 0 ? 10 : 5), index + 1),
  );
  const few = compacted(rising, 24);
  expect(few.length).toBeLessThanOrEqual(24);
  const observed = (runs: readonly PriceRun[]) => runs.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
  expect(observed(few)).toBe(observed(rising));
  expect([few[0], few.at(-1)]).toEqual([rising[0], rising.at(-1)]);
});
