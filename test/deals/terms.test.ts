import { expect, test } from 'vitest';
import type { ShippingMethod } from '../../src/deals/offer.ts';
import { termsOf } from '../../src/deals/terms.ts';
import { anItem } from '../helpers/things.ts';

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
const shippedBy = (...methods: Partial<ShippingMethod>[]) =>
  termsOf({ items: [anItem(1)], shippingMethods: methods.map(method) });

test.each<[string, Partial<ShippingMethod>[], number | null]>([
  ['no method', [], null],
  ['one that tells no amount', [{}], null],
  ['all that one of it costs', [{ perOrderAmount: 5, perEventAmount: 0, perItemAmount: 1.5 }], 6.5],
  ['the cheapest', [{ perOrderAmount: 12.5 }, { perOrderAmount: 5 }, {}], 5],
  ['nothing', [{ perOrderAmount: 0 }], 0],
])('shipping costs: %s', (_, methods, cost) => {
  expect(shippedBy(...methods).shipping).toBe(cost);
});

test('only places that no method reaches are excluded', () => {
  const ground = { excludedStates: ['AK', 'HI', 'PR'], excludePOBox: true };
  expect(shippedBy()).toMatchObject({ notToStates: [], notToPOBoxes: false });
  expect(shippedBy(ground)).toMatchObject({ notToStates: ['AK', 'HI', 'PR'], notToPOBoxes: true });
  expect(shippedBy(ground, { excludedStates: ['HI', 'PR', 'GU'] })).toMatchObject({
    notToStates: ['HI', 'PR'],
    notToPOBoxes: false,
  });
});

test.each<[string, (number | null)[], number | null | undefined, number | null]>([
  ['that of the offer', [null, 2], 5, 5],
  ['that of all items', [3, 3], undefined, 3],
  ['none where items differ', [3, 0], undefined, null],
  ['none where there is none', [0, null], 0, null],
])('the limit is %s', (_, limits, purchaseLimit, limit) => {
  const items = limits.map((own, index) => anItem(index + 1, { purchaseLimit: own }));
  const offer = { items, shippingMethods: [], ...(purchaseLimit === undefined ? {} : { purchaseLimit }) };
  expect(termsOf(offer)).toMatchObject({ limit, variants: items.length });
});

test.each<[string, Record<string, string>[], string | undefined]>([
  ['sizes', [{ Size: 'S' }, { Size: 'M' }, { Size: 'L' }], 'size'],
  [
    'colours of one size',
    [
      { Colour: 'red', Size: 'M' },
      { Colour: 'blue', Size: 'M' },
    ],
    'color',
  ],
  [
    'neither, but both',
    [
      { Color: 'red', Size: 'M' },
      { Color: 'blue', Size: 'L' },
    ],
    undefined,
  ],
  ['another thing', [{ Scent: 'pine' }, { Scent: 'fig' }], undefined],
  ['sizes of which two are the same', [{ Size: 'S' }, { Size: 'M' }, { Size: 'M' }], undefined],
  ['nothing that is told', [{}, {}], undefined],
])('variants differ in %s', (_, all, by) => {
  const items = all.map((attributes, index) =>
    anItem(index + 1, { attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })) }),
  );
  expect(termsOf({ items, shippingMethods: [] }).variantsBy).toBe(by);
});
