import { expect, onTestFinished, test } from 'vitest';
import { CurrentState, type EntityState } from '../../src/announcements/current-state.ts';
import { entityKey } from '../../src/announcements/kinds/index.ts';
import type { DealEvent } from '../../src/deals/event.ts';
import type { KnownOffer } from '../../src/deals/known-offer.ts';
import { LISTED } from '../../src/deals/presence.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { openStore } from '../../src/store/store.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { aKnownOffer, anEvent, eventStartedOf, NOW_MS, newOfferOf } from '../helpers/things.ts';

const POLLED = { firstSeenMs: NOW_MS, polledAtMs: NOW_MS, isFollowed: true, isCutOff: false, marketingName: null };
const GONE = { ...LISTED, isListed: false };

/** The current state with an empty store. */
async function aState(known: readonly KnownOffer[] = []) {
  const store = await openStore(temporaryState(), new ManualClock(new Date(NOW_MS).toISOString()));
  onTestFinished(() => store.close());
  const currentState = new CurrentState({ get: (id) => known.find(({ offer }) => offer.id === id) }, store);
  const setEvents = (states: readonly EntityState[], isAnswer = true) =>
    currentState.setEntities('events', states, isAnswer);
  return { store, currentState, setEvents };
}

const stateOf = (item: DealEvent, more: Partial<EntityState> = {}): EntityState => {
  return { announcement: eventStartedOf(item), record: undefined, ...more };
};

test.each<[string, KnownOffer | null, string]>([
  ['is for sale', aKnownOffer(1), 'live'],
  ['one answer has called sold out', aKnownOffer(1, { isSoldOut: true }, { seenOnce: ['isSoldOut'] }), 'held'],
  ['two answers have called sold out', aKnownOffer(1, { isSoldOut: true }), 'over'],
  [
    'one answer has called sold out, and whose end has passed',
    aKnownOffer(1, { isSoldOut: true, endDateMs: NOW_MS }, { seenOnce: ['isSoldOut'] }),
    'over',
  ],
  ['is forgotten', null, 'over'],
])('what waits for an offer that %s', async (_, known, fate) => {
  const { currentState } = await aState(known ? [known] : []);
  expect(currentState.fateOf(newOfferOf(aKnownOffer(1).offer), NOW_MS)).toBe(fate);
});

test('what waits for an event that is missing is held for less than a day, and not beyond its end', async () => {
  const { currentState, setEvents } = await aState();
  const event = anEvent(1, { endDateMs: NOW_MS + 30 * HOUR_MS });
  const ended = { ...event, endDateMs: NOW_MS };
  const fateAfter = (hours: number) => currentState.fateOf(eventStartedOf(event), NOW_MS + hours * HOUR_MS);
  setEvents([stateOf(event)]);
  expect(fateAfter(0)).toBe('live');
  setEvents([stateOf(ended)]);
  expect(fateAfter(0), 'it has ended and is not missing').toBe('over');
  setEvents([stateOf(ended, { gone: { was: eventStartedOf(event), sinceMs: NOW_MS } })]);
  expect(fateAfter(24 - 1e-6)).toBe('held');
  expect(fateAfter(24)).toBe('over');
  const short = { ...event, endDateMs: NOW_MS + HOUR_MS };
  setEvents([stateOf(ended, { gone: { was: eventStartedOf(short), sinceMs: NOW_MS } })]);
  expect(fateAfter(1 - 1e-6)).toBe('held');
  expect(fateAfter(1)).toBe('over');
});

test('an event is to come that is announced, listed and not begun; and none before events were read', async () => {
  const { currentState, setEvents } = await aState();
  const event = anEvent(1);
  const comingFor = () => currentState.comingEvents(NOW_MS).map(({ id }) => id);
  expect(comingFor()).toEqual([]);
  const later = { startDateMs: NOW_MS + 1 };
  const [coming, taken, unlisted, begun] = [2, 3, 4, 5].map((number) => anEvent(number, later)) as [
    DealEvent,
    DealEvent,
    DealEvent,
    DealEvent,
  ];
  setEvents([
    stateOf(event),
    stateOf(coming, { answers: 1 }),
    stateOf(taken),
    stateOf(unlisted, { answers: 1, presence: GONE }),
    stateOf({ ...begun, startDateMs: NOW_MS }, { answers: 1 }),
  ]);
  expect(comingFor()).toEqual([coming.id]);
  currentState.setEntities('polls', [stateOf(anEvent(6, later), { answers: 1 })], true);
  expect(comingFor(), 'no other resource has events').toEqual([coming.id]);
});

test('what is taken in and what is still to come are told apart, once an answer was read and its time is known', async () => {
  const { store, currentState, setEvents } = await aState();
  const [running, coming] = [anEvent(1), anEvent(2)];
  const states = [stateOf(running), stateOf(coming, { answers: 2 })];
  expect([currentState.seen('events'), currentState.toCome('events')]).toEqual([null, []]);
  setEvents(states, false);
  expect(currentState.seen('events'), 'only what posts show').toBeNull();
  setEvents(states);
  expect(currentState.seen('events'), 'no poll is noted').toBeNull();
  await store.commit((changes) => store.resources.set(changes, 'events', POLLED));
  expect(currentState.seen('events')).toEqual({ announcements: [eventStartedOf(running)], fetchedAtMs: NOW_MS });
  expect(currentState.toCome('events')).toEqual([{ announcement: eventStartedOf(coming), answers: 2 }]);
  expect(currentState.seen('polls')).toBeNull();
});

test('the doubts of the resources that are meant are counted', async () => {
  const { currentState, setEvents } = await aState();
  expect(currentState.doubted(() => true)).toBe(0);
  expect(currentState.entity(entityKey(eventStartedOf(anEvent(1))))).toBeUndefined();
  const dissent = { says: '', sinceMs: NOW_MS };
  const doubts = { dissents: { catalog: { title: dissent, site: dissent } } };
  setEvents([stateOf(anEvent(1)), stateOf(anEvent(2), { doubts }), stateOf(anEvent(3), { doubts })]);
  currentState.setEntities('polls', [stateOf(anEvent(4), { doubts })], true);
  const counted = [() => true, (resource: string) => resource === 'polls', () => false].map((isMeant) =>
    currentState.doubted(isMeant),
  );
  expect(counted).toEqual([6, 2, 0]);
});
