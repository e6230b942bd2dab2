import { describe, expect, test } from 'vitest';
import type { FieldRule } from '../../src/deals/belief.ts';
import { SAME_END_MS } from '../../src/deals/field-rules.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { ASTONISHING_FACTOR, isPlausible, OFFER_RULES } from '../../src/deals/offer-belief.ts';
import type { PriceRange } from '../../src/deals/price.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { anOffer, NOW_MS } from '../helpers/things.ts';

/** Whether one answer is enough for this change of a field. */
function isEnough(field: keyof Offer, was: unknown, says: unknown): boolean {
  const rule = OFFER_RULES[field] as FieldRule<unknown> | undefined;
  if (!rule) throw new Error(`${field} has no rule`);
  return rule.isBelievedAtOnce(was, says, NOW_MS);
}

test('every field of an offer has a rule, but those that no feed says of the offer itself', () => {
  const { id: _id, site: _site, ...believed } = anOffer(1);
  expect(Object.keys(OFFER_RULES).toSorted()).toEqual(Object.keys(believed).toSorted());
});

describe('a price', () => {
  const range = (minimum: number, maximum = minimum): PriceRange => ({ minimum, maximum });

  test.each<[string, PriceRange | null, PriceRange | null, boolean]>([
    ['the first one', null, range(3000), true],
    ['none where there was one', range(20), null, false],
    ['a fifth', range(20), range(4), true],
    ['just below a fifth', range(20), range(3.99), false],
    ['five times as much', range(20), range(100), true],
    ['just above five times', range(20), range(100.01), false],
    ['a fifth in cents', range(0.05), range(0.01), true],
    ['a range whose cheapest is just below a fifth', range(20, 30), range(3.99, 30), false],
    ['a range whose dearest is just above five times', range(20, 30), range(20, 150.01), false],
    ['a range within both limits', range(20, 30), range(4, 150), true],
  ])('%s', (_, was, says, expected) => {
    expect(isPlausible(was, says)).toBe(expected);
    expect(isEnough('salePrice', was, says)).toBe(expected);
  });

  test('the limit is the same whichever way the price goes', () => {
    const limit = 20 * ASTONISHING_FACTOR;
    expect([isPlausible(range(20), range(limit)), isPlausible(range(limit), range(20))]).toEqual([true, true]);
    expect([isPlausible(range(20), range(limit + 1)), isPlausible(range(limit + 1), range(20))]).toEqual([
      false,
      false,
    ]);
  });

  test('a list price is told at once and changed by two answers: no news depends on it', () => {
    expect(isEnough('listPrice', null, range(40))).toBe(true);
    expect(isEnough('listPrice', range(40), range(41))).toBe(false);
    expect(isEnough('listPrice', range(40), null)).toBe(false);
  });

  test('the same price is the same, whatever object it is', () => {
    expect(OFFER_RULES.salePrice?.isSame(range(20), range(20))).toBe(true);
    expect(OFFER_RULES.salePrice?.isSame(range(20), range(20, 21))).toBe(false);
    expect(OFFER_RULES.listPrice?.isSame(null, range(20))).toBe(false);
  });
});

describe('an end', () => {
  test.each<[string, number | null, number | null, boolean]>([
    ['later, of a live offer', NOW_MS + HOUR_MS, NOW_MS + HOUR_MS + 1, true],
    ['earlier', NOW_MS + HOUR_MS, NOW_MS + HOUR_MS - 1, false],
    ['in the past', NOW_MS + HOUR_MS, NOW_MS - 1, false],
    ['now', NOW_MS + HOUR_MS, NOW_MS, false],
    ['none any more', NOW_MS + HOUR_MS, null, false],
    ['the first one, in the future', null, NOW_MS + 1, true],
    ['the first one, now', null, NOW_MS, false],
    ['the first one, in the past', null, NOW_MS - 1, false],
    ['later, of an offer that ends in this moment', NOW_MS, NOW_MS + HOUR_MS, false],
    ['later, of an offer that ends in the next one', NOW_MS + 1, NOW_MS + HOUR_MS, true],
    ['none, of an offer that has ended', NOW_MS - 1, null, false],
  ])('%s', (_, was, says, expected) => {
    expect(isEnough('endDateMs', was, says)).toBe(expected);
  });
});

test('an end that moves by less than a minute is the same', () => {
  for (const direction of [1, -1]) {
    expect(OFFER_RULES.endDateMs?.isSame(NOW_MS, NOW_MS + direction * (SAME_END_MS - 1))).toBe(true);
    expect(OFFER_RULES.endDateMs?.isSame(NOW_MS, NOW_MS + direction * SAME_END_MS)).toBe(false);
  }
  expect(OFFER_RULES.endDateMs?.isSame(NOW_MS, null)).toBe(false);
});

test('that an offer is sold out is believed at once, that it is back is not', () => {
  expect(isEnough('isSoldOut', false, true)).toBe(true);
  expect(isEnough('isSoldOut', true, false)).toBe(false);
});

test.each(['subtitle', 'condition', 'photo', 'url', 'forumUrl'] as const)(
  '%s is added at once, and else needs two',
  (field) => {
    expect(isEnough(field, null, 'x')).toBe(true);
    expect(isEnough(field, 'x', 'y')).toBe(false);
    expect(isEnough(field, 'x', null)).toBe(false);
  },
);

test('a start is added at once, and else needs two', () => {
  expect(isEnough('startDateMs', null, NOW_MS)).toBe(true);
  expect(isEnough('startDateMs', NOW_MS, NOW_MS + 1)).toBe(false);
  expect(isEnough('startDateMs', NOW_MS, null)).toBe(false);
});

test.each(['isDealOff', 'isFeatured', 'isFulfilledByPartner', 'isAvailableOnMobileAppOnly'] as const)(
  '%s needs two answers, either way',
  (field) => {
    expect([isEnough(field, false, true), isEnough(field, true, false)]).toEqual([false, false]);
  },
);

test('a title needs two answers, since watches and products follow it', () => {
  expect(isEnough('title', 'Kettle', 'Samovar')).toBe(false);
});

test('categories are added at once where there were none, and are the same only in the same order', () => {
  expect(isEnough('categories', [], ['HOME'])).toBe(true);
  expect(isEnough('categories', ['HOME'], [])).toBe(false);
  expect(isEnough('categories', ['HOME'], ['HOME', 'HOME/Bath'])).toBe(false);
  const isSame = (one: string[], other: string[]) => OFFER_RULES.categories?.isSame(one, other);
  expect([isSame(['A', 'B'], ['A', 'B']), isSame(['A', 'B'], ['B', 'A']), isSame(['A'], ['A', 'B'])]).toEqual([
    true,
    false,
    false,
  ]);
});
