import { expect, test } from 'vitest';
import { priceHistory } from '../../src/deals/observed-prices.ts';
import type { PriceRun } from '../../src/deals/price-runs.ts';
import { DAY_MS } from '../../src/shared/time.ts';

const run = (from: number, until: number, price: number | null): PriceRun => ({
  fromMs: from * DAY_MS,
  untilMs: until * DAY_MS,
  price: price === null ? null : { minimum: price, maximum: price },
});

test('what is said of a product: since when, the latest low and high, the last price, the usual one', () => {
  const runs = [run(1, 5, 20), run(10, 14, 30), run(20, 22, 20), run(22, 23, null), run(30, 40, 25)];
  expect(priceHistory(runs, 40 * DAY_MS, true)).toEqual({
    course: runs,
    sinceMs: DAY_MS,
    untilMs: 40 * DAY_MS,
    low: { price: 20, fromMs: 20 * DAY_MS, untilMs: 22 * DAY_MS },
    high: { price: 30, fromMs: 10 * DAY_MS, untilMs: 14 * DAY_MS },
    last: { price: 25, fromMs: 30 * DAY_MS, untilMs: 40 * DAY_MS },
    isCurrent: true,
    soldOutSinceMs: null,
    usual: 25,
  });
});

test('what is sold out has a last price, and says since when', () => {
  expect(priceHistory([run(1, 5, 20), run(5, 9, null)], 9 * DAY_MS, true)).toMatchObject({
    last: { price: 20, untilMs: 5 * DAY_MS },
    isCurrent: false,
    soldOutSinceMs: 5 * DAY_MS,
    untilMs: 9 * DAY_MS,
  });
});

test('without a price there is no history, and the future is cut off', () => {
  expect(priceHistory([], DAY_MS, true)).toBeNull();
  expect(priceHistory([run(1, 5, null)], 9 * DAY_MS, true)).toBeNull();
  expect(priceHistory([run(10, 15, 20)], 9 * DAY_MS, true)).toBeNull();
  expect(priceHistory([run(1, 50, 20), run(20, 30, 5)], 9 * DAY_MS, true)).toMatchObject({
    course: [run(1, 9, 20)],
    low: { price: 20 },
  });
});
