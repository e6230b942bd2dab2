import { describe, expect, test } from 'vitest';
import { arrivalAfter, arrivalOnceAsked, undecidedOf } from '../../src/deals/arrival.ts';
import type { Arrival } from '../../src/deals/known-offer.ts';
import type { ObservedPrices } from '../../src/deals/observed-prices.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { anOffer, NOW_MS } from '../helpers/things.ts';

const OFFER = anOffer(1);
const SOLD_OUT = anOffer(1, { isSoldOut: true });
const OBSERVED: ObservedPrices = {
  atMs: NOW_MS,
  sinceMs: NOW_MS - HOUR_MS,
  low: { price: 25, atMs: NOW_MS - HOUR_MS },
  lowestSinceMs: null,
  usual: null,
};

type Case = [title: string, fields: string[], ...of: Parameters<typeof undecidedOf>];

test.each<Case>([
  ['is nothing, where all is there', [], OFFER, new Set(), undefined],
  ['is a price that is missing', ['salePrice'], anOffer(1, { salePrice: null }), new Set(), undefined],
  ['is categories that are missing', ['categories'], anOffer(1, { categories: [] }), new Set(), undefined],
  [
    'is what could not be read, each field once',
    ['salePrice', 'title'],
    anOffer(1, { salePrice: null }),
    new Set(['salePrice', 'title']),
    undefined,
  ],
  [
    'is its product’s prices, where one answer alone has shown the price',
    ['observed'],
    OFFER,
    new Set(),
    { observed: OBSERVED, isSeenOnce: true },
  ],
  ['is nothing of them, once two have', [], OFFER, new Set(), { observed: OBSERVED }],
  ['is nothing of them, where none were observed', [], OFFER, new Set(), { isSeenOnce: true }],
])('what is not known of a new offer %s', (_, fields, ...of) => {
  expect(undecidedOf(...of)).toEqual(fields);
});

const undecided = (...fields: string[]): Arrival => ({ answers: 1, undecided: fields, wasOver: false });
const OVER: Arrival = { answers: 1, undecided: [], wasOver: true };
const believed = { value: OFFER, dissents: {}, seenOnce: [] };

describe('a new offer after one more answer', () => {
  test('waits for the fields that are still not known, and for no others', () => {
    expect(arrivalAfter(undecided('salePrice', 'title'), believed, ['title', 'categories'], NOW_MS)).toEqual({
      arrival: { answers: 2, undecided: ['title'], wasOver: false },
    });
    expect(arrivalAfter(undecided('salePrice'), believed, ['categories'], NOW_MS)).toEqual({});
  });

  test('is decided by the third answer that shows it, whatever is missing', () => {
    const third = arrivalAfter({ ...undecided('salePrice'), answers: 2 }, believed, ['salePrice'], NOW_MS);
    expect(third).toEqual({});
    const stillOver = arrivalAfter({ ...OVER, answers: 2 }, { ...believed, value: SOLD_OUT }, [], NOW_MS);
    expect(stillOver).toEqual({});
    const dissents = { home: { isSoldOut: { says: false, sinceMs: NOW_MS } } };
    const inDoubt = arrivalAfter({ ...OVER, answers: 2 }, { ...believed, value: SOLD_OUT, dissents }, [], NOW_MS);
    expect(inDoubt.arrival?.wasOver, 'while a feed says that it can be bought').toBe(true);
  });

  test('that could not be bought waits until it can be', () => {
    const waiting = { arrival: { ...OVER, answers: 2 } };
    expect(arrivalAfter(OVER, { ...believed, value: SOLD_OUT }, [], NOW_MS)).toEqual(waiting);
    expect(arrivalAfter(OVER, { ...believed, value: anOffer(1, { endDateMs: NOW_MS }) }, [], NOW_MS)).toEqual(waiting);
    expect(arrivalAfter(OVER, { ...believed, value: anOffer(1, { endDateMs: NOW_MS + 1 }) }, [], NOW_MS)).toEqual({});
    expect(arrivalAfter(OVER, believed, [], NOW_MS)).toEqual({});
  });

  test('that could be bought does not begin to wait because it no longer can be', () => {
    expect(arrivalAfter(undecided('title'), { ...believed, value: SOLD_OUT }, [], NOW_MS)).toEqual({});
    expect(arrivalAfter(undecided('title'), { ...believed, value: SOLD_OUT }, ['title'], NOW_MS)).toEqual({
      arrival: { answers: 2, undecided: ['title'], wasOver: false },
    });
  });

  test('stays as it is while one answer alone calls it sold out', () => {
    const was = { ...undecided('title'), answers: 2 };
    const once = { ...believed, value: SOLD_OUT, seenOnce: ['isSoldOut'] as const };
    expect(arrivalAfter(was, once, ['title'], NOW_MS)).toEqual({ arrival: was });
    expect(arrivalAfter(was, { ...once, seenOnce: ['title'] }, ['title'], NOW_MS)).toEqual({});
    expect(arrivalAfter(was, { ...once, value: OFFER }, ['title'], NOW_MS)).toEqual({});
    // One that arrived sold out is no news of it.
    expect(arrivalAfter({ ...OVER, answers: 2 }, once, [], NOW_MS)).toEqual({});
  });
});

describe('a new offer that was asked itself', () => {
  test('waits for its fields as before, however many answers have shown it', () => {
    const was = { ...undecided('salePrice'), answers: 2 };
    expect(arrivalOnceAsked(was, OFFER, NOW_MS)).toEqual({ arrival: was });
    expect(arrivalOnceAsked(was, SOLD_OUT, NOW_MS)).toEqual({ arrival: was });
  });

  test('is known to be for sale, or not', () => {
    expect(arrivalOnceAsked(OVER, SOLD_OUT, NOW_MS)).toEqual({ arrival: OVER });
    expect(arrivalOnceAsked(OVER, anOffer(1, { endDateMs: NOW_MS }), NOW_MS)).toEqual({ arrival: OVER });
    expect(arrivalOnceAsked(OVER, OFFER, NOW_MS)).toEqual({});
    expect(arrivalOnceAsked({ ...OVER, undecided: ['title'] }, OFFER, NOW_MS)).toEqual({
      arrival: { answers: 1, undecided: ['title'], wasOver: false },
    });
  });
});
