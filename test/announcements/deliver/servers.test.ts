import { expect, onTestFinished, test } from 'vitest';
import { createChannelProblems } from '../../../src/announcements/deliver/channel-problems.ts';
import { createServers } from '../../../src/announcements/deliver/servers.ts';
import { USUAL_PACING_OF_PERSON } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { placeOfPerson } from '../../../src/deals/watch.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { createLog } from '../../../src/shared/log.ts';
import type { Person } from '../../../src/store/people.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDelivery, aSubscription, HOUR_MS } from '../../helpers/things.ts';

const DAY_MS = 24 * HOUR_MS;
const PLACE = { guildId: '1', channelId: '10' };
const EVE = placeOfPerson('eve');

/** Servers on a real store, and what is asked of Discord and of the channels' work. */
async function aHouse() {
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  const told: [person: string, text: string][] = [];
  const abandoned: string[] = [];
  const restarted: string[] = [];
  const courier = { sendDirectMessage: async (...message: [string, string]) => void told.push(message) };
  let writes = 0;
  const { subscriptions } = store;
  const counted = {
    ...subscriptions,
    change: (...change: Parameters<typeof subscriptions.change>) => {
      writes += 1;
      subscriptions.change(...change);
    },
  };
  const problems = createChannelProblems(
    { commit: store.commit, subscriptions: counted, people: store.people },
    courier as never,
    () => translatorFor('en-US'),
    clock,
  );
  const servers = createServers({
    commit: store.commit,
    subscriptions: counted,
    people: store.people,
    deliveries: store.deliveries,
    channelProblems: problems,
    posting: { abandon: (channelId: string) => abandoned.push(channelId), reclaim: () => undefined } as never,
    work: {
      restart: (channelId: string) => restarted.push(channelId),
      settled: async () => undefined,
    } as never,
    clock,
    log: createLog('silent'),
  });
  return {
    clock,
    store,
    told,
    abandoned,
    restarted,
    problems,
    servers,
    writes: () => writes,
    subscribe: async (id: string, changes: Partial<Subscription> = {}) => {
      await subscriptions.save(aSubscription(id, changes));
    },
    stateOf: (id: string) => {
      const { problem, pausedBy } = subscriptions.get(id) ?? {};
      return [problem, pausedBy];
    },
    person: async (changes: Partial<Person> = {}) => {
      const person: Person = {
        ...USUAL_PACING_OF_PERSON,
        id: 'eve',
        channelId: '20',
        locale: 'en-US',
        usedAtMs: clock.now(),
        closed: null,
        shownWaiting: null,
        ...changes,
      };
      await store.people.save(person);
    },
  };
}

test('a problem is told once to each person who has made a subscription there, and noted with all of them', async () => {
  const { problems, subscribe, stateOf, told } = await aHouse();
  await subscribe('a', { createdBy: 'ada' });
  await subscribe('b', { createdBy: 'ben' });
  await subscribe('c', { createdBy: 'ada', pausedBy: 'person' });
  await subscribe('by-command-line', { createdBy: '' });
  await subscribe('elsewhere', { channelId: '11', createdBy: 'cem' });
  await problems.report(PLACE, 'cannot-post', false);
  expect(told.map(([person]) => person)).toEqual(['ada', 'ben']);
  for (const [, text] of told) expect(text).toContain('<#10>');
  expect(told[0]?.[1]).toContain(
    translatorFor('en-US').translate({ key: 'problem.cannot-post', values: {} }).replace(/\.$/, ''),
  );
  expect(['a', 'b', 'c', 'by-command-line', 'elsewhere'].map(stateOf)).toEqual([
    ['cannot-post', null],
    ['cannot-post', null],
    ['cannot-post', 'person'],
    ['cannot-post', null],
    [null, null],
  ]);
  await problems.report(PLACE, 'cannot-post', false);
  await problems.report(PLACE, 'cannot-see', false);
  expect(told).toHaveLength(2);
  expect(stateOf('a')).toEqual(['cannot-see', null]);
});

test('a channel that will not come back pauses what is not paused, and says so in other words', async () => {
  const { problems, subscribe, stateOf, told } = await aHouse();
  await subscribe('a');
  await subscribe('b', { pausedBy: 'person' });
  await problems.report({ ...PLACE, channelId: '11' }, 'cannot-post', false);
  await problems.report(PLACE, 'channel-gone', true);
  expect(['a', 'b'].map(stateOf)).toEqual([
    ['channel-gone', 'gone'],
    ['channel-gone', 'person'],
  ]);
  const gone = told[0]?.[1];
  expect(gone).toContain('<#10>');
  expect(told).toHaveLength(1);
  await subscribe('other', { channelId: '11' });
  await problems.report({ ...PLACE, channelId: '11' }, 'channel-gone', false);
  expect(told[1]?.[1]).not.toBe(gone?.replace('<#10>', '<#11>'));
});

