import { expect, test } from 'vitest';
import { type FeedOrder, inOrder } from '../../src/deals/feed-order.ts';
import { hasEnded, isOver, newestFirst } from '../../src/deals/life.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { anOffer, NOW_MS, uuid } from '../helpers/things.ts';

const price = (minimum: number, maximum = minimum) => ({ minimum, maximum });
const numbers = (offers: readonly Offer[]) =>
  offers.map(({ id }) => [1, 2, 3, 4].find((number) => uuid(number) === id));

test.each<[FeedOrder, Partial<Offer>[], number[]]>([
  ['newest', [{ startDateMs: 1 }, { startDateMs: null }, { startDateMs: 3 }, { startDateMs: 2 }], [3, 4, 1, 2]],
  [
    'discount',
    [
      { salePrice: price(30), listPrice: price(40) },
      { salePrice: null },
      { salePrice: price(10), listPrice: price(40) },
      { salePrice: price(39, 60), listPrice: price(40, 120) },
    ],
    [3, 4, 1, 2],
  ],
  [
    'best',
    [
      { salePrice: price(50), listPrice: price(100) },
      { salePrice: null },
      { salePrice: price(45), listPrice: price(100) },
      { salePrice: price(50), listPrice: price(100), isFeatured: true },
    ],
    [4, 3, 1, 2],
  ],
  [
    'price',
    [{ salePrice: price(7, 9) }, { salePrice: null }, { salePrice: price(5) }, { salePrice: price(6, 90) }],
    [3, 4, 1, 2],
  ],
  ['ending', [{ endDateMs: 9 }, { endDateMs: null }, { endDateMs: 7 }, { endDateMs: 8 }], [3, 4, 1, 2]],
])('sorted by %s, with what does not say at the end', (order, changes, expected) => {
  expect(
    numbers(
      inOrder(
        changes.map((change, index) => anOffer(index + 1, change)),
        order,
      ),
    ),
  ).toEqual(expected);
});

test.each<FeedOrder>(['discount', 'price', 'ending'])(
  'equals by %s are newest first, and then as they came',
  (order) => {
    const none = { salePrice: null, endDateMs: null };
    for (const shared of [{}, none]) {
      const offers = [5, 7, null, 5].map((startDateMs, index) => anOffer(index + 1, { startDateMs, ...shared }));
      expect(numbers(inOrder(offers, order))).toEqual([2, 1, 4, 3]);
    }
  },
);

test('things without a start keep their order, behind those with one', () => {
  const started = [null, -1, null, 0].map((startDateMs, index) => anOffer(index + 1, { startDateMs }));
  expect(numbers(newestFirst(started))).toEqual([4, 2, 1, 3]);
});

test('an offer has ended at its end, and is over when it is sold out too', () => {
  const at = (endDateMs: number | null, isSoldOut = false) => {
    const offer = anOffer(1, { endDateMs, isSoldOut });
    return [hasEnded(offer, NOW_MS), isOver(offer, NOW_MS)];
  };
  expect(at(NOW_MS + 1)).toEqual([false, false]);
  expect(at(NOW_MS)).toEqual([true, true]);
  expect(at(null)).toEqual([false, false]);
  expect(at(null, true)).toEqual([false, true]);
});
