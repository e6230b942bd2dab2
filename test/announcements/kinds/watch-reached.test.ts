import { expect, test } from 'vitest';
import { headlineOf, isLive, KINDS } from '../../../src/announcements/kinds/index.ts';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import type { AnnouncementOf } from '../../../src/deals/announcement.ts';
import { observedBefore } from '../../../src/deals/observed-prices.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import type { OfferAim } from '../../../src/deals/watch.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { anOffer, HOUR_MS, NOW_MS, uuid } from '../../helpers/things.ts';

const dollars = (price: number) => ({ minimum: price, maximum: price });
const SINCE_MS = NOW_MS - 10 * 24 * HOUR_MS;
const observed = observedBefore([{ fromMs: SINCE_MS, untilMs: NOW_MS, price: dollars(20) }], dollars(14), NOW_MS);
const OFFER = anOffer(1, { salePrice: dollars(14), endDateMs: NOW_MS + 2 * HOUR_MS, ...(observed && { observed }) });

function told(aim: OfferAim, changes: Partial<Offer> = {}): AnnouncementOf<'watch-reached'> {
  const product = { key: 'kettle|', title: 'Kettle', offerId: uuid(1) };
  const found = KINDS['watch-reached'].announce({ aim, product, below: aim === 'price' ? 15 : null }, OFFER, NOW_MS);
  return { ...found, item: { ...OFFER, ...changes } };
}

test('no subscription can ask for it', () => {
  expect(KINDS_OF.feed.all).not.toContain('watch-reached');
});

test('what two watches tell of one offer, or one tells at two times, is told apart', () => {
  expect(told('price')).toMatchObject({ subject: uuid(1), occurrence: `price-${NOW_MS}` });
  expect(told('stock').occurrence).not.toBe(told('price').occurrence);
});

test.each<[OfferAim, Partial<Offer>, string | null]>([
  ['price', {}, '$15.00 or less'],
  ['price', { salePrice: dollars(15) }, '$15.00 or less'],
  ['price', { salePrice: dollars(16) }, 'no longer: it costs more than $15.00 again'],
  ['stock', { salePrice: dollars(99) }, 'back in stock'],
  ['low', {}, `below $20.00, the lowest since <t:${SINCE_MS / 1000}:D>`],
  ['low', { salePrice: dollars(20) }, 'no longer: it’s back at $20.00 or more'],
  ['end', {}, `ends <t:${(NOW_MS + 2 * HOUR_MS) / 1000}:R>`],
  ['end', { endDateMs: null }, null],
])('a watch for %s says of %j: %s', (aim, changes, lead) => {
  const headline = headlineOf(told(aim, changes), translatorFor('en-US'));
  expect(headline).toBe(['🎯 **Your watch**', ...(lead === null ? [] : [lead])].join(' · '));
});

test.each<[OfferAim, Partial<Offer>, boolean]>([
  ['price', {}, true],
  ['price', { salePrice: dollars(15.01) }, false],
  ['price', { salePrice: null }, false],
  ['stock', { salePrice: null }, true],
  ['low', { salePrice: dollars(19.99) }, true],
  ['low', { salePrice: dollars(20) }, false],
  ['end', { endDateMs: NOW_MS + 3 * HOUR_MS }, true],
  ['end', { endDateMs: NOW_MS + 3 * HOUR_MS + 1 }, false],
  ['end', { endDateMs: null }, false],
])('a watch for %s with %j is live: %s', (aim, changes, isStill) => {
  expect(isLive(told(aim, changes), NOW_MS)).toBe(isStill);
  expect(isLive(told(aim, { ...changes, isSoldOut: true }), NOW_MS)).toBe(false);
});
