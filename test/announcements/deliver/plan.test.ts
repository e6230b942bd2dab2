import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextPostAtMs, nextStep, type Situation } from '../../../src/announcements/deliver/plan.ts';
import type { Timing } from '../../../src/deals/settings.ts';
import type { Subscription } from '../../../src/deals/subscription.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { type Delivery, rollUpOf } from '../../../src/store/delivery.ts';
import { aDelivery, aSubscription, NOW_MS } from '../../helpers/things.ts';

/** The posts that an hour keeps for roll-ups, by its limit. */
const KEPT: [most: number, kept: number][] = [
  [1, 1],
  [2, 2],
  [3, 2],
  [5, 3],
  [30, 12],
  [100, 12],
];

/** The next step of a channel whose deliveries are for subscription `s`, unless they say otherwise. */
function step(situation: Partial<Situation>, ...all: readonly Subscription[]) {
  const subscriptions = all.length > 0 ? all : [aSubscription('s', { mostPerHour: 30 })];
  return nextStep({
    pending: [],
    rollUp: undefined,
    subscriptions: { get: (id) => subscriptions.find((one) => one.id === id) },
    posted: [],
    mayArrive: new Map(),
    isRollUpAside: false,
    groupOf: () => undefined,
    isApart: () => false,
    publishing: null,
    nowMs: NOW_MS,
    ...situation,
  });
}

const limitedTo = (mostPerHour: number) => aSubscription('s', { mostPerHour });
const postsAt = (...moments: number[]) => moments.map((atMs) => ({ id: String(atMs), atMs }));
const wantedBy = (...ids: string[]) => ids.map((subscriptionId) => ({ subscriptionId, terms: [] }));

test('what has waited for thirty minutes comes by itself, and after that together with others', () => {
  const pending = [aDelivery('a'), aDelivery('b')];
  expect(step({ pending, nowMs: NOW_MS + 30 * MINUTE_MS })).toMatchObject({ do: 'post', delivery: { id: 'a' } });
  expect(step({ pending, nowMs: NOW_MS + 30 * MINUTE_MS + 1 })).toMatchObject({ do: 'post-together' });
});

test('what may still arrive goes by itself, after all that is due besides, and before that where the hour has little room', () => {
  const pending = ['a', 'b', 'c'].map((id) => aDelivery(id, { isLate: true }));
  const [, , c] = pending;
  const mayArrive = new Map([['c', NOW_MS + 1]]);
  expect(step({ pending, mayArrive })).toMatchObject({ do: 'post-together', deliveries: [{ id: 'a' }, { id: 'b' }] });
  expect(step({ pending: pending.slice(1), mayArrive })).toMatchObject({ do: 'post', delivery: { id: 'b' } });
  expect(step({ pending: pending.slice(2), mayArrive })).toEqual({ do: 'post', delivery: c });
  expect(step({ pending, mayArrive }, limitedTo(1))).toEqual({ do: 'post', delivery: c });
  expect(step({ pending })).toMatchObject({ do: 'post-together', deliveries: pending, limit: null });
});

/** From 11:00 to 13:00 UTC: now is 12:00. */
const QUIET: Timing = {
  mode: 'at-once',
  dailyAtMinute: 0,
  timeZone: 'UTC',
  quiet: { fromMinute: 11 * 60, toMinute: 13 * 60 },
};

test('a roll-up that may still arrive is repeated as it is, waits where somebody has quiet hours, and comes apart otherwise', () => {
  const quiet = aSubscription('quiet', { timing: QUIET });
  const rollUp = rollUpOf([aDelivery('a'), aDelivery('b', { matches: wantedBy('quiet') })], 'late');
  const mayArrive = new Map([[rollUp.id, NOW_MS + 1]]);
  const pending = [aDelivery('c', { isLate: true })];
  expect(step({ pending, rollUp, mayArrive })).toEqual({ do: 'repeat-roll-up', rollUp });
  expect(step({ pending, rollUp, mayArrive }, limitedTo(30), quiet)).toEqual({
    do: 'wait',
    untilMs: NOW_MS + 1,
    limit: null,
  });
  expect(step({ pending, rollUp }, limitedTo(30), quiet)).toEqual({ do: 'dissolve', rollUp });
});

