import { expect, onTestFinished, test } from 'vitest';
import { deliveryId } from '../../../src/announcements/kinds/index.ts';
import { enqueue as addToOutbox } from '../../../src/announcements/outbox/enqueue.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import { type Timing, USUAL_PACING_OF_PERSON } from '../../../src/deals/settings.ts';
import type { FindOutcome } from '../../../src/discord/courier.ts';
import type { Failure } from '../../../src/discord/outcome.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { rollUpOf } from '../../../src/store/delivery.ts';
import { blockedMs, retryMs } from '../../helpers/back-offs.ts';
import { createTestLog } from '../../helpers/keys.ts';
import type { Backend } from '../../helpers/opened-state.ts';
import { postsOf } from '../../helpers/records.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aDelivery, aKnownOffer, anOffer, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

const CHANNEL = '10';
const BLOCKED: Failure = { kind: 'blocked', reason: 'cannot-post' };
const UNKNOWN: Failure = { kind: 'unknown', reason: 'silence' };
const REFUSED: Failure = { kind: 'refused', reason: 'invalid form body' };
const MISSING: Failure = { kind: 'missing', reason: 'unknown-message' };
const UNFOUND: Failure = { kind: 'unfound', reason: 'channel-gone' };
const GONE: Failure = { kind: 'gone', reason: 'channel-gone' };
const AT_ONCE: Timing = { mode: 'at-once', dailyAtMinute: 0, timeZone: 'UTC', quiet: null };

/** A run whose channel has a subscription, with what waits there and how all ended. */
async function aRun(...parts: Parameters<typeof aScriptedDeliverer>) {
  const house = await aScriptedDeliverer(...parts);
  const run = await house.run();
  const { store } = run;
  onTestFinished(() => run.deliverer.stop());
  return {
    ...house,
    ...run,
    /** The id of the delivery that waits for an offer. */
    idOf: (number: number) =>
      store.deliveries.pending(CHANNEL).find(({ announcement: { subject } }) => subject === uuid(number))?.id,
    idsOf: (channelId = CHANNEL) => store.deliveries.pending(channelId).map(({ id }) => id),
    endOf: async (id = '') => (await store.deliveries.ended(id))?.outcome,
    countedOf: () => store.rateLog.recent(`post/${CHANNEL}`, house.clock.now()).map(({ id }) => id),
  };
}

/** A log whose lines can be read. */
function aLog() {
  const lines: { level: number; channel?: string }[] = [];
  return { lines, log: createTestLog((line) => lines.push(JSON.parse(line) as (typeof lines)[number])) };
}

const idOfOffer = (number: number) => deliveryId(CHANNEL, newOfferOf(anOffer(number)));

const foundAt = (places: Record<string, string>, isCutOff = false): FindOutcome => ({
  kind: 'found',
  posted: new Map(Object.entries(places).map(([id, messageId]) => [id, { channelId: 'thread', messageId }])),
  messages: [],
  isCutOff,
});

test('a post goes out with all that its subscription and its server ask for, and all of it is recorded', async () => {
  const { subscribe, enqueue, kick, tries, answers, store, idsOf, endOf, script, clock, countedOf } = await aRun();
  const appearance = { isSilent: true, line: 'For *kettle* people' };
  const subscription = await subscribe('s', { mentioned: ['7'], isPublished: true, tagIds: ['t'], appearance });
  await enqueue(anOffer(1), subscription);
  const [id = ''] = idsOf();
  answers.push({ kind: 'sent', place: { channelId: 'thread', messageId: '500' } });
  script.whilePosting = async () => {
    // Counted before it is tried, so that a crash can't hide it.
    expect(countedOf()).toEqual([id]);
  };
  await kick();
  expect(tries).toMatchObject([
    {
      message: {
        deliveryId: id,
        guildId: '1',
        channelId: CHANNEL,
        mentionRoleIds: ['7'],
        tagIds: ['t'],
        title: 'Kettle 1',
        isSilent: true,
      },
      text: expect.stringContaining('For \\*kettle\\* people') as string,
    },
  ]);
  expect(await postsOf(store, `offer:${uuid(1)}`)).toMatchObject([
    {
      deliveryId: id,
      channelId: CHANNEL,
      messageChannelId: 'thread',
      messageId: '500',
      matches: [{ subscriptionId: 's' }],
      mentionRoleIds: ['7'],
      isPublished: true,
      look: appearance,
      postedAtMs: clock.now(),
    },
  ]);
  expect(await store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: '500' });
  expect([await endOf(id), store.newestMessages.of(CHANNEL)]).toEqual(['posted', '500']);
  expect(script.others).toEqual([`publish ${CHANNEL}/500`]);
});

test('what asks for nothing is published by nobody, and edited by nobody while it is as it was posted', async () => {
  const { subscribe, enqueue, kick, script, store } = await aRun();
  await enqueue(anOffer(1), await subscribe('s'));
  await kick();
  expect(script.others).toEqual([]);
  expect(await postsOf(store, `offer:${uuid(1)}`)).toMatchObject([{ alsoTells: [] }]);
});

test('what changed while it was posted is edited', async () => {
  const { subscribe, enqueue, kick, script, book } = await aRun();
  await enqueue(anOffer(1), await subscribe('s'));
  script.whilePosting = async () => book.put([aKnownOffer(1, { isSoldOut: true })]);
  await kick();
  expect(script.others).toEqual([expect.stringMatching(/^edit 10\/m-.*Sold out/s)]);
});

