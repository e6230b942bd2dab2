import { expect, test } from 'vitest';
import { placeOfPerson } from '../../../src/deals/person.ts';
import { USUAL_PACING_OF_PERSON } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import type { Failure } from '../../../src/discord/outcome.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import type { Person } from '../../../src/store/server-records.ts';
import { blockedMs } from '../../helpers/back-offs.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aDelivery, anOffer } from '../../helpers/things.ts';

const EVE = placeOfPerson('eve');
const CANNOT_POST: Failure = { kind: 'blocked', reason: 'cannot-post' };
const CANNOT_SEE: Failure = { kind: 'blocked', reason: 'cannot-see' };
const CHANNEL_GONE: Failure = { kind: 'gone', reason: 'channel-gone' };
const SERVER_GONE: Failure = { kind: 'gone', reason: 'server-gone' };

/** A deliverer, and what its subscriptions and people are told. */
async function aHouse() {
  const house = await aScriptedDeliverer();
  const run = await house.run();
  const { store, deliverer } = run;
  return {
    ...house,
    ...run,
    told: house.script.told,
    stateOf: (id: string) => {
      const { problem, pausedBy } = store.subscriptions.get(id) ?? {};
      return [problem, pausedBy];
    },
    /** Resolves when all that the gateway has told of is done. */
    handled: async (change: () => void) => {
      change();
      await house.idle();
    },
    /** Puts deliveries for these channels into the outbox, whose subscriptions are gone. */
    owe: async (...places: { guildId: string; channelId: string }[]) => {
      const deliveries = places.map((place) => aDelivery(`d${place.channelId}`, { ...place, matches: [] }));
      await store.transact((changes) => store.deliveries.add(changes, deliveries, (all) => [...all]));
    },
    person: async (changes: Partial<Person> = {}) => {
      const person: Person = {
        ...USUAL_PACING_OF_PERSON,
        id: 'eve',
        channelId: '20',
        locale: 'en-US',
        timing: { mode: 'at-once', dailyAtMinute: 0, timeZone: 'UTC', quiet: null },
        mostPerHour: 10,
        usedAtMs: house.clock.now(),
        closed: null,
        shownWaiting: null,
        ...changes,
      };
      await store.people.save(person.id, person);
    },
    sweep: () => deliverer.sweep(),
  };
}

/** Posts an offer for a subscription, which Discord answers like this. */
async function tryPost(
  { enqueue, kick, answers }: Awaited<ReturnType<typeof aHouse>>,
  subscription: Subscription,
  outcome: Failure,
  number = 1,
): Promise<void> {
  answers.push(outcome);
  await enqueue(anOffer(number, { endDateMs: null }), subscription);
  await kick();
}

test('a problem is told once to each person who has made a subscription there, and noted with all of them', async () => {
  const house = await aHouse();
  const { subscribe, stateOf, told, answers, pass } = house;
  const a = await subscribe('a', { createdBy: 'ada' });
  await subscribe('b', { createdBy: 'ben' });
  await subscribe('c', { createdBy: 'ada', pausedBy: 'person' });
  await subscribe('by-command-line', { createdBy: '' });
  await subscribe('elsewhere', { channelId: '11', createdBy: 'cem' });
  await tryPost(house, a, CANNOT_POST);
  expect(told.map(([person]) => person)).toEqual(['ada', 'ben']);
  for (const [, text] of told) expect(text).toContain('<#10>');
  const sentence = translatorFor('en-US').translate({ key: 'problem.cannot-post', values: {} });
  expect(told[0]?.[1]).toContain(sentence.replace(/\.$/, ''));
  expect(['a', 'b', 'c', 'by-command-line', 'elsewhere'].map(stateOf)).toEqual([
    ['cannot-post', null],
    ['cannot-post', null],
    ['cannot-post', 'person'],
    ['cannot-post', null],
    [null, null],
  ]);
  answers.push(CANNOT_POST, CANNOT_SEE);
  await pass(blockedMs());
  await pass(blockedMs(2));
  expect(told).toHaveLength(2);
  expect(stateOf('a')).toEqual(['cannot-see', null]);
});

