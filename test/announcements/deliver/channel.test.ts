import { expect, onTestFinished, test } from 'vitest';
import { MAY_ARRIVE_MS } from '../../../src/announcements/deliver/channel.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import type { Timing } from '../../../src/deals/settings.ts';
import type { PostOutcome } from '../../../src/discord/courier.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { blockedMs, retryMs } from '../../helpers/back-offs.ts';
import { createTestLog } from '../../helpers/keys.ts';
import type { Backend } from '../../helpers/opened-state.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aDelivery, anOffer, newOfferOf, uuid } from '../../helpers/things.ts';

const CHANNEL = '10';
const UNKNOWN: PostOutcome = { kind: 'unknown', reason: 'silence' };
const BLOCKED: PostOutcome = { kind: 'blocked', reason: 'cannot-post' };
const LATER_MS = 90_000;
const LATER: PostOutcome = { kind: 'later', reason: 'rate limit', afterMs: LATER_MS };

/** An offer that does not end while a test plays. */
const lasting = (number: number) => anOffer(number, { endDateMs: null });
const kinds = (requests: readonly string[]) => requests.map((request) => request.split(' ')[0]);

/** A deliverer with a subscription in channel 10. */
async function aRun({ through, clearFromMs }: { through?: (backend: Backend) => Backend; clearFromMs?: number } = {}) {
  const logged: { level: number; channel?: string }[] = [];
  const log = createTestLog((line) => logged.push(JSON.parse(line) as (typeof logged)[number]));
  const house = await aScriptedDeliverer(through, log);
  const run = await house.run(clearFromMs);
  const { store } = run;
  const subscription = await run.subscribe('s');
  return {
    ...house,
    ...run,
    subscription,
    logged,
    /** Puts one delivery for each of these channels into the outbox. */
    owe: async (channelIds: readonly string[], number = 1) => {
      const announcement = newOfferOf(lasting(number));
      const deliveries = channelIds.map((channelId) =>
        aDelivery(`${number}-${channelId}`, { channelId, announcement }),
      );
      await store.transact((changes) => store.deliveries.add(changes, deliveries, (all) => [...all]));
    },
    publish: async (channelIds: readonly string[]) => {
      const wanted = channelIds.map((channelId) => ({
        channelId,
        messageId: `p-${channelId}`,
        queuedAtMs: house.clock.now(),
      }));
      await store.commit((changes) => store.publications.add(changes, wanted));
    },
    /** Queues the edits of all posts about an offer. */
    change: (number: number, isSoldOut = true) =>
      store.transact((changes) =>
        run.deliverer.refresh(changes, [{ key: `offer:${uuid(number)}`, item: anOffer(number, { isSoldOut }) }]),
      ),
  };
}

/** Requests that Discord answers when the test says so, and at its end. */
function gate() {
  const held: (() => void)[] = [];
  let isOver = false;
  const openAll = () => {
    for (const answer of held.splice(0)) answer();
  };
  onTestFinished(() => {
    isOver = true;
    openAll();
  });
  return {
    held,
    wait: () => new Promise<void>((resolve) => (isOver ? resolve() : held.push(resolve))),
    /** Answers the request that has waited for longest. */
    open: () => held.shift()?.(),
    openAll,
  };
}

const channelIds = (count: number, from = 1_000) => Array.from({ length: count }, (_, index) => String(from + index));

test.each([
  ['unknown', UNKNOWN, [1, 2, 3, 4, 5].map(retryMs)],
  ['blocked', BLOCKED, [1, 2, 3].map(blockedMs)],
  ['later', LATER, [LATER_MS, LATER_MS, LATER_MS]],
] as const)(
  'after %s outcomes in a row a channel is paused for longer and longer, and a success forgets them',
  async (_, outcome, pausesMs) => {
    const { enqueue, subscription, kick, tries, script, pass, deliverer } = await aRun();
    script.otherwise = outcome;
    await enqueue(lasting(1), subscription);
    await kick();
    for (const [index, pauseMs] of pausesMs.entries()) {
      await pass(pauseMs - 1);
      expect(tries).toHaveLength(index + 1);
      if (index === pausesMs.length - 1) script.otherwise = null;
      await pass(1);
      expect(tries).toHaveLength(index + 2);
    }
    expect(deliverer.status()).toMatchObject({ pending: 0, blockedChannels: 0 });
    script.otherwise = outcome;
    await enqueue(lasting(2), subscription);
    await kick();
    await pass((pausesMs[0] ?? 0) - 1);
    expect(tries).toHaveLength(pausesMs.length + 2);
    await pass(1);
    expect(tries).toHaveLength(pausesMs.length + 3);
  },
);

