import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newSubscription } from '../../../src/bot/announcements/kinds/of-source.ts';
import type { Subscription } from '../../../src/bot/deals/subscription.ts';
import { placeOfPerson } from '../../../src/bot/deals/watch.ts';
import { readSubscription, readWatch, rowOf } from '../../../src/bot/store/subscription-rows.ts';
import { NOW_MS } from '../../helpers/things.ts';

const ALWAYS = {
  version: 3,
  id: 'a',
  guildId: '1',
  channelId: '10',
  source: { kind: 'feed', feed: 'Home' },
  createdBy: '100',
  createdAtMs: NOW_MS,
} as const;

/** Rows leave these values out. Stored rows rely on them, so nobody may change them here. */
const LEFT_OUT = {
  target: 'channel',
  kinds: ['new-offer', 'relisted', 'restocked', 'price-drop'],
  filter: '',
  priceDropPercent: 10,
  timing: { mode: 'at-once', dailyAtMinute: 540, timeZone: 'UTC', quiet: null },
  mostPerHour: 30,
  mentionRoleId: null,
  isPublished: false,
  tagIds: [],
  catchUp: 0,
  problem: null,
  pausedBy: null,
} as const;

const asStored = (row: unknown): unknown => JSON.parse(JSON.stringify(row));

test('what a row leaves out is read as it was when rows began to leave it out', () => {
  expect(readSubscription(ALWAYS)).toEqual({ ...ALWAYS, ...LEFT_OUT });
  expect(rowOf({ ...ALWAYS, ...LEFT_OUT } as unknown as Subscription)).toEqual(ALWAYS);
});

test('a new subscription with all that is usual has a row of what it alone has', () => {
  const { version: _, ...given } = ALWAYS;
  expect(rowOf(newSubscription({ ...given, catchUp: 0 }))).toEqual(ALWAYS);
});

const setting: fc.Arbitrary<Partial<Subscription>> = fc.record(
  {
    target: fc.constantFrom('channel', 'thread', 'forum'),
    source: fc.constantFrom<Subscription['source']>(
      { kind: 'feed', feed: 'Home' },
      { kind: 'events', sites: [], types: ['Daily'] },
      { kind: 'polls' },
    ),
    kinds: fc.constantFrom<Subscription['kinds']>([...LEFT_OUT.kinds], [], ['new-poll'], ['new-offer']),
    filter: fc.constantFrom('', 'ssd'),
    priceDropPercent: fc.constantFrom(0, 10, 25),
    timing: fc.record({
      mode: fc.constantFrom('at-once', 'daily'),
      dailyAtMinute: fc.constantFrom(0, 540),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
      quiet: fc.constantFrom(null, { fromMinute: 0, toMinute: 60 }),
    }),
    mostPerHour: fc.constantFrom(1, 30),
    mentionRoleId: fc.constantFrom(null, '7'),
    isPublished: fc.boolean(),
    tagIds: fc.constantFrom([], ['8']),
    catchUp: fc.constantFrom(0, 3),
    problem: fc.constantFrom(null, 'forbidden'),
    pausedBy: fc.constantFrom(null, 'person', 'gone'),
    look: fc.constant({ style: 'compact' as const }),
    changedAtMs: fc.constantFrom(0, NOW_MS),
    watch: fc.constant({ aim: 'new' as const, product: null, below: null }),
  },
  { requiredKeys: [] },
);

test('whatever a subscription is like, its row says the same', () => {
  fc.assert(
    fc.property(setting, (changes) => {
      const subscription = { ...ALWAYS, ...LEFT_OUT, ...changes } as Subscription;
      expect(readSubscription(asStored(rowOf(subscription)))).toEqual(subscription);
    }),
  );
});

test('a row with all its fields is read as well', () => {
  const whole = { ...ALWAYS, ...LEFT_OUT, filter: 'ssd' };
  expect(readSubscription(whole)).toEqual(whole);
});

test.each([
  { filter: null },
  { filter: 5 },
  { kinds: null },
  { kinds: 'new-offer' },
  { timing: null },
  { mostPerHour: '30' },
  { tagIds: {} },
  { source: null },
  { source: { kind: 'polls' } },
  { version: 2 },
  { version: 4 },
  { id: undefined },
  { guildId: 1 },
  { createdAtMs: null },
])('with %j a row tells nothing, rather than more than was wanted', (damage) => {
  expect(readSubscription(ALWAYS)).toBeDefined();
  expect(readSubscription({ ...ALWAYS, ...damage })).toBeUndefined();
});

test('a row of a watch that does not say what it watches, or for whom, tells nothing', () => {
  const row = { ...ALWAYS, guildId: placeOfPerson('100'), watch: { aim: 'new', product: null, below: null } };
  expect(readWatch(row)).toMatchObject({ ...row, filter: '' });
  expect(readWatch({ ...row, watch: undefined })).toBeUndefined();
  expect(readWatch({ ...row, watch: 'new' })).toBeUndefined();
  expect(readWatch({ ...row, guildId: '1' })).toBeUndefined();
});
