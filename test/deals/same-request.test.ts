import { expect, test } from 'vitest';
import type { Ping } from '../../src/deals/ping.ts';
import { isSameRequest } from '../../src/deals/same-request.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { aSubscription } from '../helpers/things.ts';

const ping = (changes: Partial<Ping> = {}): Ping => ({
  roleId: '7',
  filter: 'nvme',
  kinds: ['new-offer', 'price-drop'],
  ...changes,
});
const REQUEST = aSubscription('a', { filter: 'ssd price:<50', pings: [ping()] });

test.each<[string, Partial<Subscription>]>([
  ['another spelling of the feed', { source: { kind: 'feed', feed: 'HOME' } }],
  ['another spelling of the filter', { filter: '(SSD) AND price:<50.00' }],
  ['the kinds in another order', { kinds: REQUEST.kinds.toReversed() }],
  ['other times', { mostPerHour: 1 }],
  ['another spelling of a ping', { pings: [ping({ filter: 'NVME', kinds: ['price-drop', 'new-offer'] })] }],
])('with %s it is the same', (_, changes) => {
  expect(isSameRequest(REQUEST, { ...REQUEST, ...changes })).toBe(true);
});

test.each<[string, Partial<Subscription>]>([
  ['another channel', { channelId: '11' }],
  ['another feed', { source: { kind: 'feed', feed: 'Tools' } }],
  ['another source', { source: { kind: 'polls' } }],
  ['another filter', { filter: 'ssd price:<51' }],
  ['other kinds', { kinds: ['ending-soon'] }],
  ['no ping', { pings: [] }],
  ['another role', { pings: [ping({ roleId: '8' })] }],
  ['one more role', { pings: [ping(), ping({ roleId: '8' })] }],
  ['another filter of a ping', { pings: [ping({ filter: '' })] }],
  ['other kinds of a ping', { pings: [ping({ kinds: [] })] }],
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