test('a pause depends on failures of its own kind alone', async () => {
  const { enqueue, subscription, kick, tries, answers, pass } = await aRun();
  answers.push(UNKNOWN, BLOCKED, UNKNOWN, LATER, BLOCKED);
  await enqueue(lasting(1), subscription);
  await kick();
  for (const [index, pauseMs] of [retryMs(), blockedMs(), retryMs(2), LATER_MS, blockedMs(2)].entries()) {
    await pass(pauseMs - 1);
    expect(tries).toHaveLength(index + 1);
    await pass(1);
    expect(tries).toHaveLength(index + 2);
  }
});

test('what says nothing of the channel leaves its failures counted', async () => {
  const { enqueue, subscription, kick, tries, answers, pass, clock } = await aRun();
  answers.push(UNKNOWN, UNKNOWN);
  await enqueue(anOffer(1, { endDateMs: clock.now() + 1_000 }), subscription);
  await kick();
  // Is over by its next try, so nothing is posted; the one after it is.
  await enqueue(lasting(2), subscription);
  await pass(retryMs());
  expect(tries.map(({ text }) => /Kettle \d/.exec(text)?.[0])).toEqual(['Kettle 1', 'Kettle 2']);
  await pass(retryMs(2) - 1);
  expect(tries).toHaveLength(2);
  await pass(1);
  expect(tries).toHaveLength(3);
});

test('a kind of work that pauses in a channel stops neither the others there nor itself elsewhere', async () => {
  const { owe, kick, change, script, pass, tries } = await aRun();
  await owe([CHANNEL, '11']);
  await kick();
  script.changes.push({ kind: 'later', reason: 'rate limit', afterMs: 9_000 });
  await change(1);
  await kick();
  expect(script.others.map((request) => request.split(':')[0])).toEqual([
    `edit ${CHANNEL}/m-1-${CHANNEL}`,
    'edit 11/m-1-11',
  ]);
  await pass(4_000);
  await owe([CHANNEL], 2);
  await kick();
  expect(tries).toHaveLength(3);
  await pass(4_999);
  expect(script.others).toHaveLength(2);
  await pass(1);
  expect(script.others).toHaveLength(3);
});

test('a retry ends the pauses of missing permissions alone, and the next of them is longer', async () => {
  const { owe, kick, tries, answers, deliverer, pass, idle } = await aRun();
  answers.push(BLOCKED, UNKNOWN, BLOCKED);
  await owe([CHANNEL, '11']);
  await kick();
  expect([tries.length, deliverer.status().blockedChannels]).toEqual([2, 1]);
  for (const channelId of [CHANNEL, '11']) deliverer.retry(channelId);
  await idle();
  expect(tries.map(({ message: { channelId } }) => channelId)).toEqual([CHANNEL, '11', CHANNEL]);
  await pass(retryMs());
  expect([tries.length, deliverer.status().blockedChannels]).toEqual([4, 1]);
  await pass(blockedMs(2) - retryMs() - 1);
  expect(tries).toHaveLength(4);
  await pass(1);
  expect([tries.length, deliverer.status()]).toMatchObject([5, { pending: 0, blockedChannels: 0 }]);
});

test('a channel counts as blocked, whatever is blocked there, until that work does something else', async () => {
  const { owe, kick, change, script, answers, deliverer, pass } = await aRun();
  const blocked = () => deliverer.status().blockedChannels;
  await owe([CHANNEL]);
  await kick();
  script.changes.push({ kind: 'blocked', reason: 'cannot-post' });
  await change(1);
  await kick();
  expect(blocked()).toBe(1);
  answers.push(UNKNOWN);
  await owe([CHANNEL], 2);
  await kick();
  expect(blocked()).toBe(1);
  await pass(blockedMs());
  expect(blocked()).toBe(0);
});

test('a retry while a try is still refused ends the pause that the refusal would begin', async () => {
  const { owe, kick, tries, answers, script, deliverer } = await aRun();
  answers.push(BLOCKED);
  script.whilePosting = async () => deliverer.retry(CHANNEL);
  await owe([CHANNEL]);
  await kick();
  expect([tries.length, deliverer.status().pending]).toEqual([2, 0]);
});

