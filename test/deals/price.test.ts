import { expect, test } from 'vitest';
import { discountOf, priceRangeOf, priceStep } from '../../src/deals/price.ts';

const price = (minimum: number, maximum = minimum) => ({ minimum, maximum });

test.each([
  ['a price against a price', price(84.95), price(129.95), { minimum: 34, maximum: 34 }],
  ['a span against a span, end by end', price(159.99, 199.99), price(329.99, 519.99), { minimum: 51, maximum: 61 }],
  ['a price against a span', price(6.99), price(49, 99), { minimum: 85, maximum: 92 }],
  ['ends that cross are put in order', price(10, 90), price(20, 100), { minimum: 10, maximum: 50 }],
  ['half off is exactly half', price(50), price(100), { minimum: 50, maximum: 50 }],
  ['a third is not promised as more', price(66.67), price(100), { minimum: 33, maximum: 33 }],
  ['dearer than listed is no discount', price(120), price(100), null],
  ['less than one percent is no discount', price(99.5), price(100), null],
  ['a span of which only a part is cheaper', price(50, 110), price(100, 100), { minimum: 0, maximum: 50 }],
  ['no list price', price(10), null, null],
  ['no sale price', null, price(10), null],
  ['a list price of nothing', price(0), price(0), null],
])('%s', (_, sale, list, discount) => {
  expect(discountOf(sale, list)).toEqual(discount);
});

test('the span of some prices leaves out the unknown ones', () => {
  expect(priceRangeOf([3, null, 1, 2])).toEqual({ minimum: 1, maximum: 3 });
  expect(priceRangeOf([null])).toBeNull();
});

test.each([
  ['half off less a cent is not half', price(50.01), price(100), { minimum: 49, maximum: 49 }],
  ['one percent is a discount', price(99), price(100), { minimum: 1, maximum: 1 }],
  ['a list price of nothing beside a real one', price(0, 50), price(0, 100), { minimum: 0, maximum: 50 }],
  ['for nothing is all off', price(0), price(100), { minimum: 100, maximum: 100 }],
])('%s', (_, sale, list, discount) => {
  expect(discountOf(sale, list)).toEqual(discount);
});

test.each([
  ['fell', price(20), price(19.99), -0.01],
  ['rose', price(0.1), price(0.3), 0.2],
  ['is the same', price(20), price(20), 0],
  ['fell at both ends alike', price(10.1, 20.2), price(9.1, 19.2), -1],
  ['fell at one end', price(10, 20), price(9, 20), null],
  ['rose at one end by a cent more', price(10, 20), price(11, 21.01), null],
])('a price that %s', (_, before, now, step) => {
  expect(priceStep(before, now)).toBe(step);
});
