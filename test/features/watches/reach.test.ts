import { describe, expect, test } from 'vitest';
import type { PriceAt } from '../../../src/deals/known-offer.ts';
import { observedBefore } from '../../../src/deals/observed-prices.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import {
  asNotMessaged,
  firstLookAt,
  isOfProduct,
  lookAt,
  type ProductWatch,
} from '../../../src/features/watches/reach.ts';
import type { OfferAim } from '../../../src/features/watches/watch.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aKnownOffer, NOW_MS, uuid } from '../../helpers/things.ts';

const dollars = (price: number) => ({ minimum: price, maximum: price });
const PRODUCT = { key: 'kettle|', title: 'Kettle', offerId: uuid(1) };

const listing = (number: number, offer: Partial<Offer> = {}) =>
  aKnownOffer(number, { title: 'Kettle', endDateMs: null, ...offer });
const costing = (price: number, number = 1) => listing(number, { salePrice: dollars(price) });
const over = (number: number, offer: Partial<Offer> = {}) =>
  aKnownOffer(number, { title: 'Kettle', ...offer }, { overAtMs: NOW_MS });

/** An offer that costs `price`, of a product that was seen at `before` for ten days. */
/** @param last what it cost just before, after `before` */
function lowOf(price: number, before: number, last = before) {
  const runs = [
    { fromMs: NOW_MS - 240 * HOUR_MS, untilMs: NOW_MS - 120 * HOUR_MS, price: dollars(before) },
    { fromMs: NOW_MS - 120 * HOUR_MS, untilMs: NOW_MS, price: dollars(last) },
  ];
  const observed = observedBefore(runs, dollars(price), NOW_MS);
  return listing(1, { salePrice: dollars(price), ...(observed && { observed }) });
}

/** A watch that is looked at again and again: which of the looks are news. */
function aWatch(aim: OfferAim, below: number | null = aim === 'price' ? 15 : null) {
  let watch: ProductWatch = { aim, product: PRODUCT, below };
  return {
    watch: () => watch,
    /** The id of the offer that is told; null for none. */
    look: (listings: readonly ReturnType<typeof listing>[], nowMs = NOW_MS): string | null => {
      const { reach, by, isNews } = lookAt(watch, listings, nowMs);
      watch = { ...watch, ...(reach && { reach }) };
      return isNews ? (by?.offer.id ?? null) : null;
    },
  };
}

test('a watch is of one product, or for what is new', () => {
  expect(isOfProduct({ aim: 'price', product: PRODUCT, below: 5 })).toBe(true);
  expect(isOfProduct({ aim: 'new', product: null, below: null })).toBe(false);
});

describe('is reached', () => {
  const endsIn = (ms: number) => listing(1, { endDateMs: NOW_MS + ms });
  test.each<[string, OfferAim, ReturnType<typeof listing>, boolean]>([
    ['a price at the limit', 'price', costing(15), true],
    ['a price above it', 'price', costing(15.01), false],
    ['a range that begins below it', 'price', listing(1, { salePrice: { minimum: 9, maximum: 99 } }), true],
    ['no price', 'price', listing(1, { salePrice: null }), false],
    ['a price of 0', 'price', costing(0), false],
    ['a price of what is sold out', 'price', listing(1, { salePrice: dollars(9), isSoldOut: true }), false],
    ['a price of what is gone', 'price', over(1, { salePrice: dollars(9) }), false],
    ['a price of what has ended', 'price', listing(1, { salePrice: dollars(9), endDateMs: NOW_MS }), false],
    ['stock', 'stock', listing(1), true],
    ['stock without a price', 'stock', listing(1, { salePrice: null }), true],
    ['what is sold out', 'stock', listing(1, { isSoldOut: true }), false],
    ['what no feed holds', 'stock', over(1), false],
    ['a price below all before', 'low', lowOf(19, 20), true],
    ['a price that was there before', 'low', lowOf(20, 20), false],
    ['a price of which nothing is known', 'low', costing(1), false],
    ['an end in three hours', 'end', endsIn(3 * HOUR_MS), true],
    ['a later end', 'end', endsIn(3 * HOUR_MS + 1), false],
    ['an end that has passed', 'end', endsIn(0), false],
    ['no end', 'end', listing(1, { endDateMs: null }), false],
  ])('%s, for the aim %s', (_, aim, known, isReached) => {
    const watch: ProductWatch = { aim, product: PRODUCT, below: aim === 'price' ? 15 : null };
    expect(lookAt(watch, [known], NOW_MS).by).toBe(isReached ? known : null);
  });

  test.each<[string, ReturnType<typeof listing>, boolean]>([
    ['a price below all before', lowOf(19, 20, 25), true],
    ['the lowest price before', lowOf(20, 20, 25), true],
    ['a price that was never dearer', lowOf(20, 20), false],
    ['one above the lowest', lowOf(21, 20, 25), false],
    ['one of which nothing is known', costing(1), false],
  ])('%s, for the aim low that counts the lowest before', (_, known, isReached) => {
    const watch: ProductWatch = { aim: 'low', product: PRODUCT, below: null, again: true };
    expect(lookAt(watch, [known], NOW_MS).by).toBe(isReached ? known : null);
  });
});

