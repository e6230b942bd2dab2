import { expect, onTestFinished, test } from 'vitest';
import { eventStarted } from '../../../src/announcements/kinds/event-started.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { ASIDE, BAD_ANSWERS } from '../../../src/discord/bad-answers.ts';
import { message } from '../../../src/discord/i18n/translator.ts';
import type { Failure } from '../../../src/discord/outcome.ts';
import {
  AT_ONCE,
  Calendar,
  FULL_MS,
  MOST_AT_A_TIME,
  REFUSED_MS,
  RETRY,
} from '../../../src/features/events-list/calendar.ts';
import {
  AHEAD_MS,
  CHANGED_AFTER_MS,
  LISTED_AGAIN_AFTER_MS,
  OPEN_END_MS,
} from '../../../src/features/events-list/decide.ts';
import { RECORDS } from '../../../src/features/events-list/records.ts';
import { backOffMs } from '../../../src/shared/backoff.ts';
import type { LocalizedText } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { openRecords } from '../../../src/store/store.ts';
import { State } from '../../../src/store/table/state.ts';
import { blockedMs } from '../../helpers/back-offs.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { type Backend, backendAt } from '../../helpers/opened-state.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anEvent, anEventOffer, anItem, aSubscription, NOW_MS, uuid } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';
import { EventsLists } from './lists.ts';

/** Short enough that each wait between two tries is a multiple of it. */
const STEP_MS = 10_000;
const NOT_ALLOWED = message('calendar.notAllowed');

const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
/** The waits between the tries of an entry that Discord answers badly: until it steps aside, and after that. */
const WAITS_MS = [
  ...Array.from({ length: BAD_ANSWERS - 1 }, (_, index) => backOffMs(index + 1, RETRY)),
  ...Array.from({ length: 6 }, (_, index) => backOffMs(index + 1, ASIDE)),
];

/** A subscription that shows its events in its server's list. */
const showing = (id: string, changes: Partial<Subscription> = {}) =>
  aSubscription(id, {
    source: { kind: 'events', sites: [], types: [] },
    kinds: ['event-started'],
    isInCalendar: true,
    ...changes,
  });

/** Discord, the catalog's events and a state in a file; these outlive a process. */
function aWorld() {
  const url = temporaryState();
  const clock = new ManualClock(new Date(NOW_MS).toISOString());
  const lists = new EventsLists(clock);
  /** As the current state tells of them; `events` is null before the first poll of a process. */
  const believed = {
    events: [] as DealEvent[] | null,
    toCome: [] as { event: DealEvent; answers: number }[],
    fetchedAtMs: NOW_MS,
  };
  const lacks = new Map<string, LocalizedText>();
  const warnings: unknown[] = [];
  const log = createLog('warn', { write: (line) => void warnings.push(JSON.parse(line)) });

  /** Starts a process. */
  async function start({ clearFromMs = 0, wrap = (backend: Backend) => backend } = {}) {
    const opened = backendAt(url);
    let isClosed = false;
    const backend = wrap(opened);
    const state = new State(backend, { log: createLog('silent') });
    const store = { ...(await openRecords(state, clock, [RECORDS])), commit: state.commit.bind(state) };
    const stopping = new AbortController();
    const calendar = new Calendar({
      settings: [],
      store,
      currentState: {
        seen: () =>
          believed.events && {
            announcements: believed.events.map((event) => ({ ...eventStarted.announce(event) })),
            fetchedAtMs: believed.fetchedAtMs,
          },
        toCome: () =>
          believed.toCome.map(({ event, answers }) => ({ announcement: eventStarted.announce(event), answers })),
      },
      scheduledEvents: lists,
      successes: () => lists.successes,
      lackIn: (guildId) => lacks.get(guildId) ?? null,
      translatorOf: () => translatorFor('en-US'),
      pictures: { render: async (svg) => Buffer.from(svg) },
      clock,
      log,
      signal: stopping.signal,
      clearFromMs,
    });
    const stop = async () => {
      if (isClosed) return;
      isClosed = true;
      stopping.abort(new Error('over'));
      await opened.close();
    };
    onTestFinished(stop);
    return { calendar, store, stop, stopping };
  }
  /** Lets time pass, and a poll that shows the events as they are set. */
  const poll = async (ms = 0) => {
    await clock.advance(ms);
    believed.fetchedAtMs = clock.now();
  };
  return { clock, lists, believed, lacks, warnings, start, poll };
}