test('a channel is read before the first post of a run, from the newest message that is known, and not again', async () => {
  const { subscribe, enqueue, kick, answers, script } = await aRun();
  const subscription = await subscribe('s');
  answers.push({ kind: 'sent', place: { channelId: CHANNEL, messageId: '500' } });
  for (const number of [1, 2]) {
    await enqueue(anOffer(number), subscription);
    await kick();
  }
  expect([script.reads, script.readAfter]).toEqual([1, null]);
});

test('after a takeover no forum is read or posted in before the former process’s requests are over', async () => {
  const house = await aScriptedDeliverer();
  house.script.hasNonces = false;
  const { subscribe, enqueue, kick } = await house.run(19_000);
  await enqueue(anOffer(1), await subscribe('s'));
  await kick();
  await house.pass(18_999);
  expect([house.script.reads, house.tries.length]).toEqual([0, 0]);
  await house.pass(1);
  expect([house.script.reads, house.tries.length]).toEqual([1, 1]);
});

test('after a takeover a channel with nonces is posted in at once, but edited only once the former’s requests are over', async () => {
  const house = await aScriptedDeliverer();
  const { subscribe, enqueue, kick } = await house.run(19_000);
  await enqueue(anOffer(1), await subscribe('s', { isPublished: true }));
  house.script.whilePosting = async () => house.book.put([aKnownOffer(1, { isSoldOut: true })]);
  await kick();
  expect([house.script.reads, house.tries.length, house.script.others]).toEqual([1, 1, []]);
  await house.pass(18_999);
  expect(house.script.others).toEqual([]);
  await house.pass(1);
  expect(house.script.others).toEqual([expect.stringMatching(/^publish/), expect.stringMatching(/^edit .*Sold out/s)]);
});

test('what is posted again may be the message of the first attempt, so it is edited to its present text', async () => {
  const { subscribe, enqueue, kick, answers, script, pass, book, tries } = await aRun();
  answers.push(UNKNOWN);
  await enqueue(anOffer(1), await subscribe('s'));
  await kick();
  book.put([aKnownOffer(1, { title: 'Kettle in gold' })]);
  await pass(retryMs());
  expect(tries).toHaveLength(2);
  expect(script.others).toEqual([expect.stringMatching(/^edit .*Kettle in gold/s)]);
});

test.each([-2 * HOUR_MS, 0, 2 * HOUR_MS])(
  'what a former process whose clock was %i ms off may have sent together is sent together again',
  async (offMs) => {
    const house = await aScriptedDeliverer();
    const former = await house.run();
    const subscription = await former.subscribe('s');
    house.answers.push(UNKNOWN);
    house.clock.jump(offMs);
    await former.enqueueLate([anOffer(1, { endDateMs: null }), anOffer(2, { endDateMs: null })], subscription);
    await former.kick();
    void former.deliverer.stop();
    house.clock.jump(-offMs);
    const next = await house.run(house.clock.monotonicMs() + 19_000);
    await next.enqueueLate([anOffer(3, { endDateMs: null })], subscription);
    await next.kick();
    expect(house.tries[1]?.deliveryId).toBe(house.tries[0]?.deliveryId);
  },
);

/** A run with an offer that waits for `s`, which rings 1; `t` rings 2. */
async function aRunThatIsJoined() {
  const house = await aRun();
  const [first, second] = [
    await house.subscribe('s', { mentioned: ['1'] }),
    await house.subscribe('t', { mentioned: ['2'] }),
  ];
  await house.enqueue(anOffer(1), first);
  const recorded = async () => {
    const [post] = await postsOf(house.store, `offer:${uuid(1)}`);
    return post && { roles: post.mentionRoleIds, for: post.matches.map(({ subscriptionId }) => subscriptionId) };
  };
  return { ...house, join: () => house.enqueue(anOffer(1), second), recorded };
}

test('what joins before the try is in it, as if it had been found together', async () => {
  const { join, kick, tries, recorded, store } = await aRunThatIsJoined();
  await join();
  await kick();
  expect(tries.map(({ roles }) => roles)).toEqual([['1', '2']]);
  expect(await recorded()).toEqual({ roles: ['1', '2'], for: ['s', 't'] });
  expect((await postsOf(store, `offer:${uuid(1)}`))[0]?.matches.some(({ isUntried }) => isUntried)).toBe(false);
});

test('what joins during a try is not in its post', async () => {
  const { join, kick, tries, recorded, script, store } = await aRunThatIsJoined();
  script.whilePosting = join;
  await kick();
  expect(tries.map(({ roles }) => roles)).toEqual([['1']]);
  expect(await recorded()).toEqual({ roles: ['1'], for: ['s'] });
  expect(store.deliveries.pending(CHANNEL)).toEqual([]);
});

test('what joins during a try that fails is in the next one', async () => {
  const { join, kick, pass, tries, recorded, script, answers } = await aRunThatIsJoined();
  answers.push(BLOCKED);
  script.whilePosting = join;
  await kick();
  script.whilePosting = async () => undefined;
  await pass(blockedMs());
  expect(tries.map(({ roles }) => roles)).toEqual([['1'], ['1', '2']]);
  expect(await recorded()).toEqual({ roles: ['1', '2'], for: ['s', 't'] });
});

