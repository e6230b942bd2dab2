import { expect, test } from 'vitest';
import {
  isLikelySlip,
  isLowestEver,
  isNewLow,
  lowestForMs,
  observedBefore,
  percentAboveLow,
  realDiscount,
} from '../../src/deals/observed-prices.ts';
import type { PriceRun } from '../../src/deals/price-runs.ts';

const DAY_MS = 24 * 3_600_000;
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
  expect([isLowestEver(first), isNewLow(first), lowestForMs(first), percentAboveLow(first)]).toEqual([
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
    usual: 30,
  });
  expect([isLowestEver(low), isNewLow(low), lowestForMs(low), percentAboveLow(low)]).toEqual([true, true, Infinity, 0]);
});

test('a price that equals the lowest is the lowest, and no new low', () => {
  const same = offered(20, run(1, 5, 20), run(10, 20, 30));
  expect([isLowestEver(same), isNewLow(same), lowestForMs(same), percentAboveLow(same)]).toEqual([
    true,
    false,
    Infinity,
    0,
  ]);
});

test('a price that was never another is no low', () => {
  const same = offered(20, run(1, 5, 20));
  expect([isLowestEver(same), isNewLow(same), lowestForMs(same), percentAboveLow(same)]).toEqual([
    false,
    false,
    null,
    null,
  ]);
});

test('a low lasts from when it was last cheaper, if it was dearer since', () => {
  const low = offered(20, run(1, 5, 15), run(10, 20, 30));
  expect([isLowestEver(low), isNewLow(low), lowestForMs(low)]).toEqual([false, false, 95 * DAY_MS]);
  expect(lowestForMs(offered(20, run(10, 20, 30), run(30, 40, 15)))).toBeNull();
  // A single cheaper sight at the very beginning counts.
  expect(isLowestEver(offered(20, run(1, 1, 15), run(10, 20, 30)))).toBe(false);
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
