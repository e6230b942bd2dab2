import { expect, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { headlineOf } from '../../../src/announcements/kinds/index.ts';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import type { AnnouncementOf } from '../../../src/deals/announcement.ts';
import { observedBefore } from '../../../src/deals/observed-prices.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import type { OfferAim } from '../../../src/features/watches/watch.ts';
import { announce, type WatchMessage, watchReached } from '../../../src/features/watches/watch-reached.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { openedRecords, openedState } from '../../helpers/opened-state.ts';
import { aKnownOffer, anOffer, NOW_MS, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

const dollars = (price: number) => ({ minimum: price, maximum: price });
const SINCE_MS = NOW_MS - 10 * 24 * HOUR_MS;
const observed = observedBefore([{ fromMs: SINCE_MS, untilMs: NOW_MS, price: dollars(20) }], dollars(14), NOW_MS);
const OFFER = anOffer(1, { salePrice: dollars(14), endDateMs: NOW_MS + 2 * HOUR_MS, ...(observed && { observed }) });

const TELLING: WatchMessage = { watchId: 'w1', told: { offerId: uuid(1), atMs: NOW_MS, value: 14 }, times: 1 };

function told(aim: OfferAim, changes: Partial<Offer> = {}, telling = TELLING): AnnouncementOf<'watch-reached'> {
  const product = { key: 'kettle|', title: 'Kettle', offerId: uuid(1) };
  const found = announce({ aim, product, below: aim === 'price' ? 15 : null }, OFFER, telling);
  return { ...found, item: { ...OFFER, ...changes } };
}

test('no subscription can ask for it', () => {
  expect(KINDS_OF.feed.all).not.toContain('watch-reached');
});

test('a message is the same whenever it is found, and no other one', () => {
  const first = told('price');
  expect(first).toMatchObject({ subject: uuid(1), occurrence: 'price-w1-14-1' });
  const later = { ...TELLING, told: { ...TELLING.told, atMs: NOW_MS + HOUR_MS } };
  expect(told('price', {}, later).occurrence, 'found again from an older copy of the state').toBe(first.occurrence);
  for (const other of [
    told('stock'),
    told('price', {}, { ...TELLING, watchId: 'w2' }),
    told('price', {}, { ...TELLING, times: 2 }),
    told('price', {}, { ...TELLING, told: { ...TELLING.told, value: 13 } }),
  ]) {
    expect(other.occurrence).not.toBe(first.occurrence);
  }
  expect(told('stock', {}, { ...TELLING, told: { ...TELLING.told, value: null } }).occurrence).toBe('stock-w1--1');
});

test.each<[OfferAim, Partial<Offer>, string | null]>([
  ['price', {}, '$15.00 or less'],
  ['price', { salePrice: dollars(15) }, '$15.00 or less'],
  ['price', { salePrice: dollars(16) }, 'no longer: it costs more than $15.00 again'],
  ['stock', { salePrice: dollars(99) }, 'back in stock'],
  ['low', {}, `below $20.00, the lowest since ${translatorFor('en-US').date(SINCE_MS)}`],
  ['low', { salePrice: dollars(20) }, 'no longer: it’s back at $20.00 or more'],
  ['end', {}, `ends <t:${(NOW_MS + 2 * HOUR_MS) / 1000}:R>`],
  ['end', { endDateMs: null }, null],
])('a watch for %s says of %j: %s', (aim, changes, lead) => {
  const headline = headlineOf(told(aim, changes), translatorFor('en-US'), [watchReached]);
  expect(headline).toBe(['🎯 **Your alert**', ...(lead === null ? [] : [lead])].join(' · '));
});

test.each<[Partial<Offer>, string | null]>([
  [{}, `back at its lowest price since ${translatorFor('en-US').date(SINCE_MS)}`],
  [{ salePrice: dollars(13) }, 'below $14.00'],
  [{ salePrice: dollars(15) }, 'no longer: it costs more than $14.00 again'],
  [{ salePrice: null }, null],
])('a watch for the lowest price, which comes again, says of %j: %s', async (changes, lead) => {
  const runs = [
    { fromMs: SINCE_MS, untilMs: SINCE_MS + 24 * HOUR_MS, price: dollars(14) },
    { fromMs: SINCE_MS + 24 * HOUR_MS, untilMs: NOW_MS, price: dollars(20) },
  ];
  const then = observedBefore(runs, OFFER.salePrice, NOW_MS);
  const equal = { ...OFFER, ...(then && { observed: then }) };
  const product = { key: 'kettle|', title: 'Kettle', offerId: uuid(1) };
  const found = announce({ aim: 'low', product, below: null, again: true }, equal, TELLING);
  const shown = { ...found, item: { ...equal, ...changes } };
  const headline = headlineOf(shown, translatorFor('en-US'), [watchReached]);
  if (lead === null) expect(headline).toBe('🎯 **Your alert**');
  else expect(headline).toContain(lead);
  expect(watchReached.isLive(shown, NOW_MS)).toBe(lead !== null && !lead.startsWith('no longer'));
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
])('a watch for %s with %j is live: %s', async (aim, changes, isStill) => {
  const store = await openedRecords(openedState().state);
  const fateOf = (more: Partial<Offer> = {}) => {
    const known = aKnownOffer(1, { ...OFFER, ...changes, ...more });
    const currentState = new CurrentState({ get: () => known }, store, [watchReached]);
    return currentState.fateOf(told(aim), NOW_MS);
  };
  expect(fateOf() === 'live').toBe(isStill);
  expect(fateOf({ isSoldOut: true })).not.toBe('live');
});
