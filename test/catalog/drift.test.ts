import { expect, it } from 'vitest';
import type { Unreadable } from '../../src/catalog/catalog.ts';
import { Drift } from '../../src/catalog/drift.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { dealcast, event, feedItem, idOf, poll } from './payloads.ts';
import { readDealcasts, readEvents, readFeed, readMonkeychats, readPolls } from './reading.ts';

function setUp() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  return { clock, drift: new Drift(clock) };
}

const unreadable = (fields: Record<string, readonly string[]>, more: Partial<Unreadable> = {}): Unreadable => ({
  ids: [],
  nameless: 0,
  fields: new Map(Object.entries(fields)),
  ...more,
});

it('tells in how many items of the last answer each field was unreadable, the most first, by its name in the catalog', () => {
  const { clock, drift } = setUp();
  const atMs = clock.now();
  expect(drift.of('feed:Home')).toEqual({ fields: [], unknown: null });
  drift.note('feed:Home', { unreadable: unreadable({ a: ['endDateMs'], b: ['endDateMs', 'condition'] }) }, 10);
  expect(drift.of('feed:Home')).toEqual({
    fields: [
      { field: 'EndDate', items: 2, of: 10, sinceMs: atMs },
      { field: 'Condition', items: 1, of: 10, sinceMs: atMs },
    ],
    unknown: null,
  });
  expect([...drift.resources()]).toEqual(['feed:Home']);
  expect(drift.of('feed:Tools').fields).toEqual([]);
});

it('tells items that could not be read at all; those beyond a limit were not tried', () => {
  const { drift } = setUp();
  drift.note('feed:Home', { unreadable: unreadable({}, { ids: [idOf(1)], nameless: 2 }) }, 7);
  expect(drift.of('feed:Home').fields).toMatchObject([{ field: null, items: 3, of: 10 }]);
  drift.note('feed:Home', { unreadable: unreadable({}, { nameless: Number.POSITIVE_INFINITY }) }, 7);
  expect(drift.of('feed:Home').fields).toEqual([]);
});

it('counts a field of an event’s offers once for each event', () => {
  const { drift } = setUp();
  const lost = unreadable({ a: ['items', 'soldOut'], b: ['items'] });
  drift.note(
    'events',
    {
      unreadable: unreadable(
        {},
        {
          offers: new Map([
            ['e', lost],
            ['f', lost],
          ]),
        },
      ),
    },
    5,
  );
  expect(drift.of('events').fields).toMatchObject([
    { field: 'Offers.Items', items: 2, of: 5 },
    { field: 'Offers.SoldOut', items: 2, of: 5 },
  ]);
});

it('dates a field from when it began, without a break, whatever the wall clock is set to', async () => {
  const { clock, drift } = setUp();
  const note = (...fields: string[]) => drift.note('feed:Home', { unreadable: unreadable({ a: fields }) }, 10);
  const told = () => drift.of('feed:Home', HOUR_MS).fields.map(({ field }) => field);
  note('condition', 'url');
  await clock.advance(HOUR_MS - 1);
  note('condition');
  expect(told()).toEqual([]);
  await clock.advance(1);
  note('condition', 'url');
  expect(told()).toEqual(['Condition']);
  expect(drift.of('feed:Home').fields.map(({ sinceMs }) => clock.now() - sinceMs)).toEqual([HOUR_MS, 0]);
  clock.set('2026-11-21T03:00:00Z');
  expect(drift.of('feed:Home').fields.map(({ sinceMs }) => clock.now() - sinceMs)).toEqual([HOUR_MS, 0]);
  drift.note('feed:Home', {}, 10);
  expect(drift.of('feed:Home').fields).toEqual([]);
});

it('dates fields that nobody knows likewise', async () => {
  const { clock, drift } = setUp();
  const note = (...unknownFields: string[]) => drift.note('feed:Home', { unknownFields }, 10);
  note('Color');
  await clock.advance(HOUR_MS);
  note('Color', 'Size');
  expect(drift.of('feed:Home', HOUR_MS).unknown).toEqual({
    names: ['Color', 'Size'],
    sinceMs: clock.now() - HOUR_MS,
  });
  drift.note('feed:Home', {}, 10);
  expect(drift.of('feed:Home').unknown).toBeNull();
});

it('an answer names the fields that nobody knows, and no others', async () => {
  const unknown = { Color: 1, 'Call <@555>\n': null, ['x'.repeat(50)]: {} };
  const names = ['Color', 'Call???555??', 'x'.repeat(40)];
  const spelled = { IsWootOff: false, IsFulfilledByAmazon: true, Slug: null };
  expect((await readFeed([feedItem(1, spelled), feedItem(2, unknown)])).unknownFields).toEqual(names);
  expect((await readEvents([event(1, unknown)])).unknownFields).toEqual(names);
  expect((await readDealcasts([dealcast(1, unknown)])).unknownFields).toEqual(names);
  expect((await readPolls([poll(unknown)])).unknownFields).toEqual(names);
  const kinds = [readFeed([feedItem(1, spelled)]), readEvents([event(1)]), readDealcasts([dealcast(1)])];
  for (const reading of [...kinds, readPolls([poll()]), readMonkeychats([{ Text: 'Ook.', Any: 1 }])]) {
    expect((await reading).unknownFields).toBeUndefined();
  }
});

it('names 20 unknown fields at most, also where each item has others', async () => {
  const items = Array.from({ length: 30 }, (_, number) => feedItem(number, { [`Field${number}`]: 1 }));
  expect((await readFeed(items)).unknownFields).toEqual(Array.from({ length: 20 }, (_, number) => `Field${number}`));
});

it('a field that a catalog adds to all items of a long feed is named', async () => {
  const items = Array.from({ length: 400 }, (_, number) => feedItem(number, number < 200 ? {} : { Color: 1 }));
  expect((await readFeed(items)).unknownFields).toEqual(['Color']);
});