type World = ReturnType<typeof aWorld>;

async function aCalendar(...subscriptions: Subscription[]) {
  const world = aWorld();
  const run = await world.start();
  for (const subscription of subscriptions) await run.store.subscriptions.save(subscription);
  return { ...world, ...run };
}

const names = ({ lists }: Pick<World, 'lists'>, guildId?: string) => lists.standing(guildId).map(({ name }) => name);
const without = (id: string, isCarriedOut: boolean, failure: Failure = { kind: 'unknown', reason: 'silence' }) =>
  ((request: string) => (request === id ? { failure, isCarriedOut } : null)) satisfies EventsLists['fault'];

test('an event is announced, begins, moves its end and is over, and its entry with it', async () => {
  const { lists, believed, calendar, store, poll } = await aCalendar(showing('s'));
  const coming = anEvent(1, { startDateMs: NOW_MS + HOUR_MS, endDateMs: NOW_MS + 3 * HOUR_MS });
  believed.toCome = [{ event: coming, answers: 1 }];
  await calendar.refresh();
  expect(lists.standing(), 'one answer alone has announced it').toEqual([]);
  believed.toCome = [{ event: coming, answers: 2 }];
  await calendar.refresh();
  expect(lists.standing()).toMatchObject([
    { name: 'Event 1', status: 'scheduled', startMs: NOW_MS + HOUR_MS, endMs: NOW_MS + 3 * HOUR_MS },
  ]);
  await poll(HOUR_MS + MINUTE_MS);
  believed.toCome = [];
  believed.events = [coming];
  await calendar.refresh();
  expect(lists.standing()).toMatchObject([{ status: 'active' }]);
  expect(lists.asked, 'Discord has begun it by itself').not.toContain('begin');
  believed.events = [{ ...coming, endDateMs: NOW_MS + 5 * HOUR_MS }];
  await calendar.refresh();
  expect(lists.standing()).toMatchObject([{ endMs: NOW_MS + 5 * HOUR_MS }]);
  await poll(HOUR_MS);
  believed.events = [{ ...coming, endDateMs: NOW_MS + 2 * HOUR_MS }];
  await calendar.refresh();
  expect(lists.standing()).toEqual([]);
  expect(store.scheduledEvents.of('1')).toEqual([]);
  lists.asked.length = 0;
  await calendar.refresh();
  expect(lists.asked).toEqual([]);
});

test('an event that runs already is shown as running at once, and one without an end gets another day', async () => {
  const { clock, lists, believed, calendar, poll } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: null })];
  await calendar.refresh();
  expect(lists.standing()).toMatchObject([{ status: 'active', endMs: NOW_MS + AHEAD_MS + OPEN_END_MS }]);
  expect(lists.standing()[0]?.description).toContain('It isn’t known yet when this ends.');
  const hours = 60;
  for (let hour = 0; hour < hours; hour += 1) {
    await poll(HOUR_MS);
    await calendar.refresh();
    const [entry] = lists.standing();
    expect(entry?.status).toBe('active');
    expect((entry?.endMs ?? 0) - clock.now()).toBeGreaterThanOrEqual(OPEN_END_MS / 2);
  }
  const moves = lists.asked.filter((request) => request === 'change').length;
  expect(moves, 'its end moves on once half of it has passed').toBeLessThanOrEqual(
    (hours * HOUR_MS) / (OPEN_END_MS / 2),
  );
});