test('a channel that will not come back pauses what is not paused, and says so in other words', async () => {
  const house = await aHouse();
  const { subscribe, stateOf, told } = house;
  const a = await subscribe('a');
  await subscribe('b', { pausedBy: 'person' });
  await tryPost(house, a, CHANNEL_GONE);
  expect(['a', 'b'].map(stateOf)).toEqual([
    ['channel-gone', 'gone'],
    ['channel-gone', 'person'],
  ]);
  const [, gone] = told[0] ?? [];
  expect(gone).toContain('<#10>');
  expect(told).toHaveLength(1);
  await tryPost(house, await subscribe('other', { channelId: '11' }), { ...CANNOT_POST, reason: 'channel-gone' });
  expect(stateOf('other')).toEqual(['channel-gone', null]);
  expect(told[1]?.[1]).not.toBe(gone?.replace('<#10>', '<#11>'));
});

test('a problem that is known in its channel is told to nobody again, though it gets worse or a subscription is new', async () => {
  const house = await aHouse();
  const { subscribe, stateOf, told, deliverer } = house;
  const a = await subscribe('a', { problem: 'cannot-post' });
  await subscribe('new');
  await tryPost(house, a, CANNOT_POST);
  expect([stateOf('a'), stateOf('new')]).toEqual([
    ['cannot-post', null],
    ['cannot-post', null],
  ]);
  await house.handled(() => deliverer.left('1', ['10']));
  expect([stateOf('a'), stateOf('new'), told]).toEqual([['channel-gone', 'gone'], ['channel-gone', 'gone'], []]);
});

test('a channel whose problem was known is paused, too, once it is known to be gone', async () => {
  const { handled, subscribe, stateOf, told, deliverer } = await aHouse();
  await subscribe('a', { problem: 'channel-gone' });
  await handled(() => deliverer.left('1', ['10']));
  expect([stateOf('a'), told]).toEqual([['channel-gone', 'gone'], []]);
});

test.each([SERVER_GONE, null])(
  'of a server that the bot has left nobody is told: it could not reach them',
  async (outcome) => {
    const house = await aHouse();
    const { subscribe, stateOf, told, deliverer } = house;
    const a = await subscribe('a');
    if (outcome) await tryPost(house, a, outcome);
    else await house.handled(() => deliverer.left('1', null));
    expect([told, stateOf('a')]).toEqual([[], ['server-gone', 'gone']]);
  },
);

test('a problem that is over is noted as such in its channel alone', async () => {
  const { subscribe, stateOf, enqueue, kick } = await aHouse();
  const a = await subscribe('a', { problem: 'cannot-post' });
  await subscribe('b', { problem: 'cannot-post', channelId: '11' });
  await enqueue(anOffer(1), a);
  await kick();
  expect([stateOf('a'), stateOf('b')]).toEqual([
    [null, null],
    ['cannot-post', null],
  ]);
});

test('of a person it is noted since when they take no messages, until one is taken', async () => {
  const house = await aHouse();
  const { subscribe, person, store, clock, told, pass, answers } = house;
  await person({ shownWaiting: 3 });
  const watch = await subscribe('w', { guildId: EVE, channelId: '20' });
  const sinceMs = clock.now();
  answers.push(CANNOT_POST);
  await tryPost(house, watch, { kind: 'blocked', reason: 'messages-closed' });
  const untilRetryMs = () => (store.people.get('eve')?.closed?.retryAtMs ?? 0) - clock.now();
  await pass(untilRetryMs());
  expect(store.people.get('eve')?.closed).toMatchObject({ sinceMs, tries: 2 });
  await pass(untilRetryMs());
  expect(store.people.get('eve')).toMatchObject({ closed: null, shownWaiting: null });
  expect(told).toEqual([]);
});