test('a retry of a channel that is not paused starts nothing', async () => {
  const { owe, tries, deliverer, idle } = await aRun();
  await owe([CHANNEL]);
  deliverer.retry(CHANNEL);
  await idle();
  expect(tries).toEqual([]);
});

test.each(['blocked', 'unknown'] as const)(
  'giving a channel up ends its pause (%s), and of its posts and failures nothing is known after that',
  async (kind) => {
    const { owe, kick, tries, answers, script, deliverer, store, pass } = await aRun();
    answers.push({ kind, reason: 'cannot-post' }, UNKNOWN);
    await owe([CHANNEL]);
    await kick();
    await deliverer.abandon(CHANNEL);
    expect([store.deliveries.channels(), deliverer.status().blockedChannels]).toEqual([[], 0]);
    await pass(5 * MINUTE_MS);
    expect(script.reads).toBe(1);
    await owe([CHANNEL], 2);
    await kick();
    expect([tries.length, script.reads]).toEqual([2, 2]);
    await pass(retryMs() - 1);
    expect(tries).toHaveLength(2);
    await pass(1);
    expect(tries).toHaveLength(3);
  },
);

test('giving a channel up while a try is refused ends all that waits there without another', async () => {
  const { owe, kick, tries, answers, script, deliverer, idle, store } = await aRun();
  const { wait, open } = gate();
  script.whilePosting = wait;
  answers.push(BLOCKED);
  await owe([CHANNEL]);
  await owe([CHANNEL], 2);
  await kick();
  const givenUp = deliverer.abandon(CHANNEL);
  open();
  await givenUp;
  await idle();
  expect([tries.length, store.deliveries.channels()]).toEqual([1, []]);
});

test('a clock that is set back or forward changes no pause', async () => {
  const { owe, kick, tries, answers, clock, pass } = await aRun();
  answers.push(BLOCKED);
  await owe([CHANNEL]);
  await kick();
  for (const ms of [-3 * HOUR_MS, 6 * HOUR_MS]) {
    clock.jump(ms);
    await kick();
    await pass(blockedMs() / 2 - 1);
    expect(tries).toHaveLength(1);
  }
  await pass(1);
  expect(tries).toHaveLength(1);
  await pass(1);
  expect(tries).toHaveLength(2);
});

test('no step is done in a forum before all that a former process sent has arrived, whatever happens to the clock', async () => {
  const { owe, kick, tries, script, deliverer, clock, pass, idle } = await aRun({ clearFromMs: 19_000 });
  script.hasNonces = false;
  await owe([CHANNEL]);
  await kick();
  await pass(18_999);
  clock.jump(HOUR_MS);
  await kick();
  deliverer.retry(CHANNEL);
  await idle();
  expect([tries.length, script.reads]).toEqual([0, 0]);
  await pass(1);
  expect([tries.length, script.reads]).toEqual([1, 1]);
});

test('a try may arrive for a while, and then the channel is read, however the clock is set meanwhile', async () => {
  const { subscribe, enqueueLate, kick, answers, script, clock, pass } = await aRun();
  const quiet: Timing['quiet'] = { fromMinute: 22 * 60, toMinute: 7 * 60 };
  const subscription = await subscribe('q', {
    timing: { mode: 'at-once', dailyAtMinute: 0, timeZone: 'UTC', quiet },
  });
  clock.set('2026-10-06T21:59:59Z');
  answers.push(UNKNOWN);
  await enqueueLate([lasting(1), lasting(2)], subscription);
  await kick();
  await pass(MAY_ARRIVE_MS / 2);
  for (const ms of [3 * HOUR_MS, -HOUR_MS]) {
    clock.jump(ms);
    await kick();
    await pass(MAY_ARRIVE_MS / 4 - 1);
    expect(script.reads).toBe(1);
  }
  await pass(1);
  expect(script.reads).toBe(1);
  await pass(1);
  expect(script.reads).toBe(2);
});

test('a read settles only what could not arrive any more when it began', async () => {
  const { subscribe, subscription, enqueue, kick, answers, script, clock, pass, tries, idle } = await aRun();
  const quiet: Timing['quiet'] = { fromMinute: 22 * 60, toMinute: 7 * 60 };
  const timing: Timing = { mode: 'at-once', dailyAtMinute: 0, timeZone: 'UTC', quiet };
  clock.set('2026-10-06T21:59:59Z');
  answers.push(UNKNOWN);
  await enqueue(lasting(1), await subscribe('q', { timing }));
  await kick();
  await pass(MAY_ARRIVE_MS - 1);
  const { wait, open } = gate();
  script.whileReading = wait;
  // What somebody else wants has the channel read, from a moment at which the try may still arrive.
  await enqueue(lasting(2), subscription);
  await kick();
  await pass(1);
  open();
  await idle();
  expect([script.reads, tries.length]).toEqual([3, 1]);
  open();
  await idle();
  expect([script.reads, tries.length]).toEqual([3, 2]);
});