test('prices change an entry once in a while, stock never', async () => {
  const { lists, believed, calendar, poll } = await aCalendar(showing('s'));
  const at = (salePrice: number, percentageRemaining = 50) =>
    anEvent(1, { offers: [anEventOffer(1, { items: [anItem(1, { salePrice })], percentageRemaining })] });
  believed.events = [at(30)];
  await calendar.refresh();
  for (let minute = 1; minute * MINUTE_MS < CHANGED_AFTER_MS; minute += 1) {
    believed.events = [at(30 - minute, 50 - minute)];
    await poll(MINUTE_MS);
    await calendar.refresh();
  }
  expect(lists.asked).not.toContain('change');
  await poll(MINUTE_MS);
  await calendar.refresh();
  expect(lists.asked.filter((request) => request === 'change')).toHaveLength(1);
  expect(lists.standing()[0]?.description).toContain('$21.00');
  believed.events = [at(21, 1)];
  await poll(HOUR_MS / 2);
  await calendar.refresh();
  expect(lists.asked.filter((request) => request === 'change')).toHaveLength(1);
});

test('two subscriptions share an entry, two servers have one each, and others than events and paused ones have none', async () => {
  const { lists, believed, calendar, store } = await aCalendar(
    showing('s'),
    showing('t', { channelId: '11' }),
    showing('u', { guildId: '2', channelId: '20', filter: 'title:1' }),
    showing('v', { guildId: '3', pausedBy: 'person' }),
    showing('w', { guildId: '4', isInCalendar: false }),
    showing('x', { guildId: '5', source: { kind: 'events', sites: [], types: ['Moofi'] } }),
  );
  believed.events = [anEvent(1), anEvent(2)];
  await calendar.refresh();
  const all = ['1', '2', '3', '4', '5'].map((guildId) => names({ lists }, guildId));
  expect(all).toEqual([['Event 1', 'Event 2'], ['Event 1'], [], [], []]);
  await store.subscriptions.remove('s');
  await calendar.refresh();
  expect(names({ lists }), 'the other one wants them still').toEqual(['Event 1', 'Event 2']);
  await store.subscriptions.update('t', (one) => ({ ...one, isInCalendar: false }));
  await store.subscriptions.update('u', (one) => ({ ...one, pausedBy: 'person' }));
  await calendar.refresh();
  expect([names({ lists }), names({ lists }, '2')]).toEqual([[], []]);
  expect(store.scheduledEvents.guildIds()).toEqual([]);
});

test('a filter counts when the entry is made, and again once somebody changes it', async () => {
  const { clock, lists, believed, calendar, store } = await aCalendar(showing('s', { filter: 'price:<50' }));
  const at = (salePrice: number) => anEvent(1, { offers: [anEventOffer(1, { items: [anItem(1, { salePrice })] })] });
  believed.events = [at(60)];
  await calendar.refresh();
  expect(lists.standing()).toEqual([]);
  believed.events = [at(40)];
  await calendar.refresh();
  believed.events = [at(60)];
  await calendar.refresh();
  expect(names({ lists })).toEqual(['Event 1']);
  await clock.advance(1);
  await store.subscriptions.update('s', (one) => ({ ...one, filter: 'price:<51', changedAtMs: clock.now() }));
  await calendar.refresh();
  expect(lists.standing()).toEqual([]);
});

test('an entry that a moderator has deleted is not made again, until the event is over or the setting was off', async () => {
  const { lists, believed, calendar, store, poll } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 9 * HOUR_MS })];
  await calendar.refresh();
  lists.delete('101');
  for (const hour of [1, 2, 3]) {
    believed.events = [anEvent(1, { endDateMs: NOW_MS + hour * DAY_MS })];
    await poll(HOUR_MS);
    await calendar.refresh();
  }
  expect(lists.standing()).toEqual([]);
  await poll(2 * DAY_MS);
  await calendar.refresh();
  expect(lists.standing(), 'it would have ended by itself by now').toEqual([]);
  await store.subscriptions.update('s', (one) => ({ ...one, isInCalendar: false }));
  await calendar.refresh();
  await store.subscriptions.update('s', (one) => ({ ...one, isInCalendar: true }));
  await calendar.refresh();
  expect(names({ lists })).toEqual(['Event 1']);
});

