import { expect, test } from 'vitest';
import { isSameRequest } from '../../src/deals/same-request.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { aSubscription } from '../helpers/things.ts';

const REQUEST = aSubscription('a', { filter: 'ssd price:<50' });

test.each<[string, Partial<Subscription>]>([
  ['another spelling of the feed', { source: { kind: 'feed', feed: 'HOME' } }],
  ['another spelling of the filter', { filter: '(SSD) AND price:<50.00' }],
  ['the kinds in another order', { kinds: REQUEST.kinds.toReversed() }],
  ['other times and another role', { mentionRoleId: '7', mostPerHour: 1 }],
])('with %s it is the same', (_, changes) => {
  expect(isSameRequest(REQUEST, { ...REQUEST, ...changes })).toBe(true);
});

test.each<[string, Partial<Subscription>]>([
  ['another channel', { channelId: '11' }],
  ['another feed', { source: { kind: 'feed', feed: 'Tools' } }],
  ['another source', { source: { kind: 'polls' } }],
  ['another filter', { filter: 'ssd price:<51' }],
  ['other kinds', { kinds: ['ending-soon'] }],
])('with %s it is another', (_, changes) => {
  expect(isSameRequest(REQUEST, { ...REQUEST, ...changes })).toBe(false);
});

test('events are told apart by their types and sites, whatever the order', () => {
  const events = (types: ('Daily' | 'DealOff')[], sites: ('home' | 'wine')[]) =>
    aSubscription('e', { source: { kind: 'events', types, sites } });
  expect(isSameRequest(events(['Daily', 'DealOff'], ['wine']), events(['DealOff', 'Daily'], ['wine']))).toBe(true);
  expect(isSameRequest(events(['Daily'], []), events([], []))).toBe(false);
  expect(isSameRequest(events([], ['home']), events([], ['wine']))).toBe(false);
});