test.each([false, true])(
  'what joins after a try that may stand is in no repetition of it, and in no record of it; after a restart: %s',
  async (isRestarted) => {
    const { join, kick, run, pass, tries, recorded, script, answers, idOf, deliverer } = await aRunThatIsJoined();
    const id = idOf(1) ?? '';
    answers.push(UNKNOWN, UNKNOWN);
    await kick();
    await join();
    await pass(retryMs() + 1_000, 1_000);
    expect(tries.map(({ roles }) => roles)).toEqual([['1'], ['1']]);
    script.found = foundAt({ [id]: '77' });
    if (isRestarted) {
      await deliverer.stop();
      await (await run()).kick();
    } else await pass(MINUTE_MS);
    expect(tries).toHaveLength(2);
    expect(await recorded()).toEqual({ roles: ['1'], for: ['s'] });
  },
);

test('what joined after a try is in the next one once that can’t stand any more', async () => {
  const { join, kick, pass, tries, recorded, script, answers } = await aRunThatIsJoined();
  answers.push(UNKNOWN);
  await kick();
  await join();
  // The channel says nothing until nothing can arrive any more.
  script.found = UNKNOWN;
  await pass(3 * MINUTE_MS);
  script.found = null;
  await pass(6 * MINUTE_MS);
  expect(tries.map(({ roles }) => roles)).toEqual([['1'], ['1', '2']]);
  expect(await recorded()).toEqual({ roles: ['1', '2'], for: ['s', 't'] });
});

test('two that enqueue the same announcement at once make one delivery', async () => {
  const { subscribe, store, clock } = await aRun();
  const match = { announcement: newOfferOf(anOffer(1)), subscription: await subscribe('s'), terms: [] };
  const occasion = { nowMs: clock.now(), isLate: false, clock, signal: new AbortController().signal };
  const added = await Promise.all(
    [1, 2].map(() => store.transact((changes) => addToOutbox(store, changes, [match], occasion))),
  );
  expect(added.map(({ length }) => length)).toEqual([1, 0]);
  expect(store.deliveries.pending(CHANNEL)).toHaveLength(1);
});

test('after a try of which nothing is known, the channel is read from the newest known message, and what is found is recorded', async () => {
  const { subscribe, enqueue, kick, answers, tries, script, pass, store, idsOf } = await aRun();
  const subscription = await subscribe('s', { mentioned: ['7'] });
  answers.push({ kind: 'sent', place: { channelId: CHANNEL, messageId: '500' } }, UNKNOWN);
  await enqueue(anOffer(1), subscription);
  await kick();
  await enqueue(anOffer(2), subscription);
  const [id = ''] = idsOf();
  await kick();
  expect(tries).toHaveLength(2);
  script.found = foundAt({ [id]: '501' });
  await pass(retryMs());
  expect([tries.length, script.reads, script.readAfter]).toEqual([2, 2, '500']);
  expect(await store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: '501' });
  expect(await postsOf(store, `offer:${uuid(2)}`)).toMatchObject([
    { messageChannelId: 'thread', messageId: '501', mentionRoleIds: ['7'] },
  ]);
  expect(store.newestMessages.of(CHANNEL)).toBe('501');
  // The post is edited to its present text, because nobody knows exactly what was posted.
  await pass(1);
  expect(script.others).toEqual([expect.stringMatching(/^edit thread\/501: /)]);
});

test.each([
  ['before quiet hours', 1_000, ['7', '8']],
  ['in them', 3_000, ['8']],
])('a post that is found has the roles of the moment at which it was tried: %s', async (_, afterMs, roles) => {
  const { subscribe, enqueue, kick, answers, script, pass, store, clock } = await aRun();
  const quiet = { fromMinute: 22 * 60, toMinute: 7 * 60 };
  const open = await subscribe('open', { mentioned: ['8'] });
  const silent = await subscribe('quiet', { mentioned: ['7'], timing: { ...AT_ONCE, quiet } });
  clock.set('2026-10-06T21:59:58Z');
  await enqueue(anOffer(1), open);
  await kick();
  await pass(afterMs);
  await enqueue(anOffer(2), open, silent);
  answers.push(UNKNOWN);
  await kick();
  script.found = foundAt({ [idOfOffer(2)]: '501' });
  await pass(retryMs());
  const [post] = await postsOf(store, `offer:${uuid(2)}`);
  expect(post?.mentionRoleIds.toSorted()).toEqual(roles);
});

test('what was found in its channel before it was detected anew is recorded as that post, and not posted', async () => {
  const { subscribe, enqueue, enqueueLate, kick, tries, script, store, idsOf } = await aRun();
  const subscription = await subscribe('s');
  script.found = foundAt({ [idOfOffer(1)]: '501', [idOfOffer(2)]: '502' });
  await enqueue(anOffer(9), subscription);
  await kick();
  await enqueue(anOffer(1), subscription);
  await kick();
  await enqueueLate([anOffer(2), anOffer(3), anOffer(4)], subscription);
  const ids = idsOf();
  await kick();
  expect(tries.map(({ text }) => /Kettle 9|\d deals/.exec(text)?.[0])).toEqual(['Kettle 9', '2 deals']);
  for (const number of [1, 2]) {
    expect(await postsOf(store, `offer:${uuid(number)}`)).toMatchObject([{ messageId: `50${number}` }]);
  }
  expect(ids).toHaveLength(3);
  expect(idsOf()).toEqual([]);
});

