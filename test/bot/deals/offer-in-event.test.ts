import { expect, test } from 'vitest';
import type { ShippingMethod } from '../../../src/bot/deals/offer.ts';
import { withEventOffer } from '../../../src/bot/deals/offer-in-event.ts';
import { anEventOffer, anItem, anOfferDetail } from '../../helpers/things.ts';

function aMethod(name: string, changes: Partial<ShippingMethod> = {}): ShippingMethod {
  return {
    name,
    perOrderAmount: null,
    perEventAmount: null,
    perItemAmount: null,
    excludedStates: [],
    excludedPostalCodes: [],
    excludePOBox: false,
    ...changes,
  };
}

test('v2 tells how many of a variant one may buy', () => {
  const offer = anOfferDetail(1, { items: [anItem(1), anItem(2), anItem(3, { purchaseLimit: 1 })] });
  const inEvent = anEventOffer(1, { items: [anItem(1, { purchaseLimit: 5 }), anItem(3, { purchaseLimit: 9 })] });
  expect(withEventOffer(offer, inEvent).items.map(({ purchaseLimit }) => purchaseLimit)).toEqual([5, null, 1]);
});

test('the portal tells whom a way of shipping does not reach, v2 what it costs', () => {
  const offer = anOfferDetail(1, {
    shippingMethods: [aMethod('Standard', { excludedStates: ['AK'] }), aMethod('Slow', { excludePOBox: true })],
  });
  const inEvent = anEventOffer(1, {
    shippingMethods: [aMethod('Standard', { perOrderAmount: 5 }), aMethod('Express', { perItemAmount: 1 })],
  });
  expect(withEventOffer(offer, inEvent).shippingMethods).toEqual([
    aMethod('Standard', { excludedStates: ['AK'], perOrderAmount: 5 }),
    aMethod('Slow', { excludePOBox: true }),
    aMethod('Express', { perItemAmount: 1 }),
  ]);
});