test('one that Discord has ended while nobody moved its end on is made again where the event goes on', async () => {
  const { lists, believed, calendar, stop, start, poll } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: null })];
  await calendar.refresh();
  await stop();
  await poll(2 * DAY_MS);
  expect(lists.standing()).toEqual([]);
  const again = await start();
  await again.calendar.refresh();
  expect(lists.standing()).toMatchObject([{ id: '102', status: 'active' }]);
});

test('nothing is asked before the first poll, while all posting is paused, before it is clear, or without a permission', async () => {
  const { clock, lists, believed, lacks, calendar, store, stop, start } = await aCalendar(showing('s'));
  believed.events = null;
  await calendar.refresh();
  believed.events = [anEvent(1)];
  await store.postingPause.begin(NOW_MS);
  await calendar.refresh();
  await store.postingPause.end();
  lacks.set('1', NOT_ALLOWED);
  await calendar.refresh();
  expect(calendar.troubleIn('1')).toEqual(NOT_ALLOWED);
  await stop();
  lacks.clear();
  const next = await start({ clearFromMs: clock.monotonicMs() + 19_000 });
  await clock.advance(18_999);
  await next.calendar.refresh();
  expect(lists.asked).toEqual([]);
  await clock.advance(1);
  await next.calendar.refresh();
  expect(names({ lists })).toEqual(['Event 1']);
  expect(next.calendar.troubleIn('1')).toBeNull();
});

test('what Discord does not allow is asked again at growing distances, or when the permissions change', async () => {
  const { clock, lists, believed, calendar } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 9 * HOUR_MS })];
  lists.fault = without('create', false, { kind: 'blocked', reason: 'events-not-allowed' });
  await calendar.refresh();
  for (const failures of [1, 2, 3, 4, 5]) {
    const before = lists.asked.length;
    await clock.advance(blockedMs(failures) - 1);
    await calendar.refresh();
    expect(lists.asked).toHaveLength(before);
    await clock.advance(1);
    await calendar.refresh();
    expect(lists.asked).toHaveLength(before + 1);
  }
  expect(calendar.troubleIn('1')).toEqual(NOT_ALLOWED);
  lists.fault = () => null;
  calendar.retry('1');
  await calendar.refresh();
  expect([names({ lists }), calendar.troubleIn('1')]).toEqual([['Event 1'], null]);
});

test('a limit of rates is waited for as long as Discord says', async () => {
  const { clock, lists, believed, calendar } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 9 * HOUR_MS })];
  lists.fault = without('create', false, { kind: 'later', reason: 'rate-limit', afterMs: 90_000 });
  await calendar.refresh();
  lists.fault = () => null;
  await clock.advance(89_999);
  await calendar.refresh();
  expect(lists.standing()).toEqual([]);
  await clock.advance(1);
  await calendar.refresh();
  expect(names({ lists })).toEqual(['Event 1']);
});

test('a full list gets no entries for a while, and those that stand in it go on', async () => {
  const { clock, lists, believed, calendar } = await aCalendar(showing('s'));
  const end = { endDateMs: NOW_MS + 9 * HOUR_MS };
  lists.others = 99;
  believed.events = [anEvent(1, end), anEvent(2, end)];
  await calendar.refresh();
  expect(names({ lists })).toEqual(['Event 1']);
  expect(calendar.troubleIn('1')).toEqual(message('calendar.full'));
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 8 * HOUR_MS }), anEvent(2, end)];
  lists.others = 0;
  await clock.advance(FULL_MS - 1);
  await calendar.refresh();
  expect(lists.standing()).toMatchObject([{ name: 'Event 1', endMs: NOW_MS + 8 * HOUR_MS }]);
  await clock.advance(1);
  await calendar.refresh();
  expect(names({ lists })).toEqual(['Event 1', 'Event 2']);
  expect(calendar.troubleIn('1')).toBeNull();
});