describe.each<[OfferAim, ReturnType<typeof listing>]>([
  ['price', costing(14)],
  ['stock', listing(1)],
  ['low', lowOf(19, 20)],
  ['end', listing(1, { endDateMs: NOW_MS + 2 * HOUR_MS })],
])('a watch for %s', (aim, reached) => {
  test('tells once, for as long as it stays so, and stays as it is meanwhile', () => {
    const { look, watch } = aWatch(aim);
    expect(look([])).toBeNull();
    expect(watch().reach, 'nothing to keep').toBeUndefined();
    expect(look([reached])).toBe(uuid(1));
    const { reach } = watch();
    expect(look([reached], NOW_MS + HOUR_MS)).toBeNull();
    expect(watch().reach).toBe(reach);
  });

  test('is the same story for six hours', () => {
    const { look, watch } = aWatch(aim);
    look([reached]);
    expect(look([over(1)], NOW_MS + MINUTE_MS)).toBeNull();
    const { reach } = watch();
    expect(look([], NOW_MS + 2 * MINUTE_MS)).toBeNull();
    expect(watch().reach, 'over since the first look that shows it').toBe(reach);
    expect(look([reached], NOW_MS + HOUR_MS)).toBeNull();
    expect(watch().reach).toMatchObject({ sinceMs: NOW_MS + HOUR_MS, endedAtMs: null, told: { atMs: NOW_MS } });
  });
});

test('a price is told again where it was above the limit for six hours, however long it was below it', () => {
  const { look } = aWatch('price');
  look([costing(14)]);
  const risesMs = NOW_MS + 72 * HOUR_MS;
  look([costing(16)], risesMs);
  expect(look([costing(14.5)], risesMs + 6 * HOUR_MS - 1)).toBeNull();
  look([costing(16)], risesMs + 7 * HOUR_MS);
  expect(look([costing(14.5)], risesMs + 13 * HOUR_MS)).toBe(uuid(1));
});

test.each<[string, true | undefined, string | null]>([
  ['one answer alone had shown the price', true, uuid(1)],
  ['two answers had shown it', undefined, null],
])('where %s that was told, a dearer one is told within six hours: %s', (_, isSeenOnce, told) => {
  const { look } = aWatch('price');
  const priced = (price: number, minute: number) => ({ atMs: NOW_MS + minute * MINUTE_MS, salePrice: dollars(price) });
  const prices: readonly PriceAt[] = [
    priced(30, 0),
    { ...priced(3, 1), ...(isSeenOnce && { isSeenOnce }) },
    priced(30, 2),
    priced(14, 3),
  ];
  expect(look([{ ...costing(3), prices: prices.slice(0, 2) }])).toBe(uuid(1));
  look([{ ...costing(30), prices: prices.slice(0, 3) }], NOW_MS + MINUTE_MS);
  expect(look([{ ...costing(14), prices }], NOW_MS + HOUR_MS)).toBe(told);
});

test('stock is told again where it had lasted for six hours, or was gone for so long', () => {
  const { look } = aWatch('stock');
  const soldOut = [listing(1, { isSoldOut: true })];
  const at = (hours: number) => NOW_MS + hours * HOUR_MS;
  look([listing(1)]);
  look(soldOut, at(5));
  expect(look([listing(1)], at(10))).toBeNull();
  look(soldOut, at(16) - 1);
  expect(look([listing(1)], at(16)), 'one story from the first time on').toBeNull();
  look(soldOut, at(22));
  expect(look([listing(1)], at(22) + MINUTE_MS), 'it had lasted').toBe(uuid(1));
  look(soldOut, at(23));
  expect(look([listing(1)], at(29)), 'it was gone').toBe(uuid(1));
});