test('what the bot itself has paused goes on where the bot is back; a person’s pause stays', async () => {
  const { handled, deliverer, subscribe, stateOf, store } = await aHouse();
  await subscribe('left', { problem: 'server-gone', pausedBy: 'gone' });
  await subscribe('visible', { problem: 'channel-gone', pausedBy: 'gone' });
  await subscribe('invisible', { problem: 'channel-gone', pausedBy: 'gone', channelId: '11' });
  await subscribe('by-a-person', { problem: 'server-gone', pausedBy: 'person', channelId: '11' });
  await subscribe('locked', { problem: 'thread-locked' });
  await subscribe('elsewhere', { problem: 'server-gone', pausedBy: 'gone', guildId: '2' });
  await handled(() => deliverer.joined('1', (channelId) => channelId === '10'));
  expect(['left', 'visible', 'invisible', 'by-a-person', 'locked', 'elsewhere'].map(stateOf)).toEqual([
    [null, null],
    [null, null],
    ['channel-gone', 'gone'],
    [null, 'person'],
    ['thread-locked', null],
    ['server-gone', 'gone'],
  ]);
  // What happened meanwhile is not owed.
  const resumed = store.subscriptions.all().filter(({ resumedAtMs }) => resumedAtMs !== undefined);
  expect(resumed.map(({ id }) => id).toSorted((a, b) => a.localeCompare(b))).toEqual(['left', 'visible']);
});

test('a server that the bot has left loses what waits in all its channels, and no other server does', async () => {
  const { handled, deliverer, subscribe, stateOf, store, owe } = await aHouse();
  await subscribe('a');
  await subscribe('other', { guildId: '2', channelId: '30' });
  await owe({ guildId: '1', channelId: '10' }, { guildId: '1', channelId: '11' }, { guildId: '2', channelId: '30' });
  await handled(() => deliverer.left('1', null));
  expect(store.deliveries.channels()).toEqual(['30']);
  for (const id of ['d10', 'd11']) expect(await store.deliveries.ended(id)).toMatchObject({ outcome: 'gone' });
  expect([stateOf('a'), stateOf('other')]).toEqual([
    ['server-gone', 'gone'],
    [null, null],
  ]);
});

test('of the channels that are deleted only those count that something is for', async () => {
  const { handled, deliverer, subscribe, stateOf, store, owe } = await aHouse();
  await subscribe('a');
  await subscribe('b', { channelId: '11' });
  await owe({ guildId: '1', channelId: '10' }, { guildId: '1', channelId: '11' });
  await handled(() => deliverer.left('1', ['10', '99']));
  expect(store.deliveries.channels()).toEqual(['11']);
  expect([stateOf('a'), stateOf('b')]).toEqual([
    ['channel-gone', 'gone'],
    [null, null],
  ]);
});

test('with a channel that is deleted its pins are forgotten, and those of no other', async () => {
  const { handled, deliverer, subscribe, store } = await aHouse();
  await subscribe('a');
  await store.commit((changes) => {
    for (const channelId of ['10', '11']) {
      const pin = { channelId, messageId: `m${channelId}`, thing: 'event:1', is: 'pinned', queuedAtMs: 0 } as const;
      store.pins.add(changes, [pin]);
    }
  });
  await handled(() => deliverer.left('1', ['10']));
  expect(store.pins.all().map(({ messageId }) => messageId)).toEqual(['m11']);
});

test('a bot that leaves a server and joins it again at once is in it', async () => {
  const { handled, deliverer, subscribe, stateOf } = await aHouse();
  await subscribe('a');
  await handled(() => {
    deliverer.left('1', null);
    deliverer.joined('1', () => false);
  });
  expect(stateOf('a')).toEqual([null, null]);
});

test.each<[string, readonly string[] | null, boolean, ('posted' | 'gone')[]]>([
  ['of a server that the bot has joined again', null, false, ['posted', 'posted']],
  ['that is there again', ['10'], true, ['posted', 'posted']],
  ['that is deleted', ['10'], false, ['posted', 'gone']],
])(
  'before a channel %s has ended what waits there, that is posted if it can be',
  async (_, channelIds, isVisible, outcomes) => {
    const { deliverer, subscribe, enqueue, kick, handled, script, store } = await aHouse();
    let answer = () => {};
    script.whilePosting = () => new Promise<void>((resolve) => (answer = resolve));
    const subscription = await subscribe('s');
    await enqueue(anOffer(1), subscription);
    await enqueue(anOffer(2), subscription);
    const waiting = store.deliveries.pending('10').map(({ id }) => id);
    await kick();
    await handled(() => deliverer.left('1', channelIds));
    await handled(() => deliverer.joined('1', () => isVisible));
    script.whilePosting = async () => undefined;
    await handled(() => answer());
    const ended = await Promise.all(waiting.map((id) => store.deliveries.ended(id)));
    expect(ended.map((entry) => entry?.outcome).toSorted((a, b) => String(b).localeCompare(String(a)))).toEqual(
      outcomes,
    );
  },
);

