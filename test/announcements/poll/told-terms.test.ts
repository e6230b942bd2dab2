import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KINDS_OF } from '../../../src/announcements/kinds/of-source.ts';
import { LONGEST_CONFIRMING_MS } from '../../../src/announcements/poll/asking.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aPoller } from '../../helpers/poller.ts';
import { anItem, anOffer, anOfferDetail, aSubscription, uuid } from '../../helpers/things.ts';

const ANYWHERE = { perOrderAmount: null, perEventAmount: null, perItemAmount: null, excludedPostalCodes: [] };
const shipped = (changes: { excludedStates?: string[]; perOrderAmount?: number; excludePOBox?: boolean }) => [
  { name: 'Ground', ...ANYWHERE, excludedStates: [], excludePOBox: false, ...changes },
];
const sold = (asin: string) => ({ ...anItem(1), asin });
const notToHawaii = shipped({ excludedStates: ['AK', 'HI'] });

/** A feed that has been read once, and that a subscription with the filter follows. */
async function following(filter: string) {
  const parts = await aPoller();
  await parts.store.subscriptions.save(aSubscription('s', { filter }));
  parts.put([anOffer(1)]);
  await parts.look();
  await parts.clock.advance(MINUTE_MS);
  return parts;
}

test('what is new is asked where it is sent before it is matched; what no answer excludes counts as sent', async () => {
  const { put, look, details, detailsAsked, subjects, clock } = await following('ships:hi');
  details.set(uuid(2), anOfferDetail(2, { shippingMethods: notToHawaii }));
  details.set(uuid(3), anOfferDetail(3, { shippingMethods: shipped({ excludedStates: ['AK'] }) }));
  put([2, 3, 4].map((number) => anOffer(number)));
  await look();
  expect(detailsAsked).toEqual([2, 3, 4].map(uuid));
  expect(subjects().toSorted()).toEqual([3, 4].map(uuid));
  await clock.advance(MINUTE_MS);
  await look();
  expect(detailsAsked, 'nothing is asked again that stays as it is').toHaveLength(3);
});

test.each([
  ['ships:HI', []],
  ['-ships:HI', [2]],
  ['ships:AL', [2]],
  ['ships:pobox', [2]],
  ['kettle -ships:AK', [2]],
  ['total:<=25', []],
  ['total:<=26', [2]],
  ['price:<=25', [2]],
])('%s takes an offer for $20.99 and $5 shipping that is not sent to AK and HI: %j', async (filter, taken) => {
  const { put, look, details, subjects } = await following(filter);
  const items = [anItem(1, { salePrice: 20.99 })];
  const shippingMethods = shipped({ excludedStates: ['AK', 'HI'], perOrderAmount: 5 });
  details.set(uuid(2), anOfferDetail(2, { items, shippingMethods }));
  put([anOffer(2, { salePrice: { minimum: 20.99, maximum: 20.99 } })]);
  await look();
  expect(subjects()).toEqual(taken.map(uuid));
});

test('a drop of what was known is asked about, once', async () => {
  const { put, look, details, detailsAsked, subjects, clock, store } = await following('ships:HI');
  details.set(uuid(1), anOfferDetail(1, { shippingMethods: notToHawaii, items: [anItem(1, { salePrice: 50 })] }));
  for (const dollars of [50, 40]) {
    put([anOffer(1, { salePrice: { minimum: dollars, maximum: dollars } })]);
    await look();
    await clock.advance(MINUTE_MS);
  }
  expect([subjects(), detailsAsked]).toEqual([[], [uuid(1)]]);
  expect((await store.offers.all()).map(({ terms }) => terms?.notToStates)).toEqual([['AK', 'HI']]);
});

test('it is asked for a role that depends on it, too', async () => {
  const { put, look, store, detailsAsked, clock } = await following('');
  put([anOffer(2)]);
  await look();
  expect(detailsAsked).toEqual([]);
  await store.subscriptions.save(aSubscription('s', { mentioned: [{ roleId: '7', filter: 'ships:HI' }] }));
  await clock.advance(MINUTE_MS);
  put([anOffer(3)]);
  await look();
  expect(detailsAsked).toEqual([uuid(3)]);
});