test('what Discord refuses holds up no other event, and is asked again later', async () => {
  const { clock, lists, believed, warnings, calendar } = await aCalendar(showing('s'));
  const end = { endDateMs: NOW_MS + 9 * HOUR_MS };
  believed.events = [anEvent(1, end), anEvent(2, end)];
  let isFirst = true;
  lists.fault = (request) => {
    if (request !== 'create' || !isFirst) return null;
    isFirst = false;
    return { failure: { kind: 'refused', reason: 'Invalid Form Body' }, isCarriedOut: false };
  };
  await calendar.refresh();
  expect(names({ lists })).toEqual(['Event 2']);
  expect(warnings).toMatchObject([{ guild: '1', request: 'create', outcome: 'refused', reason: 'Invalid Form Body' }]);
  await clock.advance(REFUSED_MS - 1);
  await calendar.refresh();
  expect(names({ lists })).toEqual(['Event 2']);
  await clock.advance(1);
  await calendar.refresh();
  expect(names({ lists }).toSorted()).toEqual(['Event 1', 'Event 2']);
});

test('where Discord denies an entry that it lists, it is left alone for a while', async () => {
  const { lists, believed, calendar, poll } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 9 * HOUR_MS })];
  await calendar.refresh();
  lists.fault = without('change', false, { kind: 'missing', reason: 'unknown-event' });
  believed.events = [anEvent(1, { endDateMs: NOW_MS + DAY_MS })];
  lists.asked.length = 0;
  await calendar.refresh();
  await poll(MINUTE_MS);
  await calendar.refresh();
  expect(lists.asked).toEqual(['change', 'list']);
  lists.fault = () => null;
  await poll(REFUSED_MS);
  await calendar.refresh();
  expect(lists.standing()).toMatchObject([{ id: '101', endMs: NOW_MS + DAY_MS }]);
});

/** Everything that can happen to an entry, as the catalog tells of it, and what has to stand there afterwards. */
const STORY: readonly { events: DealEvent[]; toCome?: DealEvent[]; stands: Record<string, number> }[] = [
  {
    events: [],
    toCome: [anEvent(1, { startDateMs: NOW_MS + 3 * HOUR_MS, endDateMs: NOW_MS + DAY_MS })],
    stands: { 'Event 1': DAY_MS },
  },
  {
    events: [anEvent(2, { endDateMs: NOW_MS + 2 * DAY_MS })],
    toCome: [anEvent(1, { startDateMs: NOW_MS + 30 * HOUR_MS, endDateMs: NOW_MS + 2 * DAY_MS })],
    stands: { 'Event 1': 2 * DAY_MS, 'Event 2': 2 * DAY_MS },
  },
  { events: [anEvent(2, { endDateMs: NOW_MS + 3 * DAY_MS })], toCome: [], stands: { 'Event 2': 3 * DAY_MS } },
  {
    events: [anEvent(2, { endDateMs: NOW_MS }), anEvent(3, { endDateMs: NOW_MS + DAY_MS })],
    stands: { 'Event 3': DAY_MS },
  },
  { events: [], stands: {} },
];

/** Plays the story. `before` may replace the process before each chapter is brought about. */
async function play(world: World, refresh: (chapter: number) => Promise<void>): Promise<void> {
  const { believed, lists, poll } = world;
  for (const [chapter, { events, toCome = [], stands }] of STORY.entries()) {
    await poll(HOUR_MS);
    believed.events = events;
    believed.toCome = toCome.map((event) => ({ event, answers: 2 }));
    await refresh(chapter);
    // What is gone from two answers is gone.
    await poll(MINUTE_MS);
    await refresh(chapter);
    await poll(CHANGED_AFTER_MS);
    await refresh(chapter);
    const standing = lists.standing().toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const there = standing.map(({ name, endMs }) => [name, endMs - NOW_MS]);
    expect(there, `chapter ${chapter}`).toEqual(Object.entries(stands));
  }
}

test('a story without faults takes one request a change', async () => {
  const world = aWorld();
  const { calendar, store } = await world.start();
  await store.subscriptions.save(showing('s'));
  await play(world, () => calendar.refresh());
  const asked = 'begin begin change change create create create end end list remove';
  expect(world.lists.asked.toSorted().join(' ')).toBe(asked);
  expect(world.warnings).toEqual([]);
});