test('a change that fails is followed by the next one, and a stop waits for both', async () => {
  const { deliverer, subscribe, stateOf, store } = await aHouse();
  await subscribe('a', { problem: 'server-gone', pausedBy: 'gone' });
  await subscribe('b', { problem: 'channel-gone', pausedBy: 'gone', channelId: '11' });
  deliverer.joined('1', () => {
    throw new Error('unforeseen');
  });
  deliverer.left('1', ['11']);
  await deliverer.stop();
  expect(stateOf('a')).toEqual(['server-gone', 'gone']);
  expect(store.subscriptions.get('b')).toMatchObject({ problem: 'channel-gone', pausedBy: 'gone' });
  deliverer.joined('1', () => true);
  await deliverer.stop();
  expect([stateOf('a'), stateOf('b')]).toEqual([
    [null, null],
    [null, null],
  ]);
});

test('the servers are those with subscriptions and those that something waits for; people are none', async () => {
  const { deliverer, subscribe, owe } = await aHouse();
  await subscribe('a');
  await subscribe('b', { channelId: '11' });
  await subscribe('w', { guildId: EVE, channelId: '20' });
  await owe({ guildId: '2', channelId: '30' }, { guildId: EVE, channelId: '20' });
  expect(deliverer.guildIds()).toEqual(new Set(['1', '2']));
});

test('people who take no messages lose what waits after a month, and are forgotten after half a year', async () => {
  const { sweep, subscribe, person, store, clock, owe, stateOf } = await aHouse();
  await subscribe('w', { guildId: EVE, channelId: '20' });
  await subscribe('paused', { guildId: EVE, channelId: '20', pausedBy: 'person' });
  await owe({ guildId: EVE, channelId: '20' });
  await person({ closed: { sinceMs: clock.now(), tries: 1, retryAtMs: clock.now() + 365 * DAY_MS } });
  await sweep();
  expect([store.deliveries.channels(), stateOf('w')]).toEqual([['20'], [null, null]]);
  await clock.advance(32 * DAY_MS);
  await sweep();
  expect(await store.deliveries.ended('d20')).toMatchObject({ outcome: 'gone' });
  expect([stateOf('w'), stateOf('paused')]).toEqual([
    [null, 'gone'],
    [null, 'person'],
  ]);
  await clock.advance(200 * DAY_MS);
  await sweep();
  expect([store.subscriptions.get('w'), store.people.get('eve')]).toEqual([undefined, undefined]);
});

test('people without watches are forgotten after four months, those with some are not', async () => {
  const { sweep, subscribe, person, store, clock } = await aHouse();
  await subscribe('w', { guildId: EVE, channelId: '20' });
  await person();
  await person({ id: 'fay', channelId: '21' });
  await clock.advance(120 * DAY_MS);
  await sweep();
  expect([...store.people.all()].map(({ id }) => id)).toEqual(['eve', 'fay']);
  await clock.advance(1);
  await sweep();
  expect([...store.people.all()].map(({ id }) => id)).toEqual(['eve']);
  expect(store.subscriptions.get('w')).toBeDefined();
});

test('giving a channel up returns when nothing is under way there', async () => {
  const { deliverer, subscribe, enqueue, kick, script, idle, store } = await aHouse();
  let answer = () => {};
  script.whilePosting = () => new Promise<void>((resolve) => (answer = resolve));
  await enqueue(anOffer(1), await subscribe('s'));
  await enqueue(anOffer(2), await subscribe('t'));
  await kick();
  let isGivenUp = false;
  const givenUp = deliverer.abandon('10').then(() => {
    isGivenUp = true;
  });
  await idle();
  expect(isGivenUp).toBe(false);
  answer();
  await givenUp;
  expect(store.deliveries.channels()).toEqual([]);
  expect(deliverer.status().ended.sinceStart).toMatchObject({ posted: 1, gone: 1 });
});
