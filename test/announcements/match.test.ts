import { expect, test } from 'vitest';
import { deliveriesOf, deliveryId, followersOf } from '../../src/announcements/match.ts';
import type { Announcement } from '../../src/deals/announcement.ts';
import { USUAL_TIMING } from '../../src/deals/subscription.ts';
import { anOffer, aSubscription, HOUR_MS, NOW_MS, newOfferOf, uuid } from '../helpers/things.ts';

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

test('each subscription’s times count once, whatever else matches, and one whose times make no sense holds up nobody', () => {
  const daily = aSubscription('daily', { timing: { ...USUAL_TIMING, mode: 'daily', timeZone: 'Mars/Olympus' } });
  const broken = aSubscription('broken', { channelId: '11', timing: { ...USUAL_TIMING, mode: 'weekly' as 'daily' } });
  const twice = [daily, aSubscription('a'), daily];
  const matches = [kettle, toaster].flatMap((announcement) =>
    [...twice, broken].map((subscription) => ({ announcement, subscription, terms: [] })),
  );
  const found = deliveriesOf(matches, NOW_MS);
  expect(
    found.map(({ channelId, dueAtMs, isDigest, matches }) => [channelId, dueAtMs, isDigest, matches.length]),
  ).toEqual([
    ['11', NOW_MS, false, 1],
    ['10', NOW_MS, false, 2],
    ['11', NOW_MS, false, 1],
    ['10', NOW_MS, false, 2],
  ]);
});