test('at the limit all that is due comes together, and says when the next post may come', () => {
  const posted = postsAt(NOW_MS - MINUTE_MS);
  const pending = [aDelivery('a'), aDelivery('b'), aDelivery('later', { dueAtMs: NOW_MS + 1 })];
  const nextMs = NOW_MS + 30 * MINUTE_MS;
  expect(step({ pending, posted }, limitedTo(3))).toEqual({
    do: 'post-together',
    deliveries: pending.slice(0, 2),
    limit: { mostPerHour: 3, nextPostAtMs: nextMs },
  });
  expect(step({ pending, posted: [...posted, ...postsAt(NOW_MS)] }, limitedTo(3))).toEqual({
    do: 'wait',
    untilMs: nextMs,
    limit: { mostPerHour: 3, nextPostAtMs: nextMs, waiting: 2 },
  });
});

test('a roll-up that waits for the limit counts with all that it holds', () => {
  const rollUp = rollUpOf([aDelivery('a'), aDelivery('b')], 'late');
  const mayArrive = new Map([[rollUp.id, NOW_MS + 1]]);
  const situation = { pending: [aDelivery('c')], rollUp, mayArrive, posted: postsAt(NOW_MS) };
  expect(step(situation, limitedTo(1))).toMatchObject({ do: 'wait', limit: { waiting: 3 } });
});

test('what comes together for another reason than the limit tells of none', () => {
  const pending = [aDelivery('a', { isLate: true }), aDelivery('b', { isLate: true })];
  const posted = postsAt(NOW_MS - 59 * MINUTE_MS);
  expect(step({ pending, posted })).toMatchObject({ do: 'post-together', limit: null });
});

test('quiet hours end for a delivery with the first that do, and there are none where nobody wants it any more', () => {
  const early: Timing = { ...QUIET, quiet: { fromMinute: 11 * 60, toMinute: 12 * 60 + 30 } };
  const all = [
    aSubscription('quiet', { timing: QUIET }),
    aSubscription('early', { timing: early }),
    aSubscription('open'),
    aSubscription('paused', { timing: QUIET, pausedBy: 'person' }),
  ];
  const untilFor = (...ids: string[]) => step({ pending: [aDelivery('a', { matches: wantedBy(...ids) })] }, ...all);
  expect(untilFor('quiet')).toEqual({ do: 'wait', untilMs: NOW_MS + HOUR_MS, limit: null });
  for (const ids of [
    ['quiet', 'early'],
    ['early', 'quiet'],
  ]) {
    expect(untilFor(...ids)).toEqual({ do: 'wait', untilMs: NOW_MS + HOUR_MS / 2, limit: null });
  }
  expect(untilFor('quiet', 'open')).toMatchObject({ do: 'post' });
  expect(untilFor('removed')).toMatchObject({ do: 'post' });
  expect(untilFor('paused')).toMatchObject({ do: 'post' });
});

test('only what is due waits for the end of quiet hours, and takes its place among what is due later', () => {
  const quiet = aSubscription('quiet', { timing: QUIET });
  const createdAtMs = NOW_MS - 2 * HOUR_MS;
  const held = (id: string, changes: Partial<Delivery>) =>
    aDelivery(id, { createdAtMs, matches: wantedBy('quiet'), ...changes });
  const digest = aDelivery('digest', { createdAtMs, dueAtMs: NOW_MS + HOUR_MS - 1 });
  const waits = (pending: Delivery[]) => step({ pending }, quiet);
  const due = held('held', { dueAtMs: NOW_MS });
  expect(waits([due, digest])).toEqual({ do: 'wait', untilMs: NOW_MS + HOUR_MS - 1, limit: null });
  expect(waits([due, held('at noon', { dueAtMs: NOW_MS + HOUR_MS - 1 })])).toEqual({
    do: 'wait',
    untilMs: NOW_MS + HOUR_MS - 1,
    limit: null,
  });
  expect(waits([due])).toEqual({ do: 'wait', untilMs: NOW_MS + HOUR_MS, limit: null });
  // At their end, in the order in which they were due, and not as late ones.
  const end = { pending: [due, held('second', { dueAtMs: NOW_MS + 1 })], nowMs: NOW_MS + HOUR_MS };
  expect(step(end, quiet)).toMatchObject({ do: 'post-together', deliveries: [{ id: 'held' }, { id: 'second' }] });
});

test('what was to come at once is due where the clock was set back, and a digest is not', () => {
  const createdAtMs = NOW_MS + 3 * HOUR_MS;
  expect(step({ pending: [aDelivery('a', { createdAtMs, dueAtMs: createdAtMs })] })).toMatchObject({ do: 'post' });
  const dueAtMs = createdAtMs + 1;
  expect(step({ pending: [aDelivery('a', { createdAtMs, dueAtMs })] })).toMatchObject({ do: 'wait', untilMs: dueAtMs });
});