test('a roll-up that was found in its channel before its row was lost is recorded as that post', async () => {
  const { subscribe, enqueueLate, kick, tries, store, idsOf, clock } = await aRun();
  await enqueueLate([anOffer(1), anOffer(2)], await subscribe('s'));
  const ids = idsOf();
  const [first, ...others] = store.deliveries.pending(CHANNEL);
  const { id = '' } = first ? rollUpOf([first, ...others], 'late') : {};
  await store.transact((changes) =>
    store.deliveries.noteFound(
      changes,
      CHANNEL,
      new Map([[id, { channelId: CHANNEL, messageId: '700' }]]),
      clock.now(),
    ),
  );
  await kick();
  expect(tries).toEqual([]);
  for (const each of ids) {
    expect(await store.deliveries.ended(each)).toMatchObject({ outcome: 'posted', messageId: '700' });
  }
});

test('a post that could not be recorded is found in its channel, and not posted again', async () => {
  let isFull = true;
  const { subscribe, enqueue, kick, tries, script, pass, store } = await aRun((backend: Backend) => ({
    ...backend,
    write(rows) {
      const isPost = [...rows.keys()].some((key) => key.startsWith('post:'));
      return isFull && isPost ? Promise.reject(new StoreError('The disk is full.')) : backend.write(rows);
    },
  }));
  await enqueue(anOffer(1), await subscribe('s'));
  await kick();
  expect([tries.length, script.reads]).toEqual([1, 1]);
  isFull = false;
  script.found = foundAt({ [idOfOffer(1)]: '501' });
  await pass(retryMs());
  expect([tries.length, script.reads]).toEqual([1, 2]);
  expect(await postsOf(store, `offer:${uuid(1)}`)).toMatchObject([{ messageId: '501' }]);
});

test.each([UNKNOWN, REFUSED, MISSING])(
  'nothing is posted in a channel that could not be read ($kind)',
  async (outcome) => {
    const { lines, log } = aLog();
    const { subscribe, enqueue, kick, tries, script, pass, idsOf, store } = await aRun(undefined, log);
    await enqueue(anOffer(1), await subscribe('s'));
    script.found = outcome;
    await kick();
    expect([tries, idsOf().length, store.subscriptions.get('s')?.problem]).toEqual([[], 1, null]);
    expect(lines).toMatchObject([{ level: 40, channel: CHANNEL }]);
    script.found = null;
    await pass(retryMs(), 1_000);
    expect(tries).toHaveLength(1);
  },
);

test('a channel that Discord lets nobody read for now is read again when that is over', async () => {
  const { subscribe, enqueue, kick, tries, script, pass } = await aRun();
  await enqueue(anOffer(1), await subscribe('s'));
  script.found = { kind: 'later', reason: 'rate limit', afterMs: 90_000 };
  await kick();
  script.found = null;
  await pass(89_999);
  expect([tries.length, script.reads]).toEqual([0, 1]);
  await pass(1);
  expect([tries.length, script.reads]).toEqual([1, 2]);
});

test.each([
  [true, [{ level: 40, channel: CHANNEL }]],
  [false, []],
])('the log says where a channel was read in part alone (%s)', async (isCutOff, warnings) => {
  const { lines, log } = aLog();
  const { subscribe, enqueue, kick, script } = await aRun(undefined, log);
  await enqueue(anOffer(1), await subscribe('s'));
  script.found = foundAt({}, isCutOff);
  await kick();
  expect(lines.filter(({ level }) => level >= 40)).toMatchObject(warnings);
});

test('a channel that may not be read says so, and one that is gone ends what waits', async () => {
  const { subscribe, enqueue, kick, tries, script, pass, store, idsOf, endOf } = await aRun();
  await enqueue(anOffer(1), await subscribe('s'));
  const [id] = idsOf();
  script.found = { kind: 'blocked', reason: 'cannot-read' };
  await kick();
  expect(store.subscriptions.get('s')).toMatchObject({ problem: 'cannot-read', pausedBy: null });
  script.found = GONE;
  await pass(blockedMs());
  expect([tries, await endOf(id)]).toEqual([[], 'gone']);
  expect(store.subscriptions.get('s')).toMatchObject({ problem: 'channel-gone', pausedBy: 'gone' });
});

test.each([
  [UNKNOWN, retryMs()],
  [{ kind: 'later', reason: 'rate limit', afterMs: 90_000 } as const, 90_000],
])('a channel that is denied once is asked for itself until there is an answer (%j)', async (outcome, afterMs) => {
  const { subscribe, enqueue, kick, answers, script, tries, idsOf, pass } = await aRun();
  await enqueue(anOffer(1, { endDateMs: null }), await subscribe('s'));
  answers.push(UNFOUND);
  script.exists.push(outcome);
  await kick();
  await pass(retryMs());
  expect([tries.length, script.confirmed, idsOf().length]).toEqual([1, [CHANNEL], 1]);
  await pass(2 * afterMs);
  expect([tries.length, script.confirmed, idsOf()]).toEqual([2, [CHANNEL, CHANNEL], []]);
});

test('a channel that is denied once and hidden then is blocked, and tried again by a post', async () => {
  const { subscribe, enqueue, kick, answers, script, tries, store, pass } = await aRun();
  await enqueue(anOffer(1, { endDateMs: null }), await subscribe('s'));
  answers.push(UNFOUND);
  script.exists.push({ kind: 'blocked', reason: 'cannot-see' });
  await kick();
  await pass(retryMs());
  expect(store.subscriptions.get('s')).toMatchObject({ problem: 'cannot-see', pausedBy: null });
  await pass(blockedMs());
  expect([tries.length, script.confirmed.length]).toEqual([2, 1]);
});