test('a channel whose problem was known is paused, too, once it is known to be gone', async () => {
  const { problems, subscribe, stateOf, told, writes } = await aHouse();
  await subscribe('a', { problem: 'channel-gone' });
  await problems.report(PLACE, 'channel-gone', false);
  expect([stateOf('a'), writes()]).toEqual([['channel-gone', null], 0]);
  for (let times = 0; times < 2; times += 1) await problems.report(PLACE, 'channel-gone', true);
  expect([stateOf('a'), writes()]).toEqual([['channel-gone', 'gone'], 1]);
  expect(told).toEqual([]);
});

test('a problem that is known in its channel is told to nobody again, though a subscription is new', async () => {
  const { problems, subscribe, stateOf, told } = await aHouse();
  await subscribe('a', { problem: 'cannot-post' });
  await subscribe('new');
  await problems.report(PLACE, 'cannot-post', false);
  expect([told, stateOf('new')]).toEqual([[], ['cannot-post', null]]);
});

test('of a server that the bot has left nobody is told: it could not reach them', async () => {
  const { problems, subscribe, stateOf, told } = await aHouse();
  await subscribe('a');
  await problems.report(PLACE, 'server-gone', true);
  expect([told, stateOf('a')]).toEqual([[], ['server-gone', 'gone']]);
});

test('a problem that is over is noted as such in its channel alone', async () => {
  const { problems, store, subscribe, stateOf, writes } = await aHouse();
  await subscribe('a', { problem: 'cannot-post' });
  await subscribe('well');
  await subscribe('b', { problem: 'cannot-post', channelId: '11' });
  await store.commit((changes) => problems.resolve(changes, PLACE));
  expect(writes()).toBe(1);
  expect([stateOf('a'), stateOf('b')]).toEqual([
    [null, null],
    ['cannot-post', null],
  ]);
});

test('of a person it is noted since when they take no messages, until one is taken', async () => {
  const { problems, person, store, clock, told } = await aHouse();
  await person({ shownWaiting: 3 });
  const sinceMs = clock.now();
  await problems.report({ guildId: EVE, channelId: '20' }, 'messages-closed', false);
  await clock.advance(HOUR_MS);
  await problems.report({ guildId: EVE, channelId: '20' }, 'messages-closed', false);
  expect(store.people.get('eve')?.closed).toMatchObject({ sinceMs, tries: 2 });
  await store.commit((changes) => problems.resolve(changes, { guildId: EVE, channelId: '20' }));
  const open = store.people.get('eve');
  expect(open).toMatchObject({ closed: null, shownWaiting: null });
  await store.commit((changes) => problems.resolve(changes, { guildId: EVE, channelId: '20' }));
  expect(store.people.get('eve'), 'nothing to write').toBe(open);
  expect(told).toEqual([]);
});

test('what the bot itself has paused goes on where the bot is back; a person’s pause stays', async () => {
  const { problems, subscribe, stateOf } = await aHouse();
  await subscribe('left', { problem: 'server-gone', pausedBy: 'gone' });
  await subscribe('visible', { problem: 'channel-gone', pausedBy: 'gone' });
  await subscribe('invisible', { problem: 'channel-gone', pausedBy: 'gone', channelId: '11' });
  await subscribe('by-a-person', { problem: 'server-gone', pausedBy: 'person', channelId: '11' });
  await subscribe('locked', { problem: 'thread-locked' });
  await subscribe('elsewhere', { problem: 'server-gone', pausedBy: 'gone', guildId: '2' });
  await problems.resume('1', (channelId) => channelId === '10');
  expect(['left', 'visible', 'invisible', 'by-a-person', 'locked', 'elsewhere'].map(stateOf)).toEqual([
    [null, null],
    [null, null],
    ['channel-gone', 'gone'],
    [null, 'person'],
    ['thread-locked', null],
    ['server-gone', 'gone'],
  ]);
});