test.each([true, false])(
  'a process that ends at any request (carried out: %s) leaves one entry for each event',
  async (isCarriedOut) => {
    for (let end = 1, hasEnded = true; hasEnded; end += 1) {
      const world = aWorld();
      let run = await world.start();
      await run.store.subscriptions.save(showing('s'));
      let made = 0;
      hasEnded = false;
      world.lists.fault = () => {
        made += 1;
        if (made !== end) return null;
        hasEnded = true;
        // Nothing that the process learns from here on is stored.
        run.stopping.abort(new Error('killed'));
        return { failure: { kind: 'unknown', reason: 'killed' }, isCarriedOut };
      };
      await play(world, async () => {
        await run.calendar.refresh();
        if (!run.stopping.signal.aborted) return;
        await run.stop();
        run = await world.start();
        await run.calendar.refresh();
      });
      expect(made).toBeGreaterThan(hasEnded ? end : 0);
      expect(run.store.scheduledEvents.guildIds()).toEqual([]);
      await run.stop();
    }
  },
);

test('a process that is killed before any of its writes leaves one entry for each event', async () => {
  for (let dieAt = 2; ; dieAt += 1) {
    const world = aWorld();
    let hasDied = false;
    const dying = (backend: Backend): Backend => {
      const mortalBackend = mortal(backend, dieAt);
      return {
        ...mortalBackend,
        write: (rows) =>
          mortalBackend.write(rows).catch((error: unknown) => {
            hasDied = true;
            throw error;
          }),
      };
    };
    let run = await world.start({ wrap: dying });
    await run.store.subscriptions.save(showing('s'));
    let wasReplaced = false;
    await play(world, async () => {
      await run.calendar.refresh();
      if (!hasDied || wasReplaced) return;
      wasReplaced = true;
      await run.stop();
      run = await world.start();
      await run.calendar.refresh();
    });
    await run.stop();
    if (!hasDied) {
      expect(dieAt).toBeGreaterThan(8);
      return;
    }
  }
});

test('a request whose outcome is unknown is followed by the list, once it must have arrived', async () => {
  const { clock, lists, believed, calendar } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 9 * HOUR_MS })];
  lists.fault = without('create', true);
  await calendar.refresh();
  lists.fault = () => null;
  lists.asked.length = 0;
  await clock.advance(RETRY.firstMs - 1);
  await calendar.refresh();
  expect(lists.asked).toEqual([]);
  await clock.advance(1);
  await calendar.refresh();
  expect(lists.asked[0]).toBe('list');
  expect(lists.asked).not.toContain('create');
  expect(lists.standing()).toMatchObject([{ id: '101', status: 'active' }]);
});

test('a copy that arrived late is removed with the next list', async () => {
  const { clock, lists, believed, calendar } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 9 * DAY_MS })];
  await calendar.refresh();
  const [first] = lists.standing();
  if (!first) throw new Error('There is no entry.');
  await lists.create('1', { ...first, startMs: NOW_MS + HOUR_MS });
  expect(lists.standing()).toHaveLength(2);
  await clock.advance(LISTED_AGAIN_AFTER_MS + 1);
  await calendar.refresh();
  expect(lists.standing().map(({ id }) => id)).toEqual(['101']);
});

test('an event that the first answer after a start lacks keeps its entry until a second one lacks it', async () => {
  const world = await aCalendar(showing('s'));
  const { believed, lists, calendar, stop, start, poll } = world;
  believed.toCome = [
    { event: anEvent(1, { startDateMs: NOW_MS + DAY_MS, endDateMs: NOW_MS + 2 * DAY_MS }), answers: 2 },
  ];
  await calendar.refresh();
  await stop();
  const again = await start();
  believed.toCome = [];
  await poll(MINUTE_MS);
  await again.calendar.refresh();
  await again.calendar.refresh();
  expect(names({ lists }), 'the same answer is no second one').toEqual(['Event 1']);
  await poll(MINUTE_MS);
  await again.calendar.refresh();
  expect(lists.standing()).toEqual([]);
});

