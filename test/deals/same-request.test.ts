import { expect, test } from 'vitest';
import { isSameRequest } from '../../src/deals/same-request.ts';
import type { FieldSetting } from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { aSubscription } from '../helpers/things.ts';

/** A field that a feature could add: how it is spelled means nothing. */
const NOTE: object = {
  field: 'note',
  name: 'note',
  kind: 'field',
  usual: undefined,
  inFiles: {},
  meaning: (note: unknown) => String(note).toLowerCase(),
};
const SETTINGS = [
  NOTE as FieldSetting,
  { ...NOTE, field: 'mark', name: 'mark', meaning: undefined } as object as FieldSetting,
];
const noted = (note: string, mark = ''): object => ({ note, mark });
const isSame = (one: Subscription, other: Subscription) => isSameRequest(one, other, SETTINGS);

const REQUEST = aSubscription('a', { filter: 'ssd price:<50', ...noted('red') });

test.each<[string, Partial<Subscription>]>([
  ['another spelling of the feed', { source: { kind: 'feed', feed: 'HOME' } }],
  ['another spelling of the filter', { filter: '(SSD) AND price:<50.00' }],
  ['the kinds in another order', { kinds: REQUEST.kinds.toReversed() }],
  ['other times', { mostPerHour: 1 }],
  ['a field of a feature that means the same', noted('RED')],
  ['a field of a feature that means nothing', noted('red', 'new')],
])('with %s it is the same', (_, changes) => {
  expect(isSame(REQUEST, { ...REQUEST, ...changes })).toBe(true);
});

test.each<[string, Partial<Subscription>]>([
  ['another channel', { channelId: '11' }],
  ['another feed', { source: { kind: 'feed', feed: 'Tools' } }],
  ['another source', { source: { kind: 'polls' } }],
  ['another filter', { filter: 'ssd price:<51' }],
  ['other kinds', { kinds: ['ending-soon'] }],
  ['a field of a feature that means something else', noted('blue')],
])('with %s it is another', (_, changes) => {
  expect(isSame(REQUEST, { ...REQUEST, ...changes })).toBe(false);
});

test('events are told apart by their types and sites, whatever the order', () => {
  const events = (types: ('Daily' | 'DealOff')[], sites: ('home' | 'wine')[]) =>
    aSubscription('e', { source: { kind: 'events', types, sites } });
  expect(isSame(events(['Daily', 'DealOff'], ['wine']), events(['DealOff', 'Daily'], ['wine']))).toBe(true);
  expect(isSame(events(['Daily'], []), events([], []))).toBe(false);
  expect(isSame(events([], ['home']), events([], ['wine']))).toBe(false);
});
