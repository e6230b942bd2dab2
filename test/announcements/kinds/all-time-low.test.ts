import { expect, test } from 'vitest';
import { headlineOf, KINDS } from '../../../src/announcements/kinds/index.ts';
import type { AnnouncementOf } from '../../../src/deals/announcement.ts';
import type { OfferChange } from '../../../src/deals/change.ts';
import { observedBefore } from '../../../src/deals/observed-prices.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { aKnownOffer, anOffer, NOW_MS, uuid } from '../../helpers/things.ts';

const kind = KINDS['all-time-low'];
const english = translatorFor('en-US');
const SINCE_MS = NOW_MS - 10 * 24 * HOUR_MS;
const dollars = (price: number) => ({ minimum: price, maximum: price });

/** An offer at `price` of a product that cost `before`, ten days ago. */
function offered(price: number, before: number): Offer {
  const salePrice = dollars(price);
  const runs = [{ fromMs: SINCE_MS, untilMs: NOW_MS, price: dollars(before) }];
  const observed = observedBefore(runs, salePrice, NOW_MS);
  return anOffer(1, { salePrice, ...(observed ? { observed } : {}) });
}

const changed = (kind: OfferChange['kind'], offer: Offer) =>
  ({ kind, known: aKnownOffer(1, offer), feeds: ['home'], before: dollars(99), storyMs: 0 }) as OfferChange;

function low(offer = offered(19, 20)): AnnouncementOf<'all-time-low'> {
  const announcement = kind.announce(changed('price-confirmed', offer));
  if (!announcement) throw new Error('no announcement');
  return announcement;
}

test('it is off by default', () => {
  expect(kind.isDefault).toBe(false);
});

test('a new low is announced once two answers have shown its price, also in a feed that it enters later', () => {
  expect(low()).toMatchObject({ subject: uuid(1), occurrence: '19', low: 20, sinceMs: SINCE_MS });
  expect(kind.announce(changed('entered', offered(19, 20)))).toEqual(low());
  for (const other of ['appeared', 'price-dropped', 'restocked', 'price-raised'] as const) {
    expect(kind.announce(changed(other, offered(19, 20)))).toBeNull();
  }
});

test('a price that was there before, or of a product that was never seen, is no new low', () => {
  expect(kind.announce(changed('price-confirmed', offered(20, 20)))).toBeNull();
  expect(kind.announce(changed('price-confirmed', anOffer(1)))).toBeNull();
  expect(kind.announce(changed('entered', anOffer(1)))).toBeNull();
});

test('it ends when the price is as high as the low before, or the offer is over', () => {
  const announced = low();
  expect(kind.isLive(announced, NOW_MS)).toBe(true);
  const at = (changes: Partial<Offer>) => ({ ...announced, item: { ...announced.item, ...changes } });
  expect(kind.isLive(at({ salePrice: dollars(19.99) }), NOW_MS)).toBe(true);
  expect(kind.isLive(at({ salePrice: dollars(20) }), NOW_MS)).toBe(false);
  expect(kind.isLive(at({ salePrice: null }), NOW_MS)).toBe(false);
  expect(kind.isLive(at({ isSoldOut: true }), NOW_MS)).toBe(false);
});

test('it ends when another listing costs less', () => {
  const announced = low();
  const { observed } = announced.item;
  if (!observed) throw new Error('nothing observed');
  const beaten = {
    ...announced,
    item: { ...announced.item, observed: { ...observed, beatenBy: { price: 18, atMs: NOW_MS } } },
  };
  expect(kind.isLive(beaten, NOW_MS)).toBe(false);
  expect(headlineOf(beaten, english)).toBe('🏆 **All-time low** · no longer: it’s been $18.00 since');
  // A later price of the offer itself that is no low either.
  const own = {
    ...announced,
    item: { ...offered(19.5, 17), observed: { ...observed, low: { price: 17, atMs: NOW_MS } } },
  };
  expect(headlineOf(own, english)).toBe('🏆 **All-time low** · no longer: it’s been $17.00 since');
});

test('of a price of which nothing is known yet, it claims nothing', () => {
  const { item, ...announced } = low();
  const { observed: _, ...plain } = item;
  const unsure = { ...announced, item: { ...plain, salePrice: dollars(19.5) } };
  expect(headlineOf(unsure, english)).toBe('🏆 **All-time low**');
  expect(kind.isLive(unsure, NOW_MS)).toBe(false);
});

test('where the product was not seen on most days, it says so', () => {
  const salePrice = dollars(19);
  const runs = [{ fromMs: SINCE_MS, untilMs: SINCE_MS + 12 * HOUR_MS, price: dollars(20) }];
  const observed = observedBefore(runs, salePrice, NOW_MS);
  const announced = low(anOffer(1, { salePrice, ...(observed ? { observed } : {}) }));
  const since = translatorFor('en-US').date(SINCE_MS);
  expect(headlineOf(announced, english)).toBe(
    `🏆 **All-time low** · below $20.00, the lowest we’d seen since ${since}, with gaps`,
  );
});

test('its headline says since when, also after the price rose again', () => {
  const since = translatorFor('en-US').date(SINCE_MS);
  expect(headlineOf(low(), english)).toBe(`🏆 **All-time low** · below $20.00, the lowest since ${since}`);
  const risen = { ...low(), item: { ...low().item, salePrice: dollars(20) } };
  expect(headlineOf(risen, english)).toBe('🏆 **All-time low** · no longer: it’s back at $20.00 or more');
  expect(headlineOf({ ...risen, item: { ...risen.item, salePrice: null } }, english)).toBe('🏆 **All-time low**');
});

test('an offer that has got the name of another product since says what is known of that one', () => {
  const salePrice = dollars(19);
  const renamedMs = SINCE_MS + 24 * HOUR_MS;
  const runs = [{ fromMs: renamedMs, untilMs: NOW_MS, price: dollars(25) }];
  const observed = observedBefore(runs, salePrice, NOW_MS);
  if (!observed) throw new Error('Nothing was observed.');
  const renamed = { ...low(), item: { ...low().item, observed } };
  expect(headlineOf(renamed, english)).toBe(
    `🏆 **All-time low** · below $25.00, the lowest since ${translatorFor('en-US').date(renamedMs)}`,
  );
});