test('a publication and an edit that Discord leaves without an answer hold up no post in their channel', async () => {
  const { owe, kick, change, publish, script, tries, idle } = await aRun();
  await owe([CHANNEL]);
  await kick();
  const { wait, open } = gate();
  script.whileChanging = wait;
  await publish([CHANNEL]);
  await change(1);
  await kick();
  expect(new Set(kinds(script.others))).toEqual(new Set(['edit', 'publish']));
  await publish([CHANNEL]);
  for (const number of [2, 3]) await owe([CHANNEL], number);
  await kick();
  expect(tries.map(({ deliveryId }) => deliveryId)).toEqual(['1-10', '2-10', '3-10']);
  expect(kinds(script.others), 'one of each kind at a time').toHaveLength(2);
  open();
  open();
  await idle();
});

test('in a channel one post is made at a time', async () => {
  const { owe, kick, script, tries, idle } = await aRun();
  const { wait, open } = gate();
  script.whilePosting = wait;
  for (const number of [1, 2, 3]) await owe([CHANNEL], number);
  for (const made of [1, 2, 3]) {
    await kick();
    expect(tries).toHaveLength(made);
    open();
    await idle();
  }
});

test('channels are worked on side by side, and all is settled when the last of them is', async () => {
  const { owe, deliverer, script, tries, idle } = await aRun();
  const { wait, open } = gate();
  script.whilePosting = wait;
  await owe([CHANNEL, '11']);
  deliverer.kick();
  await idle();
  expect(tries).toHaveLength(2);
  let hasSettled = false;
  const settled = deliverer.settled().then(() => {
    hasSettled = true;
  });
  open();
  await idle();
  expect(hasSettled).toBe(false);
  open();
  await settled;
});

test('what is put in while a channel is busy is done without another kick', async () => {
  const { owe, kick, script, tries } = await aRun();
  script.whilePosting = async () => {
    if (tries.length === 1) await owe([CHANNEL], 2);
  };
  await owe([CHANNEL]);
  await kick();
  expect(tries).toHaveLength(2);
});

test('of each kind of work no more is done at once than its most, and each end lets in the next', async () => {
  const { owe, kick, publish, change, script, tries, idle } = await aRun();
  const { held, wait, open, openAll } = gate();
  script.whilePosting = wait;
  script.whileChanging = wait;
  const counts = async (most: number, all: number, done: () => number) => {
    await kick();
    expect(done()).toBe(most);
    open();
    await idle();
    expect(done()).toBe(most + 1);
    while (held.length > 0) {
      openAll();
      await idle();
    }
    expect(done()).toBe(all);
  };
  await owe(channelIds(102));
  await counts(100, 102, () => tries.length);
  await publish(channelIds(52));
  await counts(50, 52, () => script.others.length);
  await change(1);
  await counts(52 + 25, 52 + 102, () => script.others.length);
});

test('a post finds a place while edits and publications take all of theirs, and each goes before less urgent ones', async () => {
  const { owe, kick, publish, change, script, tries, idle } = await aRun();
  const { held, wait, open } = gate();
  await owe(channelIds(30));
  await kick();
  script.whilePosting = wait;
  script.whileChanging = wait;
  await change(1);
  await kick();
  await publish(channelIds(30, 2_000));
  await kick();
  const done = () => [
    tries.length - 30,
    ...['publish', 'edit'].map((kind) => kinds(script.others).filter((one) => one === kind).length),
  ];
  expect(done()).toEqual([0, 25, 25]);
  await owe(channelIds(60, 3_000), 2);
  await kick();
  expect([done(), held.length]).toEqual([[50, 25, 25], 100]);
  for (let ended = 0; ended < 10; ended += 1) open();
  await idle();
  expect(done()).toEqual([60, 25, 25]);
  // Publications get no place before half of them are free, edits none before three quarters are.
  for (let ended = 0; ended < 50; ended += 1) open();
  await idle();
  expect(done()).toEqual([60, 25, 25]);
  open();
  await idle();
  expect(done()).toEqual([60, 26, 25]);
  for (let ended = 0; ended < 29; ended += 1) open();
  await idle();
  expect(done()).toEqual([60, 30, 25]);
  open();
  await idle();
  expect(done()).toEqual([60, 30, 26]);
});

