import fc from 'fast-check';
import { expect, test } from 'vitest';
import { courseOf, isRealPrice, mergeRuns, type PriceRun, withoutGaps } from '../../src/deals/price-runs.ts';

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
