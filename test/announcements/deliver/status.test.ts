import { expect, test } from 'vitest';
import { placeOfPerson } from '../../../src/deals/person.ts';
import { type Timing, USUAL_PACING_OF_PERSON } from '../../../src/deals/settings.ts';
import type { PostOutcome } from '../../../src/discord/courier.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import type { Person } from '../../../src/store/server-records.ts';
import { retryMs } from '../../helpers/back-offs.ts';
import type { Backend } from '../../helpers/opened-state.ts';
import { postsOf } from '../../helpers/records.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { aKnownOffer, anOffer, newOfferOf, uuid } from '../../helpers/things.ts';

const CHANNEL = '10';
const DAILY: Timing = { mode: 'daily', dailyAtMinute: 23 * 60, timeZone: 'UTC', quiet: null };
const EVE: Person = {
  ...USUAL_PACING_OF_PERSON,
  id: 'eve',
  channelId: '20',
  locale: 'en-US',
  timing: DAILY,
  usedAtMs: 0,
  closed: null,
  shownWaiting: null,
};
const BLOCKED: PostOutcome = { kind: 'blocked', reason: 'cannot-post' };

test('without work the status says that there is none', async () => {
  const { run } = await aScriptedDeliverer();
  const { deliverer } = await run();
  const { ended, ...waiting } = deliverer.status();
  expect(new Set(Object.values(waiting))).toEqual(new Set([0, null]));
  expect(new Set([ended.postedToday, ...Object.values(ended.sinceStart)])).toEqual(new Set([0]));
  expect(deliverer.limitOf(CHANNEL)).toBeNull();
});

test('the status counts what waits in all channels, and tells since when the oldest that is due has waited', async () => {
  const { run, clock, script, pass } = await aScriptedDeliverer();
  const { subscribe, enqueue, enqueueLate, kick, deliverer, store } = await run();
  const startMs = clock.now();
  script.otherwise = BLOCKED;
  await enqueue(anOffer(1), await subscribe('later', { timing: DAILY }));
  expect(deliverer.status()).toMatchObject({ pending: 1, oldestDueAtMs: null });
  await clock.advance(MINUTE_MS);
  await enqueue(anOffer(2), await subscribe('b', { channelId: '11' }));
  expect(deliverer.status()).toMatchObject({ pending: 2, oldestDueAtMs: startMs + MINUTE_MS });
  await clock.advance(MINUTE_MS);
  await enqueue(anOffer(3), await subscribe('c', { channelId: '12' }));
  expect(deliverer.status()).toMatchObject({ pending: 3, oldestDueAtMs: startMs + MINUTE_MS });
  await enqueueLate([anOffer(4), anOffer(5)], await subscribe('d', { channelId: '13' }));
  await kick();
  expect(store.deliveries.pendingRollUp('13')?.members).toHaveLength(2);
  expect(deliverer.status()).toMatchObject({ pending: 5, blockedChannels: 3 });
  expect(deliverer.status()).toMatchObject({ oldestDueAtMs: startMs + MINUTE_MS, oldestUnhinderedAtMs: null });
  script.otherwise = null;
  await pass(2 * MINUTE_MS);
  expect(deliverer.status()).toMatchObject({ pending: 1, blockedChannels: 0, ended: { postedToday: 4 } });
});

test('what waits for a person who takes no messages is late only once it may be tried again', async () => {
  const { run, clock } = await aScriptedDeliverer();
  const { subscribe, enqueue, deliverer, store } = await run();
  const dueAtMs = clock.now();
  await store.people.save(EVE.id, { ...EVE, closed: { sinceMs: dueAtMs, tries: 1, retryAtMs: dueAtMs + HOUR_MS } });
  await enqueue(anOffer(1), await subscribe('w', { guildId: placeOfPerson('eve'), channelId: EVE.channelId }));
  await clock.advance(HOUR_MS - 1);
  expect(deliverer.status()).toMatchObject({ pending: 1, oldestDueAtMs: null });
  await clock.advance(1);
  expect(deliverer.status()).toMatchObject({ pending: 1, oldestDueAtMs: dueAtMs });
});

test('the status counts the channels that their hourly limit holds back, and tells when the first may post again', async () => {
  const { run, clock } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer } = await run();
  const startMs = clock.now();
  for (const [number, channelId] of ['10', '11', '12'].entries()) {
    const subscription = await subscribe(channelId, { channelId, mostPerHour: 1 });
    await enqueue(anOffer(number), subscription);
    await kick();
    if (channelId !== '12') await enqueue(anOffer(10 + number), subscription);
    await kick();
    await clock.advance(MINUTE_MS);
  }
  await enqueue(anOffer(20), await subscribe('later', { channelId: '12', timing: DAILY }));
  expect(deliverer.status()).toMatchObject({ limitedChannels: 2, nextRoomAtMs: startMs + HOUR_MS });
  expect(deliverer.status()).toMatchObject({ oldestDueAtMs: startMs, oldestUnhinderedAtMs: null });
  expect(deliverer.limitOf('11')).toEqual({ mostPerHour: 1, nextPostAtMs: startMs + HOUR_MS + MINUTE_MS, waiting: 1 });
  expect(deliverer.limitOf('12')).toBeNull();
});