test('what is for people takes a few places, of which each end lets in the next, and a post in a server finds one', async () => {
  const { owe, kick, script, tries, store, idle, pass } = await aRun();
  const { held, wait, open, openAll } = gate();
  script.whilePosting = wait;
  const announcement = newOfferOf(lasting(2));
  const forPeople = channelIds(100).map((channelId) =>
    aDelivery(`p-${channelId}`, { guildId: placeOfPerson(`9${channelId}`), channelId, announcement }),
  );
  await store.transact((changes) => store.deliveries.add(changes, forPeople, (all) => [...all]));
  await kick();
  expect(tries).toHaveLength(12);
  const servers = channelIds(89, 5_000);
  await owe(servers);
  await kick();
  const inServers = () => tries.filter(({ message: { channelId } }) => servers.includes(channelId)).length;
  expect([inServers(), held.length]).toEqual([88, 100]);
  open();
  await idle();
  expect([inServers(), held.length]).toEqual([89, 100]);
  open();
  await idle();
  expect([inServers(), tries.length - 89]).toEqual([89, 13]);
  while (held.length > 0) {
    openAll();
    await idle();
  }
  await pass(HOUR_MS);
  expect(tries).toHaveLength(189);
});

test('edits find a place though all those for people are taken', async () => {
  const { owe, kick, change, script, tries, store } = await aRun();
  await owe([CHANNEL]);
  await kick();
  script.whilePosting = gate().wait;
  const announcement = newOfferOf(lasting(2));
  const forPeople = channelIds(30).map((channelId) =>
    aDelivery(`p-${channelId}`, { guildId: placeOfPerson(`9${channelId}`), channelId, announcement }),
  );
  await store.transact((changes) => store.deliveries.add(changes, forPeople, (all) => [...all]));
  await kick();
  await change(1);
  await kick();
  expect([tries.length, kinds(script.others)]).toEqual([13, ['edit']]);
});

test.each(['held', 'stopped'] as const)('what waits for a place when all is %s is not begun', async (how) => {
  const { owe, kick, change, script, store, clock, deliverer, idle } = await aRun();
  const { wait, openAll } = gate();
  await owe(channelIds(30));
  await kick();
  script.whileChanging = wait;
  await change(1);
  await kick();
  const stopped = how === 'held' ? store.postingPause.begin(clock.now()) : deliverer.stop();
  await idle();
  openAll();
  await stopped;
  await idle();
  await deliverer.settled();
  expect(script.others).toHaveLength(25);
});

test('while all work is held nothing is begun, and what waits goes on after it', async () => {
  const { owe, kick, script, tries, store, clock, deliverer, idle } = await aRun();
  script.whilePosting = () => store.postingPause.begin(clock.now());
  for (const number of [1, 2]) await owe([CHANNEL], number);
  await kick();
  deliverer.retry(CHANNEL);
  await idle();
  expect(tries).toHaveLength(1);
  script.whilePosting = async () => undefined;
  await store.postingPause.end();
  await kick();
  expect(tries).toHaveLength(2);
});

test('a stop ends the pauses and the waits, and nothing is begun after it', async () => {
  const { owe, kick, tries, answers, deliverer, pass, store, clock } = await aRun();
  answers.push(UNKNOWN);
  await owe([CHANNEL]);
  const later = aDelivery('later', { channelId: '12', dueAtMs: clock.now() + MINUTE_MS });
  await store.transact((changes) => store.deliveries.add(changes, [later], (all) => [...all]));
  await kick();
  await deliverer.stop();
  await owe(['11']);
  await kick();
  deliverer.retry(CHANNEL);
  await pass(HOUR_MS);
  expect(tries).toHaveLength(1);
});

/** Puts one delivery for each of these channels into the outbox, due so long after now. */
async function oweLater(
  { store, clock }: Pick<Awaited<ReturnType<typeof aRun>>, 'store' | 'clock'>,
  ...dues: [channelId: string, afterMs: number][]
): Promise<void> {
  const announcement = newOfferOf(lasting(1));
  const deliveries = dues.map(([channelId, afterMs]) =>
    aDelivery(`d${channelId}`, { channelId, announcement, dueAtMs: clock.now() + afterMs, createdAtMs: clock.now() }),
  );
  await store.transact((changes) => store.deliveries.add(changes, deliveries, (all) => [...all]));
}

