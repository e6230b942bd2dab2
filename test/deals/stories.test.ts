import { describe, expect, test } from 'vitest';
import type { PriceAt, PriceDrop, StockAt } from '../../src/deals/known-offer.ts';
import { dropTo, QUIET_MS, storyOfRestock } from '../../src/deals/stories.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { NOW_MS } from '../helpers/things.ts';

const at = (afterMs: number) => NOW_MS + afterMs;
const price = (minimum: number, maximum = minimum) => ({ minimum, maximum });
const since = (afterMs: number, dollars: number | null, changes: Partial<PriceAt> = {}): PriceAt => ({
  atMs: at(afterMs),
  salePrice: dollars === null ? null : price(dollars),
  ...changes,
});
const ONCE = { isSeenOnce: true } as const;
const told = (storyMs: number) => ({ drop: { storyMs, times: 0, before: price(20), beforeForMs: 1 } });

/** The drop to a price, at a moment. */
const drop = (dollars: number | null, prices: readonly PriceAt[], afterMs: number, isAstonishing = false) =>
  dropTo(dollars === null ? null : price(dollars), prices, { isAstonishing, seenMs: at(afterMs), nowMs: at(afterMs) });

test('six hours without a change end a story', () => {
  expect(QUIET_MS).toBe(6 * HOUR_MS);
});

describe('a drop', () => {
  test('begins a story, and says from which price, and for how long it had cost that', () => {
    expect(drop(15, [since(0, 20)], 500)).toEqual({ storyMs: at(500), times: 0, before: price(20), beforeForMs: 500 });
  });

  test.each<[string, number | null, PriceAt[]]>([
    ['a raise', 25, [since(0, 20)]],
    ['the same price', 20, [since(0, 20)]],
    ['the loss of the price', null, [since(0, 20)]],
    ['a price of nothing', 0, [since(0, 20)]],
    ['the first price', 20, [since(0, null)]],
  ])('is not %s', (_, dollars, prices) => {
    expect(drop(dollars, prices, 500)).toBeNull();
  });

  test('counts by the cheapest variant', () => {
    const prices = [{ atMs: at(0), salePrice: price(20, 30) }];
    expect(dropTo(price(20, 25), prices, { isAstonishing: false, seenMs: at(1), nowMs: at(1) })).toBeNull();
    expect(dropTo(price(19, 40), prices, { isAstonishing: false, seenMs: at(1), nowMs: at(1) })).toMatchObject({
      before: price(20, 30),
    });
  });

  test('is told from the last price that two answers have shown', () => {
    expect(drop(25, [since(0, 30), since(10, 60, ONCE)], 20)).toMatchObject({ before: price(30), beforeForMs: 10 });
    expect(drop(40, [since(0, 30), since(10, 60, ONCE)], 20), 'no drop from what one answer showed').toBeNull();
  });

  test('had cost that also before one answer alone showed another price', () => {
    const flipped = (changes: Partial<PriceAt>) => [since(0, 20), since(100, 30, changes), since(110, 20)];
    expect(drop(15, flipped(ONCE), 500)?.beforeForMs).toBe(500);
    expect(drop(15, flipped({}), 500)?.beforeForMs).toBe(390);
  });

  test('had cost that until it was last seen', () => {
    const found = dropTo(price(15), [since(0, 20)], { isAstonishing: false, seenMs: at(400), nowMs: at(500) });
    expect(found).toMatchObject({ storyMs: at(500), beforeForMs: 400 });
  });

  test('is told from the last price before it was none', () => {
    expect(drop(40, [since(0, 80), since(10, null)], 20)).toMatchObject({ before: price(80), beforeForMs: 10 });
  });

  test('is told from the first price of an offer that has only just appeared, unless the step is astonishing', () => {
    expect(drop(15, [since(0, 20, ONCE)], 10)).toMatchObject({ before: price(20), beforeForMs: 10 });
    expect(drop(15, [since(0, 999, ONCE)], 10, true)).toBeNull();
    expect(drop(15, [since(0, 999)], 10, true), 'two answers have shown it').toMatchObject({ before: price(999) });
  });

  test('to a price that was told is the same story until the price has stood still for six hours', () => {
    const prices = [since(0, 20), since(100, 15, told(at(100))), since(200, 20)];
    const again = (afterMs: number) => drop(15, prices, afterMs)?.storyMs;
    expect(again(200 + QUIET_MS - 1)).toBe(at(100));
    expect(again(200 + QUIET_MS)).toBe(at(200 + QUIET_MS));
    const stood = [since(0, 20), since(100, 15, told(at(100))), since(100 + QUIET_MS, 20)];
    expect(drop(15, stood, 200 + QUIET_MS)?.storyMs, 'it had stood still before').toBe(at(200 + QUIET_MS));
  });

  test('keeps its story however long the price comes and goes', () => {
    let prices = [since(0, 20), since(1, 15, told(at(1)))];
    for (let change = 1; change < 20; change += 1) {
      const afterMs = change * 5 * HOUR_MS;
      const found = change % 2 === 0 ? drop(15, prices, afterMs) : null;
      if (change % 2 === 0) expect(found?.storyMs).toBe(at(1));
      prices = [...prices, since(afterMs, change % 2 === 0 ? 15 : 20, found ? { drop: found } : {})];
    }
  });

  test('is named by how often the price was told before, whenever it is found', () => {
    const times = (found: PriceDrop | null) => found?.times;
    const once = [since(0, 20), since(100, 15, told(at(100))), since(200, 20)];
    expect(times(drop(15, [since(0, 20)], 100))).toBe(0);
    expect(times(drop(15, [since(0, 20)], 999)), 'a state that was restored finds it later').toBe(0);
    expect(times(drop(15, once, 300)), 'the same story').toBe(0);
    expect(times(drop(15, once, 200 + QUIET_MS))).toBe(1);
    expect(times(drop(14, once, 300)), 'another price').toBe(0);
    const raised = [...once, since(300, 10), since(300 + QUIET_MS, 15), since(300 + 2 * QUIET_MS, 20)];
    expect(times(drop(15, raised, 300 + 3 * QUIET_MS)), 'a raise to the price in between').toBe(1);
  });

  test('to another price is another story', () => {
    const prices = [since(0, 20), since(100, 15, told(at(100))), since(200, 20)];
    expect(drop(14, prices, 300)?.storyMs).toBe(at(300));
  });

  test('to the price with which the offer was told as new is none, until that has stood still', () => {
    const prices = [since(0, 20), since(100, 25)];
    expect(drop(20, prices, 200)).toBeNull();
    expect(drop(20, prices, 100 + QUIET_MS)).toMatchObject({ storyMs: at(100 + QUIET_MS), before: price(25) });
  });
});