test('in a server that the bot has left, what has ended by itself is forgotten', async () => {
  const { lists, believed, lacks, calendar, store, poll } = await aCalendar(showing('s'));
  believed.events = [anEvent(1)];
  await calendar.refresh();
  lacks.set('1', NOT_ALLOWED);
  lists.asked.length = 0;
  await poll(HOUR_MS / 2);
  await calendar.refresh();
  expect(store.scheduledEvents.of('1')).toHaveLength(1);
  await poll(HOUR_MS / 2);
  await calendar.refresh();
  expect(store.scheduledEvents.of('1')).toEqual([]);
  expect(lists.asked).toEqual([]);
});

test('a server makes so many requests at a time, and only a few servers are asked at once', async () => {
  const guildIds = ['1', '2', '3', '4'];
  const { lists, believed, calendar } = await aCalendar(
    ...guildIds.map((guildId) => showing(`s${guildId}`, { guildId })),
  );
  believed.events = Array.from({ length: MOST_AT_A_TIME }, (_, number) =>
    anEvent(number, { id: uuid(number), endDateMs: NOW_MS + DAY_MS }),
  );
  let [open, most] = [0, 0];
  const list = lists.list.bind(lists);
  lists.list = async (guildId) => {
    open += 1;
    most = Math.max(most, open);
    const listed = await list(guildId);
    open -= 1;
    return listed;
  };
  await calendar.refresh();
  expect(most).toBe(AT_ONCE);
  expect(lists.asked).toHaveLength(guildIds.length * MOST_AT_A_TIME);
  await calendar.refresh();
  expect(guildIds.map((guildId) => lists.standing(guildId).filter(({ status }) => status === 'active').length)).toEqual(
    [25, 25, 25, 25],
  );
});

test('a refresh ends after a while; the next one begins with what people see', async () => {
  const guildIds = ['1', '2', '3', '4', '5', '6'];
  const { clock, lists, believed, calendar } = await aCalendar(
    ...guildIds.map((guildId) => showing(`s${guildId}`, { guildId })),
  );
  const end = { endDateMs: NOW_MS + DAY_MS };
  believed.events = [anEvent(1, end)];
  lists.fault = async () => {
    // Each request takes 10 seconds.
    await clock.advance(10_000);
    return null;
  };
  await calendar.refresh();
  const listed = () => guildIds.filter((guildId) => lists.standing(guildId).length > 0);
  const first = listed();
  expect(first.length).toBeGreaterThan(0);
  expect(first.length).toBeLessThan(guildIds.length);
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 2 * DAY_MS })];
  lists.asked.length = 0;
  await calendar.refresh();
  const firstCreate = lists.asked.indexOf('list');
  expect(lists.asked.slice(0, firstCreate)).toContain('change');
  for (let left = 0; left < 10; left += 1) await calendar.refresh();
  expect(listed()).toEqual(guildIds);
});

test('where each entry stays without an answer, it is asked for less and less often', async () => {
  const { clock, lists, believed, calendar } = await aCalendar(showing('s'));
  believed.events = [anEvent(1, { endDateMs: NOW_MS + 9 * DAY_MS })];
  lists.fault = without('create', false);
  const asked: number[] = [];
  const triesMs = [0, ...WAITS_MS.map((_, index) => sum(WAITS_MS.slice(0, index + 1)))];
  while (clock.now() - NOW_MS <= (triesMs.at(-1) ?? 0)) {
    lists.asked.length = 0;
    await calendar.refresh();
    if (lists.asked.includes('create')) asked.push(clock.now() - NOW_MS);
    await clock.advance(STEP_MS);
  }
  expect(asked).toEqual(triesMs);
});

test('while Discord is away altogether no entry steps aside, and all are asked for less and less often', async () => {
  const { clock, lists, believed, calendar } = await aCalendar(showing('s'));
  believed.events = [1, 2].map((number) => anEvent(number, { endDateMs: NOW_MS + 9 * DAY_MS }));
  lists.fault = () => ({ failure: { kind: 'unknown', reason: 'silence' }, isCarriedOut: false });
  for (let minute = 0; minute < 130; minute += 1) {
    await calendar.refresh();
    expect(calendar.refusedIn('1')).toBeNull();
    await clock.advance(MINUTE_MS);
  }
  expect(lists.asked.length).toBeLessThan(10);
  lists.fault = () => null;
  await clock.advance(RETRY.longestMs);
  await calendar.refresh();
  expect(names({ lists }).toSorted()).toEqual(['Event 1', 'Event 2']);
});

