import { expect, test } from 'vitest';
import {
  isLikelySlip,
  isNewLow,
  lowestForMs,
  lowOf,
  type ObservedPrices,
  observedBefore,
  percentAboveLow,
  realDiscount,
  weakened,
} from '../../src/deals/observed-prices.ts';
import type { PriceRun } from '../../src/deals/price-runs.ts';
import { DAY_MS } from '../../src/shared/time.ts';

const dollars = (price: number) => ({ minimum: price, maximum: price });
/** A run in days. */
const run = (from: number, until: number, price: number | null): PriceRun => ({
  fromMs: from * DAY_MS,
  untilMs: until * DAY_MS,
  price: price === null ? null : dollars(price),
});
/** An offer that costs `price` from day 100 on, after these runs. */
function offered(price: number, ...runs: PriceRun[]) {
  return { salePrice: dollars(price), observed: observedBefore(runs, dollars(price), 100 * DAY_MS) };
}

test('where nothing was observed before, nothing is said', () => {
  const first = offered(20);
  expect(first.observed).toBeUndefined();
  expect([lowOf(first)?.isEver === true, isNewLow(first), lowestForMs(first), percentAboveLow(first)]).toEqual([
    false,
    false,
    null,
    null,
  ]);
  expect([realDiscount(first), isLikelySlip(first)]).toEqual([null, false]);
  expect(observedBefore([run(1, 5, null)], dollars(20), DAY_MS * 9)).toBeUndefined();
  expect(observedBefore([run(100, 120, 5)], dollars(20), DAY_MS * 100)).toBeUndefined();
});

test('nothing is said of a product that was first seen less than three days ago', () => {
  expect(offered(20, run(97, 98, 30)).observed).toBeDefined();
  expect(offered(20, run(97.001, 98, 30)).observed).toBeUndefined();
});

test.each([[null], [dollars(0)], [{ minimum: 0, maximum: 9 }]])('nothing is said of the price %o', (price) => {
  expect(observedBefore([run(1, 5, 20)], price, DAY_MS * 100)).toBeUndefined();
});

test('a price below all others is a new low since the first sight', () => {
  const low = offered(15, run(1, 5, 20), run(10, 20, 30));
  expect(low.observed).toEqual({
    atMs: 100 * DAY_MS,
    sinceMs: DAY_MS,
    low: { price: 20, atMs: 5 * DAY_MS },
    lowestSinceMs: DAY_MS,
    // It was not seen from day 20 on.
    seenSinceMs: 99 * DAY_MS,
    usual: 30,
    // It was seen for 14 days, dearer each time.
    usualUntilMs: 114 * DAY_MS,
  });
  expect([lowOf(low)?.isEver === true, isNewLow(low), lowestForMs(low), percentAboveLow(low)]).toEqual([
    true,
    true,
    DAY_MS,
    0,
  ]);
  expect(lowestForMs(offered(15, run(1, 5, 20), run(10, 100, 30)))).toBe(Infinity);
});

test('a price that equals the lowest is the lowest, and no new low', () => {
  const same = offered(20, run(1, 5, 20), run(6, 100, 30));
  expect([lowOf(same)?.isEver === true, isNewLow(same), lowestForMs(same), percentAboveLow(same)]).toEqual([
    true,
    false,
    Infinity,
    0,
  ]);
});

test('a price that was never another is no low', () => {
  const same = offered(20, run(1, 5, 20));
  expect([lowOf(same)?.isEver === true, isNewLow(same), lowestForMs(same), percentAboveLow(same)]).toEqual([
    false,
    false,
    null,
    null,
  ]);
});

test('a low lasts from when it was last cheaper, if it was dearer since', () => {
  const low = offered(20, run(1, 5, 15), run(6, 100, 30));
  expect([lowOf(low)?.isEver === true, isNewLow(low), lowestForMs(low)]).toEqual([false, false, 95 * DAY_MS]);
  expect(lowestForMs(offered(20, run(10, 20, 30), run(30, 40, 15)))).toBeNull();
  // A single cheaper sight at the very beginning counts.
  expect(lowOf(offered(20, run(1, 1, 15), run(10, 20, 30)))?.isEver === true).toBe(false);
});

test('the percent above the low', () => {
  expect(percentAboveLow(offered(21, run(1, 5, 20)))).toBeCloseTo(5);
  expect(percentAboveLow(offered(30, run(1, 5, 20), run(6, 8, 40)))).toBe(50);
});