test('each channel is woken once, at its time, whatever their order, and a single timer serves all', async () => {
  const run = await aRun();
  const { kick, tries, clock, pass } = run;
  let timers = 0;
  const after = clock.after.bind(clock);
  clock.after = (...waiting) => {
    timers += 1;
    return after(...waiting);
  };
  await oweLater(run, ['22', 3_000], ['20', 1_000], ['21', 1_000], ['23', 2_000]);
  await kick();
  expect(timers).toBeLessThanOrEqual(2);
  const posted = () => tries.map(({ message: { channelId } }) => channelId).toSorted();
  for (const channels of [
    ['20', '21'],
    ['20', '21', '23'],
    ['20', '21', '22', '23'],
  ]) {
    const before = posted();
    await pass(999);
    expect(posted()).toEqual(before);
    await pass(1);
    expect(posted()).toEqual(channels);
  }
  await pass(HOUR_MS);
  expect(posted()).toHaveLength(4);
});

test('a time that is days away is reached, and a clock that was set forward is noticed within the hour', async () => {
  const run = await aRun();
  const { kick, tries, clock, pass } = run;
  await oweLater(run, ['20', 24 * HOUR_MS], ['21', 72 * HOUR_MS]);
  await kick();
  await pass(HOUR_MS / 2);
  clock.jump(24 * HOUR_MS);
  await pass(HOUR_MS / 2 - 1);
  expect(tries).toEqual([]);
  await pass(1);
  expect(tries.map(({ message: { channelId } }) => channelId)).toEqual(['20']);
  await pass(47 * HOUR_MS - 1, HOUR_MS);
  expect(tries).toHaveLength(1);
  await pass(1);
  expect(tries).toHaveLength(2);
});

test('a later time takes the place of an earlier one', async () => {
  const run = await aRun();
  const { kick, tries, clock, pass, store } = run;
  await oweLater(run, ['20', 1_000]);
  await kick();
  const [moved] = store.deliveries.pending('20');
  await store.commit((changes) => moved && store.deliveries.withdraw(changes, moved));
  await oweLater(run, ['20', 5_000]);
  await kick();
  const dueMs = clock.now() + 5_000;
  await pass(10_000, 1_000);
  expect(tries.map(({ atMs }) => atMs)).toEqual([dueMs]);
});

test('a channel whose records make no sense is looked at again after a pause, and ends nothing for the others', async () => {
  const { owe, kick, tries, store, logged, pass } = await aRun();
  const broken = aDelivery('broken', { channelId: '11', matches: [null as never] });
  await store.transact((changes) => store.deliveries.add(changes, [broken], (all) => [...all]));
  await owe([CHANNEL]);
  await kick();
  await kick();
  const said = () => logged.filter(({ level, channel }) => level === 50 && channel === '11');
  expect([tries.length, said().length]).toEqual([1, 1]);
  await pass(retryMs() - 1);
  expect(said()).toHaveLength(1);
  await pass(1);
  expect(said()).toHaveLength(2);
  await store.commit((changes) => store.deliveries.withdraw(changes, broken));
  await owe(['11'], 2);
  await pass(retryMs(2) - 1);
  expect(tries).toHaveLength(1);
  await pass(1);
  expect([tries.length, said().length]).toEqual([2, 2]);
});

test('an edit whose outcome could not be written is made again, and its channel is not read for it', async () => {
  let isFull = false;
  const { owe, kick, change, script, logged, pass, deliverer } = await aRun({
    through: (backend) => ({
      ...backend,
      write: (rows) => (isFull ? Promise.reject(new StoreError('The disk is full.')) : backend.write(rows)),
    }),
  });
  await owe([CHANNEL]);
  await kick();
  await change(1);
  isFull = true;
  await kick();
  expect(logged.filter(({ level }) => level === 50)).toMatchObject([{ channel: CHANNEL }]);
  isFull = false;
  await owe([CHANNEL], 2);
  await pass(retryMs() - 1);
  expect(kinds(script.others)).toEqual(['edit']);
  await pass(1);
  expect([kinds(script.others), script.reads, deliverer.status().editsPending]).toEqual([['edit', 'edit'], 1, 0]);
});
