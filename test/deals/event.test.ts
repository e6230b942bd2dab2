import { expect, test } from 'vitest';
import { asOffer, withEventOffer } from '../../src/deals/event.ts';
import type { ShippingMethod } from '../../src/deals/offer.ts';
import { anEvent, anEventOffer, anItem, anOfferDetail } from '../helpers/things.ts';

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

test('an offer of an event costs what its variants cost, and lasts as long as the event', () => {
  const event = anEvent(1, { type: 'DealOff', endDateMs: null });
  const items = [anItem(1, { salePrice: 20, listPrice: null }), anItem(2, { salePrice: 30, listPrice: 60 })];
  const photos = [
    { url: 'https://pictures.example/a.jpg', width: 1, height: 1, caption: null, tags: [] },
    { url: 'https://pictures.example/b.jpg', width: 1, height: 1, caption: null, tags: ['fullsize-0'] },
  ];
  expect(asOffer(anEventOffer(2, { items, photos, soldOut: true }), event)).toMatchObject({
    photo: 'https://pictures.example/b.jpg',
    startDateMs: event.startDateMs,
    endDateMs: null,
    salePrice: { minimum: 20, maximum: 30 },
    listPrice: { minimum: 60, maximum: 60 },
    isSoldOut: true,
    isDealOff: true,
    site: event.site,
  });
});
