import { expect, test } from 'vitest';
import { deliveriesOf, deliveryId, matchCatchUps, matchNews } from '../../src/announcements/match.ts';
import { anOffer, aSubscription, HOUR_MS, NOW_MS, newOfferOf, newsOf } from '../helpers/things.ts';

const kettle = newOfferOf(anOffer(1, { startDateMs: NOW_MS - 2 * HOUR_MS }));
const toaster = newOfferOf(anOffer(2, { startDateMs: NOW_MS - HOUR_MS }));

test('the id of a delivery is the same whenever it is computed, and fits a nonce', () => {
  expect(deliveryId('10', kettle)).toBe(deliveryId('10', newOfferOf(anOffer(1, { title: 'Another title' }))));
  expect(deliveryId('10', kettle)).not.toBe(deliveryId('11', kettle));
  expect(deliveryId('10', kettle)).not.toBe(deliveryId('10', toaster));
  expect(deliveryId('10', kettle)).toMatch(/^[\w-]{22}$/);
});

test('several subscriptions of a channel make one delivery, on behalf of all', () => {
  const matches = matchNews(
    [newsOf(kettle)],
    [aSubscription('a'), aSubscription('b'), aSubscription('c', { channelId: '11' })],
  );
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
  const deliveries = deliveriesOf(matchNews([newsOf(toaster), newsOf(kettle)], [aSubscription('a')]), NOW_MS);
  expect(deliveries.toSorted((a, b) => a.sequence - b.sequence).map(({ announcement }) => announcement)).toEqual([
    kettle,
    toaster,
  ]);
});

test('a paused subscription gets nothing', () => {
  expect(matchNews([newsOf(kettle)], [aSubscription('a', { pausedBy: 'person' })])).toEqual([]);
});

test('catching up takes the newest, as many as are wished for', () => {
  const subscriptions = [
    aSubscription('one', { catchUp: 1 }),
    aSubscription('none'),
    aSubscription('ten', { catchUp: 10 }),
  ];
  const matches = matchCatchUps([kettle, toaster], subscriptions);
  expect(matches.map(({ announcement, subscription }) => [subscription.id, announcement])).toEqual([
    ['one', toaster],
    ['ten', toaster],
    ['ten', kettle],
  ]);
});
