import { expect, test } from 'vitest';
import type { ObservedPrices } from '../../src/deals/observed-prices.ts';
import { byScore, type Sales, scoreOf, scoreParts } from '../../src/deals/score.ts';
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts';
import { anOffer, NOW_MS } from '../helpers/things.ts';

const dollars = (price: number) => ({ minimum: price, maximum: price });
const SLOW: Sales = { isAlmostGone: false, sellsOutAtMs: null };

/** Prices of which the present one, from now on, is neither a low nor below what is usual. */
const observed = (changes: Partial<ObservedPrices>): ObservedPrices => ({
  atMs: NOW_MS,
  sinceMs: NOW_MS - 400 * DAY_MS,
  low: { price: 1, atMs: NOW_MS - 300 * DAY_MS },
  lowestSinceMs: null,
  usual: 50,
  ...changes,
});

function points({ price = 50, list = 100, seen = undefined as ObservedPrices | undefined, sales = SLOW } = {}): number {
  const offer = { salePrice: dollars(price), listPrice: dollars(list), startDateMs: null, isFeatured: false };
  return scoreOf(seen ? { ...offer, observed: seen } : offer, sales, NOW_MS).points;
}

test('what it usually costs counts in full, and where that is not known the list price by half', () => {
  expect(points({ price: 40, seen: observed({}) })).toBe(20);
  expect(points({ price: 40 })).toBe(30);
  expect(points({ price: 60, seen: observed({}) })).toBe(0);
  expect(points({ price: 100 })).toBe(0);
  expect(points({ price: 40, seen: observed({ usual: null }) })).toBe(30);
});

/** The lowest price since a moment, seen on each day since. */
const lowSince = (agoMs: number, changes: Partial<ObservedPrices> = {}) =>
  observed({ lowestSinceMs: NOW_MS - agoMs, seenSinceMs: NOW_MS - agoMs, ...changes });

test.each([
  [90 * DAY_MS - 1, 0],
  [90 * DAY_MS, 10],
])('the lowest price in %i ms is worth %i', (agoMs, worth) => {
  expect(points({ seen: lowSince(agoMs) })).toBe(worth);
});

test.each([
  [90 * DAY_MS - 1, 0],
  [90 * DAY_MS, 20],
])('the lowest price of a product that is known for %i ms is worth %i', (knownMs, worth) => {
  const low = { price: 60, atMs: NOW_MS - DAY_MS };
  expect(points({ seen: lowSince(knownMs, { sinceMs: NOW_MS - knownMs, low }) })).toBe(worth);
});

test('a low of which only the last days were seen is worth nothing', () => {
  expect(points({ seen: lowSince(200 * DAY_MS, { seenSinceMs: NOW_MS - 89 * DAY_MS }) })).toBe(0);
  expect(points({ seen: lowSince(200 * DAY_MS, { seenSinceMs: NOW_MS - 90 * DAY_MS }) })).toBe(10);
});

test.each([
  [-HOUR_MS, 15],
  [0, 15],
  [12 * HOUR_MS, 7.5],
  [24 * HOUR_MS, 0],
  [25 * HOUR_MS, 0],
])('what sells out in %i ms is worth %d', (inMs, worth) => {
  const sales = { isAlmostGone: false, sellsOutAtMs: NOW_MS + inMs };
  expect(points({ price: 100, sales })).toBe(worth);
});

test('what is almost gone is worth as much as what sells out now', () => {
  expect(points({ price: 100, sales: { isAlmostGone: true, sellsOutAtMs: NOW_MS + 20 * HOUR_MS } })).toBe(15);
});

test('the best goes first, of two that are as good the newer one, and last one of which nobody knows since when it is there', () => {
  const scores = [
    { points: 10, startDateMs: 5 },
    { points: 10, startDateMs: null },
    { points: 11, startDateMs: null },
    { points: 10, startDateMs: 6 },
    { points: Number.POSITIVE_INFINITY, startDateMs: null },
    { points: Number.POSITIVE_INFINITY, startDateMs: null },
  ];
  expect(scores.toSorted(byScore).map(({ points, startDateMs }) => [points, startDateMs])).toEqual([
    [Infinity, null],
    [Infinity, null],
    [11, null],
    [10, 6],
    [10, 5],
    [10, null],
  ]);
});

test('what an offer has its points for is told, and comes to them', () => {
  const offer = anOffer(1, {
    salePrice: dollars(40),
    listPrice: dollars(100),
    isFeatured: true,
    observed: lowSince(400 * DAY_MS),
  });
  const parts = scoreParts(offer);
  expect(parts).toEqual([
    { of: 'usual', points: 20 },
    { of: 'longLow', points: 10 },
    { of: 'featured', points: 5 },
  ]);
  expect(scoreOf(offer).points).toBe(35);
  expect(scoreParts(anOffer(2, { salePrice: null, isFeatured: false }))).toEqual([]);
});