test.each(['alone', 'in a roll-up'])(
  'what Discord does not take, %s, is due without a hindrance, whatever others wait for',
  async (how) => {
    const { run, clock, script } = await aScriptedDeliverer();
    const { subscribe, enqueue, enqueueLate, kick, deliverer } = await run();
    const startMs = clock.now();
    script.otherwise = BLOCKED;
    await enqueue(anOffer(1), await subscribe('blocked', { channelId: '11' }));
    await kick();
    await clock.advance(1_000);
    script.otherwise = { kind: 'unknown', reason: 'no-answer' };
    const refused = await subscribe('refused');
    if (how === 'alone') await enqueue(anOffer(2), refused);
    else await enqueueLate([anOffer(2), anOffer(3)], refused);
    await kick();
    await clock.advance(10_000);
    const status = deliverer.status();
    expect(status).toMatchObject({ oldestDueAtMs: startMs, oldestUnhinderedAtMs: startMs + 1_000, blockedChannels: 1 });
  },
);

test('while the application’s owner has paused posting, nothing is posted, and all of it is after that', async () => {
  const { run, clock, tries } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer, store } = await run();
  await store.postingPause.begin(clock.now());
  await enqueue(anOffer(1), await subscribe('s'));
  await kick();
  expect([tries, deliverer.status().pausedSinceMs]).toEqual([[], clock.now()]);
  await store.postingPause.end();
  await kick();
  expect(tries).toHaveLength(1);
});

test('a kick does what waits of each kind, in channels where nothing else does, too', async () => {
  const { run, script, clock } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer, store } = await run();
  await enqueue(anOffer(1), await subscribe('s'));
  await kick();
  await store.transact((changes) =>
    deliverer.refresh(changes, [{ key: `offer:${uuid(1)}`, item: anOffer(1, { isSoldOut: true }) }]),
  );
  await store.commit((changes) =>
    store.publications.add(changes, [{ channelId: '11', messageId: '5', queuedAtMs: clock.now() }]),
  );
  expect(deliverer.status()).toMatchObject({ editsPending: 1, publicationsPending: 1 });
  expect(script.others).toEqual([]);
  await kick();
  expect(new Set(script.others.map((asked) => asked.split(' ')[0]))).toEqual(new Set(['edit', 'publish']));
  expect(script.others).toHaveLength(2);
  expect(deliverer.status()).toMatchObject({ editsPending: 0, publicationsPending: 0 });
});

test('posts are kept for 45 days where their deal is over, and for 120 otherwise', async () => {
  const { run, clock } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer, store } = await run();
  const subscription = await subscribe('s');
  await enqueue(anOffer(1, { endDateMs: clock.now() + 1 }), subscription);
  await enqueue(anOffer(2, { endDateMs: null }), subscription);
  await kick();
  const kept = async () => (await Promise.all([1, 2].map((number) => postsOf(store, `offer:${uuid(number)}`)))).flat();
  const sweepAfter = async (ms: number) => {
    await clock.advance(ms);
    await deliverer.sweep();
    return (await kept()).map(({ announcement: { subject } }) => subject);
  };
  expect(await sweepAfter(45 * DAY_MS)).toEqual([uuid(1), uuid(2)]);
  expect(await sweepAfter(1)).toEqual([uuid(2)]);
  expect(await sweepAfter(75 * DAY_MS - 1)).toEqual([uuid(2)]);
  expect(await sweepAfter(1)).toEqual([]);
});

test('a post of what is sold out is kept while that may come back, for 120 days at most', async () => {
  const { run, clock, book } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer, store } = await run();
  const subscription = await subscribe('s');
  for (const number of [1, 2]) await enqueue(anOffer(number, { endDateMs: null, isSoldOut: false }), subscription);
  await kick();
  const soldOut = [1, 2].map((number) => aKnownOffer(number, { endDateMs: null, isSoldOut: true }));
  for (const { offer } of soldOut) {
    const [post] = await postsOf(store, `offer:${offer.id}`);
    if (!post) throw new Error('not posted');
    const announcement = newOfferOf(offer);
    await store.commit((changes) => store.posts.save(changes, { ...post, announcement }));
  }
  // Its feed still shows the first one; the second is forgotten.
  book.put(soldOut.slice(0, 1));
  const keptAfter = async (ms: number) => {
    await clock.advance(ms);
    await deliverer.sweep();
    const kept = await Promise.all([1, 2].map((number) => postsOf(store, `offer:${uuid(number)}`)));
    return kept.map((posts) => posts.length);
  };
  expect(await keptAfter(45 * DAY_MS)).toEqual([1, 1]);
  expect(await keptAfter(1)).toEqual([1, 0]);
  expect(await keptAfter(75 * DAY_MS - 1)).toEqual([1, 0]);
  expect(await keptAfter(1)).toEqual([0, 0]);
});