test('a person’s messages that Discord denies once are closed, which opens again', async () => {
  const { subscribe, enqueue, kick, answers, script, tries, idsOf, pass } = await aRun();
  await enqueue(anOffer(1, { endDateMs: null }), await subscribe('w', { guildId: placeOfPerson('9') }));
  answers.push(UNFOUND);
  await kick();
  await pass(blockedMs());
  // The second try is to the channel that was opened anew.
  expect([tries.length, script.confirmed, idsOf()]).toEqual([2, [CHANNEL], []]);
});

test('a channel that is gone loses all that waits in it, and others lose nothing', async () => {
  const { subscribe, enqueue, enqueueLate, kick, answers, store, deliverer, idsOf, endOf, pass } = await aRun();
  const here = await subscribe('s');
  const there = await subscribe('t', { channelId: '11' });
  const daily = await subscribe('d', { timing: { ...AT_ONCE, mode: 'daily', dailyAtMinute: 23 * 60 } });
  await enqueueLate([anOffer(1), anOffer(2)], here);
  const together = idsOf();
  answers.push(UNKNOWN);
  await kick();
  const rollUp = store.deliveries.pendingRollUp(CHANNEL);
  await enqueue(anOffer(3), daily);
  await enqueue(anOffer(4), there);
  const [alone] = idsOf();
  const [elsewhere] = idsOf('11');
  await kick();
  await store.commit((changes) =>
    store.publications.add(changes, [{ channelId: CHANNEL, messageId: '5', queuedAtMs: 1 }]),
  );
  await store.commit((changes) =>
    store.edits.add(changes, [
      {
        thing: `offer:${uuid(9)}`,
        item: anOffer(9),
        deliveryId: 'd',
        channelId: CHANNEL,
        messageId: '5',
        isPublished: false,
        queuedAtMs: 1,
      },
    ]),
  );
  answers.push(GONE);
  await pass(retryMs());
  for (const id of [rollUp?.id, ...together, alone]) expect(await endOf(id)).toBe('gone');
  expect(deliverer.status()).toMatchObject({ editsPending: 0, publicationsPending: 0, pending: 0 });
  expect(await endOf(elsewhere)).toBe('posted');
});

test('a channel that is given up loses what waits for its time, without a request, and may be used again', async () => {
  const { subscribe, enqueue, kick, deliverer, tries, script, idsOf, endOf } = await aRun();
  await enqueue(anOffer(1), await subscribe('d', { timing: { ...AT_ONCE, mode: 'daily', dailyAtMinute: 23 * 60 } }));
  const [id] = idsOf();
  await deliverer.abandon(CHANNEL);
  expect([await endOf(id), tries, script.reads]).toEqual(['gone', [], 0]);
  await enqueue(anOffer(2), await subscribe('s'));
  await kick();
  expect(tries).toHaveLength(1);
});

test('what Discord refuses is given up and not counted, and so is what no card can be made of', async () => {
  const { subscribe, enqueue, kick, answers, tries, idOf, endOf, countedOf } = await aRun();
  const subscription = await subscribe('s');
  await enqueue(anOffer(1), subscription);
  await enqueue(anOffer(2, { title: undefined as unknown as string }), subscription);
  await enqueue(anOffer(3), subscription);
  const ids = [1, 2, 3].map(idOf);
  answers.push(REFUSED, REFUSED);
  await kick();
  const ends = await Promise.all(ids.map(endOf));
  expect(ends).toEqual(ids.map((id) => (id === countedOf()[0] ? 'posted' : 'refused')));
  expect([ends[1], countedOf().length, tries.length]).toEqual(['refused', 1, 3]);
});

test.each([REFUSED, MISSING])(
  'of a roll-up that Discord refuses ($kind), each half is tried, and counted alone',
  async (outcome) => {
    const { subscribe, enqueueLate, kick, answers, tries, idsOf, endOf, countedOf, store } = await aRun();
    await enqueueLate([anOffer(1), anOffer(2)], await subscribe('s'));
    const ids = idsOf();
    answers.push(outcome);
    await kick();
    expect([tries.length, countedOf().toSorted(), store.deliveries.channels()]).toEqual([3, ids.toSorted(), []]);
    for (const id of ids) expect(await endOf(id)).toBe('posted');
  },
);

test('one that Discord refuses while an earlier try of it may still arrive is not taken apart until that is settled', async () => {
  const { subscribe, enqueueLate, kick, answers, tries, pass } = await aRun();
  await enqueueLate([anOffer(1), anOffer(2)], await subscribe('s'));
  answers.push(UNKNOWN, REFUSED);
  await kick();
  await pass(MINUTE_MS);
  expect(tries.length).toBeGreaterThan(1);
  expect(new Set(tries.map(({ deliveryId }) => deliveryId)).size).toBe(1);
});

test('a channel whose limit is Discord’s own rests as long as that says, and has no problem', async () => {
  const { subscribe, enqueue, kick, answers, tries, pass, store } = await aRun();
  await enqueue(anOffer(1), await subscribe('s'));
  answers.push({ kind: 'later', reason: 'rate limit', afterMs: 90_000 });
  await kick();
  await pass(89_999);
  expect([tries.length, store.subscriptions.get('s')?.problem]).toEqual([1, null]);
  await pass(1);
  expect(tries).toHaveLength(2);
});