test('the usual price is the median of the observed time within a year, and needs three days', () => {
  expect(offered(9, run(0, 2.9, 20)).observed?.usual).toBeNull();
  expect(offered(9, run(0, 3, 20)).observed?.usual).toBe(20);
  expect(offered(9, run(0, 4, 20), run(10, 13, 30)).observed?.usual).toBe(20);
  expect(offered(9, run(0, 4, 20), run(10, 15, 30), run(20, 22, 40)).observed?.usual).toBe(30);
  // Sold-out time and what is older than a year do not count.
  expect(offered(9, run(0, 4, 20), run(10, 90, null), run(90, 93, 30)).observed?.usual).toBe(20);
  expect(offered(9, run(-400, -266, 50), run(90, 94, 30)).observed?.usual).toBe(30);
});

test('the real discount compares with the usual price, rounded down, and is never negative', () => {
  expect(realDiscount(offered(20, run(0, 4, 30)))).toBe(33);
  expect(realDiscount(offered(40, run(0, 4, 30)))).toBe(0);
  expect(realDiscount(offered(20, run(0, 1, 30)))).toBeNull();
});

test.each([
  [30, 100, 60, true],
  [31, 100, 62, false], // 69 % off
  [30, 100, 59, false], // more than half of the low
])('$%d after a usual $%d and a low of $%d may be a slip: %s', (price, usual, low, expected) => {
  expect(isLikelySlip(offered(price, run(0, 50, usual), run(60, 61, low)))).toBe(expected);
});

test('a run of the future tells nothing, and one that lasts into it counts until then', () => {
  const { observed } = offered(20, run(90, 500, 30), run(200, 300, 1));
  expect(observed).toMatchObject({ low: { price: 30, atMs: 100 * DAY_MS }, usual: 30 });
});

test('a range counts as its cheapest variant', () => {
  const runs = [{ fromMs: 0, untilMs: DAY_MS, price: { minimum: 20, maximum: 90 } }];
  expect(observedBefore(runs, { minimum: 19, maximum: 100 }, 9 * DAY_MS)).toMatchObject({ low: { price: 20 } });
});

test('a low needs sight on four fifths of the days, sold-out ones included', () => {
  const days = (seen: number) => [
    run(90, 91, 30),
    ...Array.from({ length: seen }, (_, day) => run(99.5 - day, 99.6 - day, null)),
  ];
  const low = (seen: number) => lowOf(offered(20, ...days(seen)));
  // Of ten days eight, the first one included.
  expect(low(7)).toEqual({ sinceMs: 90 * DAY_MS, isEver: true, hasGaps: false });
  expect(low(6)).toEqual({ sinceMs: 90 * DAY_MS, isEver: true, hasGaps: true });
  // Of seven days six, of eight six: no more than seven are enough.
  expect(lowestForMs(offered(20, ...days(6)))).toBe(7 * DAY_MS);
  expect(lowestForMs(offered(20, ...days(7)))).toBe(Infinity);
});

test('a record that does not say on how many days it was seen has gaps', () => {
  const { observed, salePrice } = offered(20, run(0, 100, 30));
  const { seenSinceMs: _, ...old } = observed ?? { seenSinceMs: 0 };
  const offer = { salePrice, observed: old as ObservedPrices };
  expect([lowOf(offer)?.hasGaps, lowestForMs(offer)]).toEqual([true, null]);
});

test('of two listings side by side the cheaper one counts', () => {
  const both = offered(55, run(0, 100, 100), run(20, 100, 60));
  expect(both.observed).toMatchObject({ low: { price: 60, atMs: 100 * DAY_MS }, usual: 60 });
  // The dearer one fell, below all of its own prices.
  expect(lowOf(offered(70, run(0, 100, 100), run(20, 100, 60)))?.isEver === true).toBe(false);
});

const listing = offered(20, run(0, 40, 25), run(40, 100, 30));

test.each([
  ['a dearer listing', run(10, 200, 25)],
  ['a listing at the same price', run(100, 200, 20)],
  ['one that is sold out', run(100, 200, null)],
])('%s takes nothing from a low', (_, other) => {
  const { observed, salePrice } = listing;
  if (!observed) throw new Error('nothing observed');
  expect(weakened(observed, salePrice, [other])).toBe(observed);
});

test.each([
  ['a cheaper one that came later', run(110, 120, 19), { beatenBy: { price: 19, atMs: 110 * DAY_MS } }],
  ['the cheapest of several', run(100, 130, 10), { beatenBy: { price: 10, atMs: 100 * DAY_MS } }],
  ['one of which was not known that it was cheaper before', run(50, 60, 19), { low: { price: 19, atMs: 60 * DAY_MS } }],
])('%s takes the low', (_, other, changes) => {
  const { observed, salePrice } = listing;
  if (!observed) throw new Error('nothing observed');
  const less = weakened(observed, salePrice, [run(115, 116, 19.5), other]);
  expect(less).toMatchObject(changes);
  expect(lowOf({ salePrice, observed: less })).toBeNull();
  expect(weakened(less, salePrice, [other])).toBe(less);
});