test('a post of a price drop is kept for 120 days where the price has risen again, as its offer is still for sale', async () => {
  const { run, clock } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer, store } = await run();
  const item = anOffer(1, { endDateMs: null, salePrice: { minimum: 40, maximum: 40 } });
  await enqueue(item, await subscribe('s'));
  await kick();
  const [post] = await postsOf(store, `offer:${uuid(1)}`);
  if (!post) throw new Error('not posted');
  const before = { minimum: 30, maximum: 30 };
  const announcement = { kind: 'price-drop', subject: uuid(1), occurrence: '', item, before, beforeForMs: 1 } as const;
  await store.commit((changes) => store.posts.save(changes, { ...post, announcement }));
  await clock.advance(119 * DAY_MS);
  await deliverer.sweep();
  expect(await postsOf(store, `offer:${uuid(1)}`)).toHaveLength(1);
});

test('a sweep forgets the ledger of old, the past hour of channels without news, and people without watches', async () => {
  let state: Backend | undefined;
  const { run, clock } = await aScriptedDeliverer((backend) => {
    state = backend;
    return backend;
  });
  const counted = async () => (await state?.under(['pace:post/']))?.length;
  const { subscribe, enqueue, kick, deliverer, store } = await run();
  const subscription = await subscribe('s');
  await enqueue(anOffer(1), subscription);
  const [id = ''] = store.deliveries.pending(CHANNEL).map((delivery) => delivery.id);
  await kick();
  await store.people.save(EVE.id, { ...EVE, usedAtMs: clock.now() });
  await deliverer.sweep();
  await store.sweep(clock.now());
  expect([(await store.deliveries.ended(id))?.outcome, store.people.get('eve')?.id]).toEqual(['posted', 'eve']);
  expect(await counted()).toBe(1);
  await clock.advance(365 * DAY_MS);
  await deliverer.sweep();
  await store.sweep(clock.now());
  expect([await store.deliveries.ended(id), store.people.get('eve')]).toEqual([undefined, undefined]);
  expect(await counted()).toBe(0);
});

test('what ends is counted by how it ended, each of a roll-up by itself', async () => {
  const { run, clock, answers } = await aScriptedDeliverer();
  const { subscribe, enqueue, enqueueLate, kick, deliverer } = await run();
  const subscription = await subscribe('s');
  const refused: PostOutcome = { kind: 'refused', reason: 'invalid form body' };
  answers.push(refused, refused);
  await enqueue(anOffer(1), subscription);
  await kick();
  await enqueue(anOffer(2, { endDateMs: clock.now() }), subscription);
  await kick();
  await enqueueLate([anOffer(3), anOffer(4), anOffer(5, { endDateMs: clock.now() })], subscription);
  await kick();
  await enqueue(anOffer(6), await subscribe('t', { channelId: '11' }));
  await deliverer.abandon('11');
  expect(deliverer.status().ended).toEqual({
    sinceStart: { posted: 2, over: 2, gone: 1, refused: 1 },
    postedToday: 2,
  });
});

test('the posts of the day begin anew at midnight UTC, and those since the start go on', async () => {
  const { run, clock } = await aScriptedDeliverer();
  clock.set('2026-10-06T23:59:59.999Z');
  const { subscribe, enqueue, kick, deliverer } = await run();
  const subscription = await subscribe('s');
  const post = async (number: number) => {
    await enqueue(anOffer(number, { endDateMs: null }), subscription);
    await kick();
  };
  const ended = () => {
    const { sinceStart, postedToday } = deliverer.status().ended;
    return [sinceStart.posted, postedToday];
  };
  await post(1);
  expect(ended()).toEqual([1, 1]);
  await clock.advance(1);
  expect(ended()).toEqual([1, 0]);
  await post(2);
  expect(ended()).toEqual([2, 1]);
  await clock.advance(DAY_MS - 1);
  expect(ended()).toEqual([2, 1]);
  await clock.advance(1);
  await post(3);
  expect(ended()).toEqual([3, 1]);
});

test('what could not be written is not counted before it is', async () => {
  let isFull = false;
  const { run, script, tries, pass } = await aScriptedDeliverer((backend) => ({
    ...backend,
    write: (rows) => (isFull ? Promise.reject(new StoreError('The disk is full.')) : backend.write(rows)),
  }));
  const { subscribe, enqueue, kick, deliverer } = await run();
  await enqueue(anOffer(1), await subscribe('s'));
  script.whilePosting = async () => {
    isFull = tries.length === 1;
  };
  await kick();
  expect([tries.length, deliverer.status().ended.sinceStart.posted]).toEqual([1, 0]);
  isFull = false;
  await pass(retryMs());
  expect([tries.length, deliverer.status().ended.sinceStart.posted]).toEqual([2, 1]);
});