/** Posts whatever waits as soon as the plan lets it through. Returns the moments, and how much each post told. */
function postAll(arrivals: readonly number[], most: number) {
  const posts: { atMs: number; told: number }[] = [];
  let longestWaitMs = 0;
  let told = 0;
  let nowMs = 1;
  while (told < arrivals.length) {
    nowMs = Math.max(nowMs, arrivals[told] ?? 0);
    const pending = arrivals
      .map((atMs, index) => aDelivery(String(index), { createdAtMs: 0, dueAtMs: atMs }))
      .slice(told);
    const posted = postsAt(...posts.map(({ atMs }) => atMs).filter((atMs) => atMs > nowMs - HOUR_MS));
    const next = step({ pending, posted, nowMs }, limitedTo(most));
    if (next.do === 'wait') {
      nowMs = next.untilMs;
      continue;
    }
    longestWaitMs = Math.max(longestWaitMs, nowMs - Math.max(arrivals[told] ?? 0, posts.at(-1)?.atMs ?? 0));
    const count = next.do === 'post-together' ? next.deliveries.length : 1;
    posts.push({ atMs: nowMs, told: count });
    told += count;
  }
  return { posts, longestWaitMs };
}

const sums = (gaps: readonly number[]) => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((a, b) => a + b, 1));
const arrivals = fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 1, maxLength: 150 }).map(sums);
const bursts = fc.array(fc.constantFrom(0, 0, 0, 1_000, HOUR_MS / 12), { minLength: 1, maxLength: 150 }).map(sums);

test('whatever comes, no hour sees more than its most, and nothing waits longer than a share of the hour', () => {
  fc.assert(
    fc.property(fc.oneof(arrivals, bursts), fc.constantFrom(...KEPT), (moments, [most, kept]) => {
      const { posts, longestWaitMs } = postAll(moments, most);
      posts.forEach(({ atMs }, index) => {
        const before = posts[index - most];
        if (before) expect(atMs - before.atMs).toBeGreaterThanOrEqual(HOUR_MS);
      });
      expect(longestWaitMs).toBeLessThanOrEqual(Math.ceil(HOUR_MS / kept));
    }),
  );
});

test.each(KEPT)('of %i posts an hour %i are kept for roll-ups: those before it are single ones', (most, kept) => {
  const pending = [aDelivery('a'), aDelivery('b')];
  const after = (count: number) =>
    step({ pending, posted: postsAt(...Array.from({ length: count }, () => NOW_MS - HOUR_MS / 2)) }, limitedTo(most));
  const singles = most - kept;
  if (singles > 0) expect(after(singles - 1)).toMatchObject({ do: 'post' });
  expect(after(singles)).toMatchObject({ do: 'post-together', limit: { mostPerHour: most } });
});

test('of thirty an hour, eighteen come at once, one more takes all that is left, and the next one five minutes later', () => {
  const burst = (count: number) => postsAt(...Array.from({ length: count }, () => 1));
  expect(nextPostAtMs(burst(18), 30)).toBeLessThanOrEqual(1);
  expect(nextPostAtMs(burst(19), 30)).toBe(1 + HOUR_MS / 12);
});

test('in a steady flow no five minutes pass without a post, and what comes alone has its own again in the next hour', () => {
  const { posts } = postAll(
    Array.from({ length: 720 }, (_, index) => 1 + index * 10_000),
    30,
  );
  for (const [index, { atMs }] of posts.entries()) {
    expect(atMs - (posts[index - 1]?.atMs ?? 0)).toBeLessThanOrEqual(HOUR_MS / 12);
  }
  expect(posts.some(({ atMs, told }) => atMs > HOUR_MS && told === 1)).toBe(true);
});

test('a lower limit than before waits until the hour has as few', () => {
  expect(nextPostAtMs(postsAt(1, 2, 3, 4), 2)).toBe(3 + HOUR_MS);
  expect(nextPostAtMs(postsAt(1, 2, 3, 4), 1)).toBe(4 + HOUR_MS);
});

test('the lowest limit of those whose deliveries are due counts', () => {
  const all = [
    aSubscription('many', { mostPerHour: 4 }),
    aSubscription('few', { mostPerHour: 2 }),
    aSubscription('one', { mostPerHour: 1 }),
  ];
  const posted = postsAt(NOW_MS);
  const many = aDelivery('a', { matches: wantedBy('many', 'removed') });
  const few = aDelivery('b', { matches: wantedBy('few') });
  const later = aDelivery('c', { matches: wantedBy('one'), dueAtMs: NOW_MS + 1 });
  expect(step({ pending: [many, later], posted }, ...all)).toMatchObject({ do: 'post' });
  expect(step({ pending: [many, few, later], posted }, ...all)).toMatchObject({
    do: 'wait',
    limit: { mostPerHour: 2, waiting: 2 },
  });
});