test('a server that the bot has left loses what waits in all its channels, and no other server does', async () => {
  const { servers, subscribe, stateOf, store, abandoned, restarted } = await aHouse();
  await subscribe('a');
  await subscribe('other', { guildId: '2', channelId: '30' });
  // Its subscription has been removed.
  await store.transact((changes) =>
    store.deliveries.add(
      changes,
      [aDelivery('d', { channelId: '11' }), aDelivery('e', { guildId: '2', channelId: '30' })],
      (deliveries) => [...deliveries],
    ),
  );
  servers.left('1', null);
  await servers.settled();
  expect(abandoned.toSorted()).toEqual(['10', '11']);
  expect(restarted).toEqual(abandoned);
  expect([stateOf('a'), stateOf('other')]).toEqual([
    ['server-gone', 'gone'],
    [null, null],
  ]);
});

test('of the channels that are deleted only those count that something is for', async () => {
  const { servers, subscribe, stateOf, abandoned } = await aHouse();
  await subscribe('a');
  await subscribe('b', { channelId: '11' });
  servers.left('1', ['10', '99']);
  await servers.settled();
  expect(abandoned).toEqual(['10']);
  expect([stateOf('a'), stateOf('b')]).toEqual([
    ['channel-gone', 'gone'],
    [null, null],
  ]);
});

test('a bot that leaves a server and joins it again at once is in it', async () => {
  const { servers, subscribe, stateOf } = await aHouse();
  await subscribe('a');
  servers.left('1', null);
  servers.joined('1', () => false);
  await servers.settled();
  expect(stateOf('a')).toEqual([null, null]);
});

test('a change that fails is followed by the next one', async () => {
  const { servers, subscribe, stateOf, store } = await aHouse();
  await subscribe('a', { problem: 'server-gone', pausedBy: 'gone' });
  servers.joined('1', () => {
    throw new Error('unforeseen');
  });
  await subscribe('b', { problem: 'channel-gone', pausedBy: 'gone' });
  await servers.settled();
  await store.subscriptions.remove('b');
  servers.joined('1', () => true);
  await servers.settled();
  expect(stateOf('a')).toEqual([null, null]);
});

test('the servers are those with subscriptions and those that something waits for; people are none', async () => {
  const { servers, subscribe, store } = await aHouse();
  await subscribe('a');
  await subscribe('b', { channelId: '11' });
  await subscribe('w', { guildId: EVE, channelId: '20' });
  await store.transact((changes) =>
    store.deliveries.add(
      changes,
      [aDelivery('d', { guildId: '2', channelId: '30' }), aDelivery('e', { guildId: EVE, channelId: '20' })],
      (deliveries) => [...deliveries],
    ),
  );
  expect(servers.guildIds()).toEqual(new Set(['1', '2']));
});

test('people who take no messages lose what waits after a month, and are forgotten after half a year', async () => {
  const { servers, subscribe, person, store, clock, abandoned, stateOf, writes } = await aHouse();
  await subscribe('w', { guildId: EVE, channelId: '20' });
  await subscribe('paused', { guildId: EVE, channelId: '20', pausedBy: 'person' });
  await person({ closed: { sinceMs: clock.now(), tries: 1, retryAtMs: clock.now() } });
  await servers.sweepPeople();
  expect([abandoned, stateOf('w')]).toEqual([[], [null, null]]);
  await clock.advance(32 * DAY_MS);
  await servers.sweepPeople();
  expect(abandoned).toEqual(['20']);
  expect([stateOf('w'), stateOf('paused')]).toEqual([
    [null, 'gone'],
    [null, 'person'],
  ]);
  expect(writes()).toBe(1);
  await servers.sweepPeople();
  expect(writes()).toBe(1);
  await clock.advance(200 * DAY_MS);
  await servers.sweepPeople();
  expect(abandoned).toEqual(['20', '20', '20']);
  expect([store.subscriptions.get('w'), store.people.get('eve')]).toEqual([undefined, undefined]);
});

test('people without watches are forgotten after four months, those with some are not', async () => {
  const { servers, subscribe, person, store, clock } = await aHouse();
  await subscribe('w', { guildId: EVE, channelId: '20' });
  await person();
  await person({ id: 'fay', channelId: '21' });
  await clock.advance(120 * DAY_MS);
  await servers.sweepPeople();
  expect([...store.people.all()].map(({ id }) => id)).toEqual(['eve', 'fay']);
  await clock.advance(1);
  await servers.sweepPeople();
  expect([...store.people.all()].map(({ id }) => id)).toEqual(['eve']);
  expect(store.subscriptions.get('w')).toBeDefined();
});

test('giving a channel up ends what waits there, and returns when nothing is under way', async () => {
  const { servers, abandoned, restarted } = await aHouse();
  await servers.abandon('10');
  expect([abandoned, restarted]).toEqual([['10'], ['10']]);
});