test('a post ends the problem of its channel, and a roll-up too', async () => {
  const { subscribe, enqueue, enqueueLate, kick, store } = await aRun();
  const subscription = await subscribe('s', { problem: 'cannot-post' });
  await subscribe('another', { problem: 'cannot-post' });
  await enqueue(anOffer(1), subscription);
  await kick();
  for (const id of ['s', 'another']) expect(store.subscriptions.get(id)?.problem).toBeNull();
  await store.subscriptions.save({ ...subscription, problem: 'cannot-post' });
  await enqueueLate([anOffer(2), anOffer(3)], subscription);
  await kick();
  expect(store.subscriptions.get('s')?.problem).toBeNull();
});

test('a person who takes no messages is asked again as their record says, whatever comes meanwhile', async () => {
  const { subscribe, enqueue, kick, script, tries, store, clock, pass, deliverer } = await aRun();
  const guildId = placeOfPerson('eve');
  const watch = await subscribe('w', { guildId });
  await store.people.save('eve', {
    ...USUAL_PACING_OF_PERSON,
    id: 'eve',
    channelId: CHANNEL,
    locale: 'en-US',
    usedAtMs: clock.now(),
    closed: null,
    shownWaiting: null,
  });
  script.otherwise = { kind: 'gone', reason: 'channel-gone' };
  await enqueue(anOffer(1), watch);
  await kick();
  const retryAtMs = store.people.get('eve')?.closed?.retryAtMs ?? 0;
  expect(retryAtMs).toBeGreaterThan(clock.now());
  expect(store.subscriptions.get('w')?.pausedBy).toBeNull();
  await enqueue(anOffer(2), watch);
  await kick();
  await pass(retryAtMs - clock.now() - 1, HOUR_MS);
  expect([tries.length, deliverer.status()]).toMatchObject([1, { pending: 2, oldestDueAtMs: null }]);
  script.otherwise = null;
  await pass(2 * MINUTE_MS);
  expect(tries.length).toBeGreaterThan(1);
  expect(store.people.get('eve')?.closed).toBeNull();
});

test('a person whose record is gone gets what is theirs', async () => {
  const { subscribe, enqueue, kick, tries } = await aRun();
  await enqueue(anOffer(1), await subscribe('w', { guildId: placeOfPerson('eve') }));
  await kick();
  expect(tries).toHaveLength(1);
});

test('a try that failed takes no room of the hour', async () => {
  const { subscribe, enqueue, kick, answers, tries, pass, deliverer } = await aRun();
  await enqueue(anOffer(1), await subscribe('s', { mostPerHour: 1 }));
  expect(deliverer.limitOf(CHANNEL)).toBeNull();
  answers.push(UNKNOWN, BLOCKED);
  await kick();
  await pass(retryMs());
  await pass(blockedMs());
  expect(tries).toHaveLength(3);
});

test('what nobody wants any more, and what is over, costs no post and does not count', async () => {
  const { subscribe, enqueue, kick, tries, store, idOf, endOf, clock, countedOf } = await aRun();
  const left = await subscribe('left');
  const stays = await subscribe('stays');
  await enqueue(anOffer(1), left);
  await enqueue(anOffer(2, { endDateMs: clock.now() + 1 }), stays);
  const ids = [1, 2].map(idOf);
  await store.subscriptions.remove('left');
  await clock.advance(1);
  await kick();
  expect([tries, countedOf(), store.deliveries.channels()]).toEqual([[], [], []]);
  expect(await Promise.all(ids.map(endOf))).toEqual([undefined, 'over']);
});

test('the lowest limit of those whose deliveries are due counts; one that has left, and one whose time has not come, set none', async () => {
  const { subscribe, enqueue, kick, deliverer, store, tries } = await aRun();
  const many = await subscribe('many', { mostPerHour: 4 });
  const few = await subscribe('few', { mostPerHour: 2 });
  const left = await subscribe('left', { mostPerHour: 1 });
  const later = await subscribe('later', {
    mostPerHour: 1,
    timing: { ...AT_ONCE, mode: 'daily', dailyAtMinute: 23 * 60 },
  });
  await enqueue(anOffer(1), many);
  await kick();
  await enqueue(anOffer(2), many, left);
  await enqueue(anOffer(3), later);
  await store.subscriptions.remove('left');
  await kick();
  expect([tries.length, deliverer.limitOf(CHANNEL)]).toEqual([2, null]);
  await enqueue(anOffer(4), many, few);
  await kick();
  expect([tries.length, deliverer.limitOf(CHANNEL)]).toMatchObject([2, { mostPerHour: 2, waiting: 1 }]);
  expect(deliverer.status()).toMatchObject({ limitedChannels: 1 });
});

test('a limit is logged once each time it is reached, with when the next post may come', async () => {
  const { lines, log } = aLog();
  const { subscribe, enqueue, kick, pass, clock } = await aRun(undefined, log);
  const reached = () => lines.filter((line) => 'nextPostAt' in line);
  const subscription = await subscribe('s', { mostPerHour: 1 });
  for (const number of [1, 2, 3]) {
    await enqueue(anOffer(number), subscription);
    await kick();
  }
  const nextPostAt = new Date(clock.now() + HOUR_MS).toISOString();
  expect(reached()).toMatchObject([{ channel: CHANNEL, mostPerHour: 1, waiting: 1, nextPostAt }]);
  await pass(HOUR_MS);
  expect(reached()).toHaveLength(1);
  await enqueue(anOffer(4), subscription);
  await kick();
  expect(reached()).toHaveLength(2);
});