/** All waits until an entry steps aside, and until the list was read after that. */
const ASIDE_WITHIN_MS = sum(Array.from({ length: BAD_ANSWERS - 1 }, (_, index) => backOffMs(index + 1, RETRY)));

test.each([
  ['create', { kind: 'unknown', reason: '500' }],
  ['create', { kind: 'refused', reason: 'Something is wrong', isUnexplained: true }],
  ['change', { kind: 'unknown', reason: '500' }],
  ['change', { kind: 'refused', reason: 'Something is wrong', isUnexplained: true }],
  ['begin', { kind: 'unknown', reason: '500' }],
  ['remove', { kind: 'unknown', reason: '500' }],
] satisfies [string, Failure][])(
  'an entry to whose %s Discord answers %j each time holds back no others, is named, and is right once it is taken',
  async (what, failure) => {
    const { clock, lists, believed, calendar, store, start, stop } = await aCalendar(showing('s'));
    const event = (number: number, changes: Partial<DealEvent> = {}) =>
      anEvent(number, { startDateMs: NOW_MS + DAY_MS, endDateMs: NOW_MS + 3 * DAY_MS, ...changes });
    const coming = (...events: DealEvent[]) => events.map((one) => ({ event: one, answers: 2 }));
    let isSick = true;
    const fault = (request: string, name: string) =>
      isSick && request === what && name === 'Event 1' ? { failure, isCarriedOut: false } : null;
    believed.events = [];
    if (what === 'create') lists.fault = fault;
    believed.toCome = coming(event(1), event(2));
    await calendar.refresh();
    lists.fault = fault;
    if (what === 'change') {
      const endDateMs = NOW_MS + 4 * DAY_MS;
      believed.toCome = coming(event(1, { endDateMs }), event(2, { endDateMs }), event(3));
    } else if (what === 'remove' || what === 'begin') believed.toCome = coming(event(3));
    else believed.toCome = coming(event(1), event(2), event(3));
    if (what === 'begin') believed.events = [event(1), event(2)].map((one) => ({ ...one, startDateMs: NOW_MS }));
    const run = async (process: Pick<typeof calendar, 'refresh'>, ms: number) => {
      for (let passed = 0; passed <= ms; passed += STEP_MS) {
        await clock.advance(STEP_MS);
        believed.fetchedAtMs = clock.now();
        await process.refresh();
      }
    };
    await run(calendar, ASIDE_WITHIN_MS + 2 * RETRY.firstMs);
    const shown = () => lists.standing().map(({ name, status, endMs }) => `${name} ${status} ${endMs - NOW_MS}`);
    const others = () => shown().filter((text) => !text.startsWith('Event 1'));
    const right = others();
    const isNamed = calendar.refusedIn('1')?.values['title'] === 'Event 1';
    expect(isNamed, 'one that is removed is no event any more').toBe(what !== 'remove');
    expect(right.map((text) => text.slice(0, 7)).toSorted()).toEqual(
      what === 'remove' ? ['Event 3'] : ['Event 2', 'Event 3'],
    );
    isSick = false;
    await stop();
    const again = await start();
    expect(again.store.scheduledEvents.of('1').length).toBe(store.scheduledEvents.of('1').length);
    await run(again.calendar, ASIDE.longestMs);
    expect(again.calendar.refusedIn('1')).toBeNull();
    expect(others()).toEqual(right);
    const first = shown().filter((text) => text.startsWith('Event 1'));
    const suffix = right.find((text) => text.startsWith('Event 2'))?.slice('Event 2'.length);
    expect(first).toEqual(what === 'remove' ? [] : [`Event 1${suffix}`]);
  },
);