describe('a restock', () => {
  const stock = (...all: readonly [afterMs: number, isSoldOut: boolean, changes?: Partial<StockAt>][]): StockAt[] =>
    all.map(([afterMs, isSoldOut, changes]) => ({ atMs: at(afterMs), isSoldOut, ...changes }));

  test('begins a story with the moment of the sell-out', () => {
    expect(storyOfRestock(stock([0, true]), at(500))).toBe(at(0));
  });

  test('is no news where one answer alone has shown the sell-out, or none has', () => {
    expect(storyOfRestock(stock([0, true, ONCE]), at(500))).toBeUndefined();
    expect(storyOfRestock([], at(500))).toBeUndefined();
    expect(storyOfRestock(stock([0, true], [5, false]), at(500))).toBeUndefined();
  });

  test('is the same story until the stock has stood still for six hours', () => {
    const before = stock([0, true], [100, false, { storyMs: at(0) }], [200, true]);
    expect(storyOfRestock(before, at(200 + QUIET_MS - 1))).toBe(at(0));
    expect(storyOfRestock(before, at(200 + QUIET_MS))).toBe(at(200));
    const stood = stock([0, true], [100, false, { storyMs: at(0) }], [100 + QUIET_MS, true]);
    expect(storyOfRestock(stood, at(200 + QUIET_MS)), 'it had stood still before').toBe(at(100 + QUIET_MS));
  });

  test('stays in its story over sell-outs that one answer alone has shown', () => {
    const before = stock([0, true], [100, false, { storyMs: at(0) }], [200, true, ONCE], [300, false], [400, true]);
    expect(storyOfRestock(before, at(500))).toBe(at(0));
  });
});
