import { expect, test } from 'vitest';
import type { ObservedPrices } from '../../../src/deals/observed-prices.ts';
import { observedLine, slipLine } from '../../../src/discord/cards/offer-card.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { HOUR_MS, NOW_MS } from '../../helpers/things.ts';

const DAY_MS = 24 * HOUR_MS;
const english = translatorFor('en-US');
const day = (days: number) => `<t:${(NOW_MS - days * DAY_MS) / 1000}:D>`;

/** An offer of a product that was first seen 200 days ago. */
const offered = (price: number, changes: Partial<ObservedPrices>) => ({
  salePrice: { minimum: price, maximum: price },
  observed: {
    atMs: NOW_MS,
    sinceMs: NOW_MS - 200 * DAY_MS,
    low: { price: 20, atMs: NOW_MS - 95 * DAY_MS },
    lowestSinceMs: null,
    usual: null,
    ...changes,
  },
});

test.each([
  [
    'lowest of all',
    20,
    { lowestSinceMs: NOW_MS - 200 * DAY_MS },
    `📉 **Lowest price since we started watching** (${day(200)})`,
  ],
  [
    'lowest for 95 days',
    22,
    { lowestSinceMs: NOW_MS - 95 * DAY_MS },
    `📉 **Lowest price in 95 days** (cheaper until ${day(95)})`,
  ],
  [
    'lowest for 90 days',
    22,
    { lowestSinceMs: NOW_MS - 90 * DAY_MS },
    `📉 **Lowest price in 90 days** (cheaper until ${day(90)})`,
  ],
  ['lowest for less', 22, { lowestSinceMs: NOW_MS - 90 * DAY_MS + 1 }, null],
  ['below the usual', 22, { usual: 33 }, `**33% below** the usual $33.00 · watched since ${day(200)}`],
  ['above the usual', 40, { usual: 33 }, `usual price $33.00 · watched since ${day(200)}`],
  ['at the usual', 33, { usual: 33 }, null],
  [
    'both',
    22,
    { lowestSinceMs: NOW_MS - 95 * DAY_MS, usual: 33 },
    `📉 **Lowest price in 95 days** (cheaper until ${day(95)}) · **33% below** the usual $33.00`,
  ],
])('an offer that is %s', (_, price, changes, line) => {
  expect(observedLine(offered(price, changes), english)).toBe(line);
});

test('where nothing was observed, or there is no price, nothing is said', () => {
  expect(observedLine({ salePrice: { minimum: 20, maximum: 20 } }, english)).toBeNull();
  expect(observedLine({ ...offered(20, { usual: 33 }), salePrice: null }, english)).toBeNull();
});

test('a likely slip is named, with since when', () => {
  // Exactly half.
  expect(slipLine(offered(10, { usual: 34 }), english)).toBe(
    `⚠️ **Possible pricing mistake**: half the lowest price seen since ${day(200)}, or less`,
  );
  expect(slipLine(offered(11, { usual: 33 }), english)).toBeNull();
  expect(slipLine({ salePrice: null }, english)).toBeNull();
});
