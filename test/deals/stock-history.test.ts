import { expect, test } from 'vitest';
import { StockHistory } from '../../src/deals/stock-history.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { anEvent, anEventOffer, NOW_MS, uuid } from '../helpers/things.ts';

const at = (minutes: number) => NOW_MS + minutes * MINUTE_MS;
const showing = (percentageRemaining: number | null, soldOut = false) =>
  anEvent(1, { endDateMs: at(600), offers: [anEventOffer(101, { percentageRemaining, soldOut })] });

/** Notes what is left at these minutes, and says in how many minutes from the last it sells out. */
function sellsOutIn(...left: [minutes: number, percent: number | null][]): number | null {
  const stock = new StockHistory();
  for (const [minutes, percent] of left) stock.note([showing(percent)], at(minutes));
  const nowMs = at(left.at(-1)?.[0] ?? 0);
  const atMs = stock.sellsOutAtMs(uuid(101), nowMs);
  return atMs === null ? null : (atMs - nowMs) / MINUTE_MS;
}

test('three points show a pace, two do not', () => {
  expect(sellsOutIn([0, 60], [10, 50])).toBeNull();
  expect(sellsOutIn([0, 60], [10, 50], [20, 40])).toBeCloseTo(40);
});

test('the line that fits best counts, and the latest twelve points only', () => {
  expect(sellsOutIn([0, 61], [10, 49], [20, 40])).toBeCloseTo(37.6, 1);
  const slow: [number, number][] = Array.from({ length: 5 }, (_, index) => [index * 100 - 500, 100]);
  const fast: [number, number][] = Array.from({ length: 12 }, (_, index) => [index * 10, 90 - index * 5]);
  expect(sellsOutIn(...slow, ...fast)).toBeCloseTo(70);
});

test('a fall of less than three percentage points shows no pace', () => {
  expect(sellsOutIn([0, 60], [10, 59], [20, 58])).toBeNull();
  expect(sellsOutIn([0, 60], [10, 59], [20, 57])).not.toBeNull();
  expect(sellsOutIn([0, 60], [10, 60], [20, 60])).toBeNull();
});

test('what would take a day is not foretold', () => {
  expect(sellsOutIn([0, 99], [30, 97.5], [60, 96])).toBeNull(); // 32 hours
  expect(sellsOutIn([0, 75], [30, 73.5], [60, 72])).toBeNull(); // 24 hours
  expect(sellsOutIn([0, 74], [30, 72.5], [60, 71])).toBeCloseTo(1420);
});

test('more stock, a clock set back, or an unknown share begins anew', () => {
  expect(sellsOutIn([0, 60], [10, 50], [20, 55], [30, 45])).toBeNull();
  expect(sellsOutIn([0, 60], [10, 50], [5, 40], [6, 30])).toBeNull();
  expect(sellsOutIn([0, 60], [10, 50], [20, null], [30, 40], [40, 30])).toBeNull();
  expect(sellsOutIn([0, 60], [10, 50], [20, 55], [30, 45], [40, 35])).toBeCloseTo(35);
});

test('what an answer lacks, or is sold out, is forgotten', () => {
  const stock = new StockHistory();
  for (const [minutes, percent] of [
    [0, 60],
    [10, 50],
    [20, 40],
  ] as const)
    stock.note([showing(percent)], at(minutes));
  expect(stock.sellsOutAtMs(uuid(101), at(20))).toBe(at(60));
  // Past its moment nothing is said.
  expect(stock.sellsOutAtMs(uuid(101), at(60))).toBeNull();
  stock.note([showing(40, true)], at(30));
  expect(stock.sellsOutAtMs(uuid(101), at(30))).toBeNull();
  for (const [minutes, percent] of [
    [40, 60],
    [50, 50],
    [60, 40],
  ] as const)
    stock.note([showing(percent)], at(minutes));
  stock.note([], at(70));
  expect(stock.sellsOutAtMs(uuid(101), at(70))).toBeNull();
});

test('an event tells of its offers, unless it ends before', () => {
  const stock = new StockHistory();
  for (const [minutes, percent] of [
    [0, 60],
    [10, 50],
    [20, 40],
  ] as const)
    stock.note([showing(percent)], at(minutes));
  expect(stock.foretold(showing(40), at(20)).offers[0]?.sellsOutAtMs).toBe(at(60));
  const short = { ...showing(40), endDateMs: at(60) };
  expect(stock.foretold(short, at(20)).offers[0]).not.toHaveProperty('sellsOutAtMs');
  expect(stock.foretold({ ...short, endDateMs: null }, at(20)).offers[0]?.sellsOutAtMs).toBe(at(60));
  expect(stock.foretold(showing(40, true), at(20)).offers[0]).not.toHaveProperty('sellsOutAtMs');
});
