import { expect, test } from 'vitest';
import { type KnownOffer, runsOfListing } from '../../src/deals/known-offer.ts';
import { withinBounds } from '../../src/deals/offer-record.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aKnownOffer, NOW_MS } from '../helpers/things.ts';

const at = (hours: number) => NOW_MS + hours * HOUR_MS;
const dollars = (price: number) => ({ minimum: price, maximum: price });
const costs = (...prices: [hours: number, price: number | null][]) => ({
  prices: prices.map(([hours, price]) => ({ atMs: at(hours), salePrice: price === null ? null : dollars(price) })),
});
const stock = (...changes: [hours: number, isSoldOut: boolean][]) => ({
  stock: changes.map(([hours, isSoldOut]) => ({ atMs: at(hours), isSoldOut })),
});
const forLong = { endDateMs: at(1000) };

/** The runs as `[from, until, price]`, in hours from the moment at which tests play. */
function runs(known: KnownOffer, hours: number) {
  return runsOfListing(known, at(hours)).map(({ fromMs, untilMs, price }) => [
    (fromMs - NOW_MS) / HOUR_MS,
    (untilMs - NOW_MS) / HOUR_MS,
    price?.minimum ?? null,
  ]);
}

test('a price lasts until the next one, the last one until now', () => {
  expect(runs(aKnownOffer(1, forLong, costs([0, 20], [5, 15])), 8)).toEqual([
    [0, 5, 20],
    [5, 8, 15],
  ]);
  expect(runs(aKnownOffer(1), 0)).toEqual([[0, 0, 20]]);
});

test('while it was sold out it had no price', () => {
  expect(runs(aKnownOffer(1, forLong, stock([2, true], [4, false])), 8)).toEqual([
    [0, 2, 20],
    [2, 4, null],
    [4, 8, 20],
  ]);
  const sinceFirstSight = { ...stock([0, true]), soldOutAtMs: at(0), overAtMs: at(0) };
  expect(runs(aKnownOffer(1, { ...forLong, isSoldOut: true }, sinceFirstSight), 8)).toEqual([[0, 8, null]]);
});

test('a price that is missing or zero is none', () => {
  expect(runs(aKnownOffer(1, forLong, costs([0, null], [2, 20], [4, 0], [6, 20])), 8)).toEqual([
    [2, 4, 20],
    [6, 8, 20],
  ]);
});

test('nobody saw it in a gap', () => {
  const gaps = [{ fromMs: at(2), untilMs: at(4) }];
  expect(runs(aKnownOffer(1, forLong, { gaps }), 8)).toEqual([
    [0, 2, 20],
    [4, 8, 20],
  ]);
  // The price that was found after the gap may be older, and nobody knows.
  expect(runs(aKnownOffer(1, forLong, { gaps, ...costs([0, 20], [4, 15]) }), 8)).toEqual([
    [0, 2, 20],
    [4, 8, 15],
  ]);
});

test('it ends with its end, and where feeds show it no more', () => {
  expect(runs(aKnownOffer(1, { endDateMs: at(3) }), 8)).toEqual([[0, 3, 20]]);
  expect(runs(aKnownOffer(1, forLong, { overAtMs: at(5) }), 8)).toEqual([[0, 5, 20]]);
  const gone = { firstSeenMs: NOW_MS, unseenSinceMs: at(4), goneSinceMs: at(5), isOld: false };
  expect(runs(aKnownOffer(1, forLong, { feeds: { home: gone }, overAtMs: at(5) }), 8)).toEqual([[0, 4, 20]]);
  const unseen = { firstSeenMs: NOW_MS, unseenSinceMs: at(6), goneSinceMs: null, isOld: false };
  expect(runs(aKnownOffer(1, forLong, { feeds: { home: unseen } }), 8)).toEqual([[0, 6, 20]]);
  expect(runs(aKnownOffer(1, forLong, { feeds: { home: gone, tools: unseen } }), 8)).toEqual([[0, 6, 20]]);
});

test('a clock that was set back gives no run of negative length', () => {
  const back = aKnownOffer(1, forLong, costs([0, 20], [-5, 15], [2, 10]));
  // The later sight counts for what was dated after it.
  expect(runs(back, 4)).toEqual([
    [-5, 2, 15],
    [2, 4, 10],
  ]);
  expect(runsOfListing(back, at(-10))).toEqual([]);
});

test('a price, or a stock, that one answer alone has shown counts for nothing, also later', () => {
  const once = { isSeenOnce: true as const };
  const [first, odd, third] = costs([0, 20], [2, 5], [4, 25]).prices;
  if (!first || !odd || !third) throw new Error('no price');
  expect(runs(aKnownOffer(1, forLong, { prices: [first, { ...odd, ...once }, third] }), 8)).toEqual([
    [0, 2, 20],
    [4, 8, 25],
  ]);
  expect(runs(aKnownOffer(1, forLong, { prices: [first, { ...odd, ...once }] }), 8)).toEqual([[0, 2, 20]]);
  const [out, back] = stock([2, true], [4, false]).stock;
  if (!out || !back) throw new Error('no stock');
  expect(runs(aKnownOffer(1, forLong, { stock: [{ ...out, ...once }, back] }), 8)).toEqual([
    [0, 2, 20],
    [4, 8, 20],
  ]);
});

test('a record within its bounds stays as it is', () => {
  const known = aKnownOffer(
    1,
    forLong,
    costs(...Array.from({ length: 50 }, (_, hour): [number, number] => [hour, 20 + (hour % 2)])),
  );
  expect(withinBounds(known, at(60))).toBe(known);
});

test('beyond its bounds a record says the same as before, of prices, stock and gaps', () => {
  const hours = (length: number) => Array.from({ length }, (_, hour) => hour);
  const whole = aKnownOffer(1, forLong, {
    ...costs(...hours(60).map((hour): [number, number] => [hour * 10, 20 + (hour % 7)])),
    ...stock(...hours(25).map((hour): [number, boolean] => [hour * 20 + 5, hour % 2 === 0])),
    gaps: hours(25).map((hour) => ({ fromMs: at(hour * 22 + 3), untilMs: at(hour * 22 + 6) })),
  });
  const bound = withinBounds(whole, at(600));
  expect([bound.prices.length, bound.stock?.length, bound.gaps?.length]).toEqual([49, 20, 20]);
  // More than a hundred runs were before: an hour is an hour, whichever it is.
  const lasted = (known: KnownOffer) => {
    const totals = new Map<number | null, number>();
    for (const [from = 0, until = 0, price = null] of runs(known, 700))
      totals.set(price, (totals.get(price) ?? 0) + (until ?? 0) - (from ?? 0));
    return [...totals].sort(([a], [b]) => (a ?? 0) - (b ?? 0));
  };
  expect(lasted(bound)).toEqual(lasted(whole));
  expect(runs(bound, 700)).toEqual(runs(whole, 700));
});
