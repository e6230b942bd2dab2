import { expect, test } from 'vitest';
import { asNew, sampleOf, withSubject } from '../../../src/announcements/explain/dry-run.ts';
import { KINDS } from '../../../src/announcements/kinds/index.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { aKnownOffer, anEvent, anOffer, aSubscription, NOW_MS, newOfferOf } from '../../helpers/things.ts';

const offer = (number: number, changes: Parameters<typeof anOffer>[1] = {}) =>
  withSubject(newOfferOf(anOffer(number, changes)));

test('the sample is the newest of what is live and passes the filter, with the words that it passes by', () => {
  const things = [
    offer(1, { startDateMs: NOW_MS - 2 * HOUR_MS }),
    offer(2, { title: 'Steel kettle', startDateMs: NOW_MS - HOUR_MS }),
    offer(3, { title: 'Toaster', startDateMs: NOW_MS }),
    offer(4, { startDateMs: null }),
    offer(5, { startDateMs: NOW_MS, isSoldOut: true }),
    offer(6, { startDateMs: NOW_MS, endDateMs: NOW_MS }),
  ];
  const sample = sampleOf(aSubscription('s', { filter: 'kettle -samovar' }), things, [], NOW_MS);
  expect(sample).toMatchObject({ all: 4, matching: 3, newest: { announcement: { item: { title: 'Steel kettle' } } } });
  expect(sample.newest?.terms).toEqual(['kettle']);
  expect(sampleOf(aSubscription('s', { filter: 'samovar' }), things, [], NOW_MS)).toEqual({
    all: 4,
    matching: 0,
    newest: null,
  });
});

test('a pause and the kinds that are asked for make no difference, a filter that can’t be read takes nothing', () => {
  const some = [offer(1), offer(2, { isSoldOut: true })];
  const paused = aSubscription('s', { pausedBy: 'person', kinds: ['restocked'] });
  expect(sampleOf(paused, some, [], NOW_MS)).toMatchObject({ all: 1, matching: 1 });
  expect(sampleOf(aSubscription('s', { filter: 'price:<x' }), some, [], NOW_MS)).toEqual({
    all: 1,
    matching: 0,
    newest: null,
  });
});

test('of events those count that have begun, and those match that are of the sites that are wanted', () => {
  const event = (number: number, changes: Parameters<typeof anEvent>[1]) =>
    withSubject(KINDS['event-started'].announce(anEvent(number, { endDateMs: null, ...changes })));
  const events = [
    event(1, { startDateMs: NOW_MS }),
    event(2, { startDateMs: NOW_MS + 1 }),
    event(3, { startDateMs: NOW_MS, site: 'wine.example.com' }),
  ];
  const wanting = aSubscription('s', { source: { kind: 'events', sites: ['home'], types: [] }, kinds: [] });
  expect(sampleOf(wanting, events, [], NOW_MS)).toMatchObject({
    all: 2,
    matching: 1,
    newest: { announcement: { item: { title: 'Event 1' } }, terms: [] },
  });
});

test('an offer is announced as new as people see it: at its end where it is over', () => {
  const known = aKnownOffer(1, { endDateMs: null }, { overAtMs: NOW_MS });
  expect(asNew(known)).toEqual({
    kind: 'new-offer',
    subject: known.offer.id,
    occurrence: '',
    item: { ...known.offer, endDateMs: NOW_MS },
  });
});