test('stock that one answer alone calls sold out has not gone', () => {
  const { look, watch } = aWatch('stock');
  look([listing(1)]);
  const { reach } = watch();
  const doubtful = aKnownOffer(1, { isSoldOut: true, endDateMs: null }, { seenOnce: ['isSoldOut'] });
  look([doubtful], NOW_MS + 9 * HOUR_MS);
  expect(watch().reach).toBe(reach);
  look([{ ...doubtful, seenOnce: ['salePrice'] }], NOW_MS + 9 * HOUR_MS);
  expect(watch().reach?.endedAtMs).toBe(NOW_MS + 9 * HOUR_MS);
});

test('the cheapest listing is told, and each that is cheaper than what was told', () => {
  const { look } = aWatch('price');
  expect(look([costing(14, 1), costing(13, 2)])).toBe(uuid(2));
  expect(look([costing(14, 1), costing(14.5, 2)])).toBeNull();
  expect(look([costing(13, 1), costing(14.5, 2)])).toBeNull();
  expect(look([costing(12.99, 1), costing(14.5, 2)])).toBe(uuid(1));
  expect(look([costing(16, 1)], NOW_MS + HOUR_MS)).toBeNull();
  expect(look([costing(12, 3)], NOW_MS + 2 * HOUR_MS), 'in the same story').toBe(uuid(3));
});

test('an end is told again when it is three hours later than the one that was told', () => {
  const { look } = aWatch('end');
  const ending = (atMs: number) => [listing(1, { endDateMs: atMs })];
  const endMs = NOW_MS + HOUR_MS;
  expect(look(ending(endMs))).toBe(uuid(1));
  expect(look(ending(endMs + HOUR_MS))).toBeNull();
  expect(look(ending(endMs + 3 * HOUR_MS)), 'far away').toBeNull();
  expect(look(ending(endMs + 3 * HOUR_MS), endMs)).toBe(uuid(1));
});

test('who makes a watch for what is in stock sees that, and hears when it comes back, however soon', () => {
  const watch: ProductWatch = { aim: 'stock', product: PRODUCT, below: null };
  const first = firstLookAt(watch, [listing(1)], NOW_MS);
  expect(first).toMatchObject({ isNews: false, by: listing(1), reach: { endedAtMs: null, told: null } });
  const made = { ...watch, ...(first.reach && { reach: first.reach }) };
  expect(lookAt(made, [listing(1)], NOW_MS + 1).isNews).toBe(false);
  const { reach } = lookAt(made, [], NOW_MS + 2);
  expect(lookAt({ ...made, ...(reach && { reach }) }, [listing(1)], NOW_MS + 3).isNews).toBe(true);
  expect(firstLookAt(watch, [], NOW_MS)).toEqual({ by: null, isNews: false });
  expect(firstLookAt({ ...watch, aim: 'price', below: 20 }, [listing(1)], NOW_MS).isNews).toBe(true);
});

test('its messages are counted over all stories, also where one does not count as told', () => {
  const { look, watch } = aWatch('price');
  look([costing(14)]);
  expect(watch().reach?.times).toBe(1);
  look([costing(13)], NOW_MS + HOUR_MS);
  expect(watch().reach?.times).toBe(2);
  look([costing(16)], NOW_MS + 2 * HOUR_MS);
  look([costing(13)], NOW_MS + 3 * HOUR_MS);
  expect(watch().reach?.times, 'nothing is told').toBe(2);
  const again = lookAt(asNotMessaged(watch(), NOW_MS + 3 * HOUR_MS), [costing(13)], NOW_MS + 3 * HOUR_MS);
  expect(again).toMatchObject({ isNews: true, reach: { times: 3 } });
  expect(asNotMessaged({ aim: 'price', product: PRODUCT, below: 15 }, NOW_MS)).not.toHaveProperty('reach');
});

test('making a watch for stock anew counts no message', () => {
  const made = { aim: 'stock' as const, product: PRODUCT, below: null };
  const told = lookAt(made, [listing(1)], NOW_MS);
  const again = firstLookAt(
    asNotMessaged({ ...made, ...(told.reach && { reach: told.reach }) }, NOW_MS),
    [listing(1)],
    NOW_MS,
  );
  expect(again).toMatchObject({ isNews: false, reach: { told: null, times: 1 } });
});