test('what was late comes together, what is left of it alone comes alone, and what is over is in neither', async () => {
  const { subscribe, enqueueLate, kick, tries, answers, pass, idOf, endOf, clock, store } = await aRun();
  const subscription = await subscribe('s', { isPublished: true });
  const endDateMs = clock.now() + 1_000;
  await enqueueLate([anOffer(1), anOffer(2), anOffer(3, { endDateMs })], subscription);
  const ids = [1, 2, 3].map(idOf);
  answers.push(UNKNOWN, { kind: 'sent', place: { channelId: CHANNEL, messageId: '600' } });
  await kick();
  expect(tries[0]?.text).toContain('3 deals in Home · catching up');
  // The same roll-up is tried again, without what has ended since.
  await pass(retryMs());
  expect(tries[1]?.text).toContain('2 deals');
  expect(tries[1]?.deliveryId).toBe(tries[0]?.deliveryId);
  expect(await Promise.all(ids.map(endOf))).toEqual(['posted', 'posted', 'over']);
  expect(await store.deliveries.ended(tries[0]?.deliveryId ?? '')).toMatchObject({ outcome: 'posted' });
  expect(store.newestMessages.of(CHANNEL)).toBe('600');
  await enqueueLate([anOffer(4), anOffer(5, { endDateMs: clock.now() })], subscription);
  await kick();
  expect(tries.slice(2).map(({ deliveryId: id }) => id)).toEqual([idOfOffer(4)]);
});

test('what nobody wants any more is in no roll-up, and leaves no trace', async () => {
  const { subscribe, enqueueLate, kick, tries, endOf, store } = await aRun();
  await enqueueLate([anOffer(1)], await subscribe('left'));
  await enqueueLate([anOffer(2), anOffer(3)], await subscribe('s'));
  await store.subscriptions.remove('left');
  await kick();
  expect(tries[0]?.text).toContain('2 deals');
  expect(await Promise.all([1, 2].map((number) => endOf(idOfOffer(number))))).toEqual([undefined, 'posted']);
});

test('late things that are over by now hold up nothing', async () => {
  const { subscribe, enqueue, enqueueLate, kick, tries, clock } = await aRun();
  const subscription = await subscribe('s');
  await enqueueLate(
    [1, 2].map((number) => anOffer(number, { endDateMs: clock.now() })),
    subscription,
  );
  await kick();
  await enqueue(anOffer(3), subscription);
  await kick();
  expect(tries.map(({ deliveryId: id }) => id)).toEqual([idOfOffer(3)]);
});

test('a roll-up of which nothing is left is given up, and counts as no post', async () => {
  const { subscribe, enqueueLate, kick, tries, answers, pass, idsOf, endOf, clock, countedOf } = await aRun();
  const endDateMs = clock.now() + 1_000;
  await enqueueLate([anOffer(1, { endDateMs }), anOffer(2, { endDateMs })], await subscribe('s'));
  const ids = idsOf();
  answers.push(UNKNOWN);
  await kick();
  expect(countedOf()).toEqual([tries[0]?.deliveryId]);
  await pass(retryMs());
  expect([tries.length, countedOf()]).toEqual([1, []]);
  expect(await Promise.all([...ids, tries[0]?.deliveryId].map(endOf))).toEqual(['over', 'over', 'over']);
});

