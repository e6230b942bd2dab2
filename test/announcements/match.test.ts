import { expect, test } from 'vitest';
import { deliveriesOf, deliveryId, followersOf, wants } from '../../src/announcements/match.ts';
import type { Announcement } from '../../src/deals/announcement.ts';
import { EVENT_TYPES, isWanted, SITE_PREFIXES } from '../../src/deals/event.ts';
import { anEvent, anOffer, aSubscription, HOUR_MS, NOW_MS, newOfferOf, uuid } from '../helpers/things.ts';

const kettle = newOfferOf(anOffer(1, { startDateMs: NOW_MS - 2 * HOUR_MS }));
const toaster = newOfferOf(anOffer(2, { startDateMs: NOW_MS - HOUR_MS }));

test('the id of a delivery is the same whenever it is computed, and fits a nonce', () => {
  expect(deliveryId('10', kettle)).toBe(deliveryId('10', newOfferOf(anOffer(1, { title: 'Another title' }))));
  expect(deliveryId('10', kettle)).not.toBe(deliveryId('11', kettle));
  expect(deliveryId('10', kettle)).not.toBe(deliveryId('10', toaster));
  expect(deliveryId('10', kettle)).toMatch(/^[\w-]{22}$/);
});

test('several subscriptions of a channel make one delivery, on behalf of all', () => {
  const subscriptions = [aSubscription('a'), aSubscription('b'), aSubscription('c', { channelId: '11' })];
  const matches = subscriptions.map((subscription) => ({ announcement: kettle, subscription, terms: [] }));
  const deliveries = deliveriesOf(matches, NOW_MS);
  expect(
    deliveries.map(({ channelId, matches }) => [
      channelId,
      matches.map(({ subscriptionId }) => subscriptionId).toSorted(),
    ]),
  ).toEqual([
    ['11', ['c']],
    ['10', ['a', 'b']],
  ]);
});

test('what started first is posted first', () => {
  const deliveries = deliveriesOf(
    [toaster, kettle].map((announcement) => ({ announcement, subscription: aSubscription('a'), terms: [] })),
    NOW_MS,
  );
  expect(deliveries.toSorted((a, b) => a.sequence - b.sequence).map(({ announcement }) => announcement)).toEqual([
    kettle,
    toaster,
  ]);
});

test('an offer is new in a channel once, as new or as relisted; what happens again has an id of its own', () => {
  const item = anOffer(1);
  const before = { offerId: uuid(9), salePrice: null, endedAtMs: NOW_MS };
  const relisted: Announcement = { kind: 'relisted', subject: item.id, occurrence: '', item, before };
  const ending = (occurrence: string): Announcement => ({ kind: 'ending-soon', subject: item.id, occurrence, item });
  expect(deliveryId('10', relisted)).toBe(deliveryId('10', newOfferOf(item)));
  expect(deliveryId('10', ending('1'))).not.toBe(deliveryId('10', ending('2')));
});

test('a subscription that rests follows nothing', () => {
  const rests = aSubscription('rests', { pausedBy: 'person', source: { kind: 'dealcasts' } });
  expect([...followersOf([aSubscription('works'), rests]).keys()]).toEqual(['feed:Home']);
});

test.each([
  ['home.example.com', 'Daily', true],
  ['Home.example.com', 'daily', true],
  ['HOME.EXAMPLE.COM', 'DAILY', true],
  ['Home', 'Daily', true],
  ['homes.example.com', 'Daily', false],
  ['www.example.com', 'Daily', false],
  [null, 'Daily', false],
  ['home.example.com', 'Ghost', false],
])('an event of %s and type %s is announced where /events shows it: %s', (site, type, isTaken) => {
  const item = anEvent(1, { site, type });
  const announcement: Announcement = { kind: 'event-started', subject: item.id, occurrence: '', item };
  const source = { kind: 'events' as const, sites: ['home' as const, 'sport' as const], types: ['Daily' as const] };
  const subscription = aSubscription('a', { source, kinds: ['event-started'] });
  expect(wants(subscription, announcement)).toBe(isTaken);
  expect(isWanted(item, { site: 'home', type: 'Daily' })).toBe(isTaken);
  const everything = { ...subscription, source: { ...source, sites: [], types: [] } };
  expect(wants(everything, announcement)).toBe(true);
});

test('every site and type that can be subscribed to is announced, whatever its case', () => {
  for (const site of SITE_PREFIXES) {
    for (const type of EVENT_TYPES) {
      const item = anEvent(1, { site: `${site.toUpperCase()}.Example.com`, type: type.toUpperCase() });
      const source = { kind: 'events' as const, sites: [site], types: [type] };
      const subscription = aSubscription('a', { source, kinds: ['event-started'] });
      expect(wants(subscription, { kind: 'event-started', subject: item.id, occurrence: '', item })).toBe(true);
    }
  }
});
