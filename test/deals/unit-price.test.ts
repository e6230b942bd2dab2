import { expect, test } from 'vitest';
import { inOrder } from '../../src/deals/feed-order.ts';
import { quantityIn, unitPriceOf } from '../../src/deals/unit-price.ts';
import { aKnownOffer } from '../helpers/things.ts';
import { WITH, WITHOUT } from './unit-price-titles.ts';

function written(title: string): string | null {
  const found = quantityIn(title);
  return found && `${Number(found.amount.toFixed(4))} ${found.unit}`;
}

test('a table of two hundred titles, half of which say nothing beyond doubt', () => {
  expect([WITH.length, WITHOUT.length]).toEqual([100, 100]);
  expect(WITH.map(([title]) => [title, written(title)])).toEqual(WITH);
  expect(WITHOUT.map((title) => [title, written(title)])).toEqual(WITHOUT.map((title) => [title, null]));
});

test.each([
  'Cordless Drill with 2 Batteries',
  'Water Pitcher w/ 3-Pack Filters',
  'Espresso Machine + 50 Capsules',
  'Desk Lamp, includes 2 LED Bulbs',
  'Dispenser and 12 rolls',
  '1 ct. Diamond Studs',
  'Moissanite Ring 2 ct',
])('what only comes with it, or is a carat, is no quantity: %s', (title) => {
  expect(quantityIn(title)).toBeNull();
});

const offer = (number: number, title: string, price: number, subtitle: string | null = null) =>
  aKnownOffer(number, { title, subtitle, salePrice: { minimum: price, maximum: price } }).offer;

test('the subtitle tells it where the title does not', () => {
  expect(unitPriceOf(offer(1, 'AA batteries', 12, '24-pack'))).toEqual({ price: 0.5, unit: 'each' });
  expect(unitPriceOf(offer(1, 'AA batteries, 12-pack', 12, 'also as a 24-pack'))).toEqual({ price: 1, unit: 'each' });
});

test('the cheapest for one of a unit comes first, what measures the same stands together, the rest is last', () => {
  const offers = [
    offer(1, 'Kettle', 1),
    offer(2, 'Sponges, 24-pack', 12),
    offer(3, '4TB External Hard Drive', 64),
    offer(4, 'Sponges, 12-pack', 3),
    offer(5, '500GB SSD', 40),
  ];
  expect(inOrder(offers, 'unit').map(({ title }) => title)).toEqual([
    '4TB External Hard Drive',
    '500GB SSD',
    'Sponges, 12-pack',
    'Sponges, 24-pack',
    'Kettle',
  ]);
});