test('a roll-up that is found is recorded with all that it holds, and published', async () => {
  const { subscribe, enqueueLate, kick, tries, answers, script, pass, idsOf, store } = await aRun();
  await enqueueLate([anOffer(1), anOffer(2)], await subscribe('s', { isPublished: true }));
  const ids = idsOf();
  answers.push(UNKNOWN);
  await kick();
  script.found = foundAt({ [tries[0]?.deliveryId ?? '']: '700' });
  await pass(retryMs());
  expect([tries.length, script.others]).toEqual([1, [`publish ${CHANNEL}/700`]]);
  for (const id of ids) {
    expect(await store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', messageId: '700' });
  }
});

test('a roll-up that can not arrive any more comes apart, and does not count', async () => {
  const { subscribe, enqueueLate, enqueue, kick, answers, tries, pass, countedOf } = await aRun();
  const subscription = await subscribe('s', { mostPerHour: 2 });
  await enqueueLate([anOffer(1), anOffer(2)], subscription);
  answers.push(BLOCKED);
  await kick();
  expect(tries).toHaveLength(1);
  await enqueue(anOffer(3), subscription);
  await pass(blockedMs());
  expect(tries[1]?.text).toContain('3 deals');
  expect(countedOf()).toEqual([tries[1]?.deliveryId]);
});

test.each([
  ['hourly', 60, 'Hourly digest · 2 deals in Home'],
  ['daily', 24 * 60, 'Daily digest · 2 deals in Home'],
] as const)('a digest says that it is the %s one', async (mode, minutes, name) => {
  const { subscribe, enqueue, kick, tries, pass } = await aRun();
  const subscription = await subscribe('s', { timing: { ...AT_ONCE, mode, dailyAtMinute: 11 * 60 } });
  for (const number of [1, 2]) await enqueue(anOffer(number, { endDateMs: null }), subscription);
  await kick();
  await pass(minutes * MINUTE_MS);
  expect(tries.map(({ text }) => text)).toEqual([expect.stringContaining(name)]);
  expect(tries[0]?.text).not.toContain('next slot');
});

test('a digest that joins what the hourly limit holds back is called after the limit, and one by itself is not', async () => {
  const { subscribe, enqueue, kick, tries, pass } = await aRun();
  const hourly = await subscribe('h', { mostPerHour: 2, timing: { ...AT_ONCE, mode: 'hourly' } });
  const now = await subscribe('n', { mostPerHour: 2 });
  for (const number of [1, 2]) await enqueue(anOffer(number, { endDateMs: null }), hourly);
  await pass(55 * MINUTE_MS);
  await enqueue(anOffer(3), now);
  await kick();
  await enqueue(anOffer(4), now);
  await kick();
  expect(tries).toHaveLength(1);
  await pass(40 * MINUTE_MS);
  expect(tries[1]?.text).toContain('3 deals in Home · hourly limit');
  for (const number of [5, 6]) await enqueue(anOffer(number, { endDateMs: null }), hourly);
  await kick();
  await pass(HOUR_MS);
  expect(tries[2]?.text).toContain('Hourly digest · 2 deals');
});

test('where a channel has several subscriptions, a post says which of them it is for', async () => {
  const { subscribe, enqueue, kick, tries, store } = await aRun();
  const feed = await subscribe('a');
  await subscribe('elsewhere', { channelId: '11' });
  await enqueue(anOffer(1), feed);
  await kick();
  const tools = await subscribe('b', { source: { kind: 'feed', feed: 'Tools' } });
  await enqueue(anOffer(2), feed, tools);
  await kick();
  await enqueue(anOffer(3), feed, tools);
  await store.subscriptions.remove('b');
  await subscribe('c');
  await kick();
  expect(tries.map(({ text }) => [text.includes('matches'), text.includes('Tools')])).toEqual([
    [false, false],
    [true, true],
    [true, false],
  ]);
});

test('a roll-up has its subscription’s line, and names its feeds where it comes from feeds alone', async () => {
  const { subscribe, enqueueLate, kick, tries } = await aRun();
  const home = await subscribe('a', { appearance: { line: 'For _kettle_ people' } });
  await enqueueLate([anOffer(1), anOffer(2)], home);
  await kick();
  expect(tries[0]?.text).toMatch(/^For \\_kettle\\_ people\n\*\*Kettle 2, Kettle 1\*\*\n-# 2 deals in Home/);
  expect(tries[0]?.message.title).toContain('2 deals in Home');
  const events = await subscribe('b', { channelId: '11', source: { kind: 'events', sites: [], types: [] } });
  await enqueueLate([anOffer(1), anOffer(2)], events);
  await kick();
  expect(tries[1]?.text).toMatch(/^\*\*Kettle 2, Kettle 1\*\*\n-# 2 deals · catching up/);
  await enqueueLate([anOffer(3)], home);
  await enqueueLate([anOffer(4)], await subscribe('c', { source: { kind: 'events', sites: [], types: [] } }));
  await kick();
  expect(tries[2]?.text).toContain('-# 2 deals · catching up');
});

test('a roll-up that a removed subscription wanted, too, names no feed', async () => {
  const { subscribe, enqueueLate, kick, tries, store } = await aRun();
  await enqueueLate([anOffer(1), anOffer(2)], await subscribe('a'), await subscribe('b'));
  await store.subscriptions.remove('b');
  await kick();
  expect(tries[0]?.text).toContain('-# 2 deals · catching up');
});

test('a person’s message names their subscriptions that it is for', async () => {
  const { subscribe, enqueue, kick, tries, store } = await aRun(undefined, undefined, undefined, {
    personal: { nameOf: ({ id }) => `the ${id} of mine`, reason: (what) => `As you want ${what}` },
  });
  const guildId = placeOfPerson('eve');
  await enqueue(anOffer(1), await subscribe('price', { guildId }), await subscribe('left', { guildId }));
  await store.subscriptions.remove('left');
  await kick();
  expect(tries[0]?.text).toMatch(/As you want the price of mine$/);
});

test('a roll-up has the same id whatever its order, another one for other contents and in other channels', () => {
  const [a, b, c] = [
    aDelivery('a', { createdAtMs: NOW_MS + 2, alsoTells: ['x'] }),
    aDelivery('b', { createdAtMs: NOW_MS + 1 }),
    aDelivery('c'),
  ] as const;
  const rollUp = rollUpOf([a, b], 'late');
  expect(rollUp).toMatchObject({
    guildId: '1',
    channelId: CHANNEL,
    replaces: ['a', 'x', 'b'],
    createdAtMs: NOW_MS + 1,
    reason: 'late',
    members: [{ deliveryId: 'a', alsoTells: ['x'] }, { deliveryId: 'b' }],
  });
  expect(rollUp.id).toMatch(/^[\w-]{22}$/);
  expect(rollUpOf([b, a], 'limit').id).toBe(rollUp.id);
  const others = [rollUpOf([a, c], 'late'), rollUpOf([{ ...a, channelId: '11' }, b], 'late')];
  expect(new Set([rollUp, ...others].map(({ id }) => id)).size).toBe(3);
});
