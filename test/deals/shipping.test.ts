import { expect, test } from 'vitest';
import type { ShippingMethod } from '../../src/deals/offer.ts';
import { shippingCost, unreachedBy } from '../../src/deals/shipping.ts';

const method = (changes: Partial<ShippingMethod>): ShippingMethod => ({
  name: 'Standard',
  perOrderAmount: null,
  perEventAmount: null,
  perItemAmount: null,
  excludedStates: [],
  excludedPostalCodes: [],
  excludePOBox: false,
  ...changes,
});

test.each<[string, Partial<ShippingMethod>[], number | null]>([
  ['no method', [], null],
  ['one that tells no amount', [{}], null],
  ['all that one of it costs', [{ perOrderAmount: 5, perEventAmount: 0, perItemAmount: 1.5 }], 6.5],
  ['the cheapest', [{ perOrderAmount: 12.5 }, { perOrderAmount: 5 }, {}], 5],
  ['nothing', [{ perOrderAmount: 0 }], 0],
])('shipping costs: %s', (_, methods, cost) => {
  expect(shippingCost(methods.map(method))).toBe(cost);
});

test('only places that no method reaches are excluded', () => {
  expect(unreachedBy([])).toEqual({ states: [], hasPOBoxes: false });
  const ground = method({ excludedStates: ['AK', 'HI', 'PR'], excludePOBox: true });
  expect(unreachedBy([ground])).toEqual({ states: ['AK', 'HI', 'PR'], hasPOBoxes: true });
  expect(unreachedBy([ground, method({ excludedStates: ['HI', 'PR', 'GU'] })])).toEqual({
    states: ['HI', 'PR'],
    hasPOBoxes: false,
  });
});