test('where no filter of the feed depends on it, nothing is asked, nor once the last one is removed', async () => {
  const { put, look, detailsAsked, store, clock } = await following('kettle price:<1000');
  put([anOffer(2)]);
  await look();
  await store.subscriptions.save(aSubscription('s', { filter: 'ships:HI' }));
  await store.subscriptions.remove('s');
  await store.subscriptions.save(aSubscription('other', { filter: '' }));
  await clock.advance(MINUTE_MS);
  put([anOffer(3)]);
  await look();
  expect(detailsAsked).toEqual([]);
});

test('where no answer comes, the offers are posted after ten seconds, as if nothing were excluded', async () => {
  const { put, look, beforeDetails, subjects, clock } = await following('ships:HI');
  beforeDetails(() => new Promise(() => undefined));
  put([anOffer(2)]);
  const looking = look();
  await clock.untilSleeping((ms) => ms === LONGEST_CONFIRMING_MS);
  expect(subjects()).toEqual([]);
  await clock.advance(LONGEST_CONFIRMING_MS);
  await looking;
  expect(subjects()).toEqual([uuid(2)]);
});

test('after these ten seconds no more is asked, however many offers are left', async () => {
  const { put, look, beforeDetails, detailsAsked, subjects, clock } = await following('ships:HI');
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  beforeDetails(() => answered);
  put(Array.from({ length: 60 }, (_, index) => anOffer(index + 2)));
  const looking = look();
  await clock.untilSleeping((ms) => ms === LONGEST_CONFIRMING_MS);
  await clock.advance(LONGEST_CONFIRMING_MS);
  await looking;
  answer();
  await setImmediate();
  expect([detailsAsked.length, subjects().length]).toEqual([25, 60]);
});

test('more than one request holds are asked in several, as long as requests for news are left', async () => {
  const { put, look, details, detailsAsked, subjects, quota, clock } = await following('ships:HI');
  const many = Array.from({ length: 60 }, (_, index) => index + 2);
  for (const number of many) details.set(uuid(number), anOfferDetail(number, { shippingMethods: notToHawaii }));
  put(many.map((number) => anOffer(number)));
  await look();
  expect([detailsAsked.length, subjects()]).toEqual([60, []]);
  quota.spent = quota.limit;
  await clock.advance(MINUTE_MS);
  put([anOffer(90)]);
  await look();
  expect([detailsAsked.length, subjects()]).toEqual([60, [uuid(90)]]);
});

test('a person who looks does not wait for it', async () => {
  const { put, poller, detailsAsked, subjects } = await following('ships:HI');
  put([anOffer(2)]);
  await poller.poll('feed:Home', 'interactive');
  expect([detailsAsked, subjects()]).toEqual([[], [uuid(2)]]);
});

test('a product that comes back under another title is known again by its ASIN, which offers are asked for', async () => {
  const { put, look, clear, details, enqueued, clock, store } = await following('ships:HI');
  await store.subscriptions.save(aSubscription('s', { filter: 'ships:HI', kinds: [...KINDS_OF.feed.all] }));
  for (const number of [2, 3, 4]) details.set(uuid(number), anOfferDetail(number, { items: [sold('B00TEST123')] }));
  details.set(uuid(5), anOfferDetail(5, { items: [sold('B00OTHER12')] }));
  put([anOffer(2, { title: 'Acme Kettle' })]);
  await look();
  clear();
  for (const _ of ['missed', 'gone']) {
    await clock.advance(HOUR_MS);
    await look();
  }
  put([anOffer(3, { title: 'Steel kettle by Acme' }), anOffer(5, { title: 'Glass kettle' })]);
  await look();
  const came = new Map(enqueued().map(({ subject, ...announcement }) => [subject, announcement]));
  expect(came.get(uuid(3))).toMatchObject({ kind: 'relisted', before: { offerId: uuid(2) } });
  expect(came.get(uuid(5))).toMatchObject({ kind: 'new-offer' });
  await clock.advance(MINUTE_MS);
  put([anOffer(4, { title: 'Kettle of steel' })]);
  await look();
  expect(enqueued().find(({ subject }) => subject === uuid(4))?.kind, 'another one is on sale').toBe('new-offer');
});
