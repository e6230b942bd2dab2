import fc from 'fast-check';
import { expect, test } from 'vitest';
import { learn } from '../../../src/announcements/poll/arrivals.ts';
import { Planner, type PollDemand } from '../../../src/announcements/poll/planner.ts';
import type { ResourceKey } from '../../../src/deals/subscription.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { aDemand, learnedAt, MIDNIGHT_MS, quotasAt } from '../../helpers/poll-demands.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';

const SECOND_MS = 1000;
/** Each minute for a sample. */
const TICK_MS = sampleSize(15, 60) * SECOND_MS;
const MIN_INTERVAL_MS = MINUTE_MS;

const planner = new Planner(MIN_INTERVAL_MS);

interface Course {
  fromMs?: number;
  untilMs?: number;
  tickMs?: number;
  limit?: number;
  spent?: number;
  /** The cost of a poll, in requests. */
  cost?: (resource: ResourceKey) => number;
  /** The requests that people spend at a tick. */
  people?: (nowMs: number) => number;
  /** The new entities of a resource, by the moment at which they go live. */
  arrivals?: Readonly<Partial<Record<ResourceKey, readonly number[]>>>;
  /** Called at every tick with how many polls are due and what of the day is spent before them. */
  watch?: (due: readonly ResourceKey[], spent: number, nowMs: number) => void;
}

/** Lives by the planner tick by tick; returns when each resource was polled. */
function live(demands: readonly PollDemand[], course: Course = {}): Map<ResourceKey, number[]> {
  const { fromMs = MIDNIGHT_MS, untilMs = fromMs + DAY_MS, tickMs = TICK_MS, limit = 1000, cost = () => 1 } = course;
  const state = new Map(demands.map((demand) => [demand.resource, demand]));
  const polls = new Map(demands.map(({ resource }) => [resource, [] as number[]]));
  let spent = course.spent ?? 0;
  for (let nowMs = fromMs; nowMs < untilMs; nowMs += tickMs) {
    if (nowMs % DAY_MS === 0 && nowMs > fromMs) spent = 0;
    spent += course.people?.(nowMs) ?? 0;
    const due = planner.due([...state.values()], quotasAt(nowMs, spent, limit), nowMs);
    course.watch?.(due, spent, nowMs);
    for (const resource of due) {
      const demand = state.get(resource) ?? aDemand(resource);
      const sinceMs = demand.lastPolledMs ?? -Infinity;
      const startedAtMs = (course.arrivals?.[resource] ?? []).filter((ms) => ms > sinceMs && ms <= nowMs);
      const observation = { polledAtMs: nowMs, previousPolledAtMs: demand.lastPolledMs, startedAtMs };
      state.set(resource, { ...demand, lastPolledMs: nowMs, learned: learn(demand.learned, observation) });
      polls.get(resource)?.push(nowMs);
      spent += cost(resource);
    }
  }
  return polls;
}

const gaps = (times: readonly number[]) => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
const count = (polls: ReadonlyMap<ResourceKey, readonly number[]>) =>
  [...polls.values()].reduce((sum, { length }) => sum + length, 0);
const firstFrom = (times: readonly number[] | undefined, ms: number) => times?.find((atMs) => atMs >= ms) ?? Infinity;

const FEEDS = ['feed:All', 'feed:Home', 'feed:Tools', 'feed:Sports'] as const;

test('where nothing was learned, the polls of like resources are even and last the day', () => {
  const polls = live(FEEDS.map((feed) => aDemand(feed)));
  expect(count(polls)).toBeGreaterThan(850);
  expect(count(polls)).toBeLessThanOrEqual(900);
  for (const times of polls.values()) {
    expect(times.length).toBeGreaterThan(205);
    expect(DAY_MS + MIDNIGHT_MS - (times.at(-1) ?? 0)).toBeLessThan(10 * MINUTE_MS);
  }
});

test('nine times the subscribers make three times the polls', () => {
  const polls = live([aDemand('feed:All', { subscribers: 9 }), aDemand('feed:Home'), aDemand('feed:Tools')], {
    limit: 400,
  });
  const ratio = (polls.get('feed:All')?.length ?? 0) / (polls.get('feed:Home')?.length ?? 0);
  expect(ratio).toBeGreaterThan(2.2);
  expect(ratio).toBeLessThan(3.3);
});

test('a moment that was learned from the first sight alone is polled right after', () => {
  const momentMs = MIDNIGHT_MS + 5 * HOUR_MS;
  const polls = live(FEEDS.map((feed) => aDemand(feed, { learned: learnedAt(5 * HOUR_MS, 50) })));
  for (const times of polls.values()) expect(firstFrom(times, momentMs + 1) - momentMs).toBeLessThanOrEqual(MINUTE_MS);
});

test('after the first poll of a burst the next one is soon', () => {
  const momentMs = MIDNIGHT_MS + 5 * HOUR_MS;
  const polls = live(
    [...FEEDS, 'feed:Shirts' as const].map((feed) => aDemand(feed, { learned: learnedAt(5 * HOUR_MS, 50) })),
  );
  for (const times of polls.values()) {
    const soon = times.filter((atMs) => atMs > momentMs && atMs <= momentMs + 5 * MINUTE_MS);
    expect(soon.length).toBeGreaterThanOrEqual(2);
  }
});

test('a moment that moves by an hour is met within minutes on that day, and right after on the next', () => {
  const moments = Array.from({ length: 4 }, (_, day) => MIDNIGHT_MS + day * DAY_MS + (day < 2 ? 5 : 6) * HOUR_MS);
  const bursts = moments.flatMap((ms) => Array.from({ length: 50 }, () => ms));
  const polls = live([aDemand('feed:Home'), aDemand('feed:Tools')], {
    limit: 400,
    untilMs: MIDNIGHT_MS + 4 * DAY_MS,
    arrivals: { 'feed:Home': bursts },
  });
  const delays = moments.map((ms) => firstFrom(polls.get('feed:Home'), ms) - ms);
  const [, learned, moved, relearned] = delays;
  expect(moved).toBeLessThanOrEqual(5 * MINUTE_MS);
  for (const delayMs of [learned, relearned]) expect(delayMs).toBeLessThanOrEqual(MINUTE_MS);
});

test('every resource is polled at least every two even shares, whatever was learned of the others', () => {
  const loud = aDemand('feed:All', { subscribers: 100_000, learned: learnedAt(12 * HOUR_MS, 5_000) });
  const polls = live([loud, ...(['feed:Home', 'feed:Tools', 'feed:Sports'] as const).map((feed) => aDemand(feed))]);
  const evenMs = (DAY_MS * 4) / 800;
  for (const times of polls.values()) expect(Math.max(...gaps(times))).toBeLessThanOrEqual(2 * evenMs + TICK_MS);
});

const subscriberCounts = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 12 });
const learnedTimes = fc.option(
  fc
    .record({ timeOfDayMs: fc.integer({ min: 0, max: DAY_MS - 1 }), things: fc.integer({ min: 1, max: 300 }) })
    .map(({ timeOfDayMs, things }) => learnedAt(timeOfDayMs, things)),
  { nil: undefined },
);

test('polling never plans with more than there is, and never polls a resource too soon', () => {
  fc.assert(
    fc.property(
      subscriberCounts,
      learnedTimes,
      fc.integer({ min: 1, max: 3_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: DAY_MS / TICK_MS - 1 }),
      fc.integer({ min: 0, max: 2 ** 31 }),
      (subscribers, learned, limit, spentShare, tick, seed) => {
        const random = seededRandom(seed);
        const fromMs = MIDNIGHT_MS + tick * TICK_MS;
        const demands = subscribers.map((many, index) =>
          aDemand(`feed:${index}`, { subscribers: many, learned, isUrgent: random() < 0.1 }),
        );
        const polls = live(demands, {
          fromMs,
          untilMs: Math.min(fromMs + 3 * HOUR_MS, MIDNIGHT_MS + DAY_MS),
          tickMs: MINUTE_MS,
          limit,
          spent: Math.floor(limit * spentShare),
          people: () => (random() < 0.02 ? Math.floor(random() * 10) : 0),
          watch: (due, spent) => expect(due.length).toBeLessThanOrEqual(Math.max(0, 0.8 * (limit - spent))),
        });
        for (const times of polls.values()) {
          if (times.length > 1) expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(MIN_INTERVAL_MS);
        }
      },
    ),
    { seed: 20261006, numRuns: sampleSize(20, 5) },
  );
});

test('while half of the polls fail after three tries each, the rest of the day is still polled', () => {
  let number = 0;
  const cost = () => {
    number += 1;
    return number % 2 === 0 ? 3 : 1;
  };
  const polls = live(
    FEEDS.map((feed) => aDemand(feed)),
    { cost, watch: (_, spent) => expect(spent).toBeLessThanOrEqual(905) },
  );
  for (const times of polls.values()) expect(Math.max(...gaps(times))).toBeLessThan(90 * MINUTE_MS);
});

test('people who spend a lot slow polling down, and it goes on all day', () => {
  const people = (nowMs: number) => (nowMs === MIDNIGHT_MS + 12 * HOUR_MS ? 400 : 0);
  const polls = live(
    FEEDS.map((feed) => aDemand(feed)),
    { people, watch: (_, spent) => expect(spent).toBeLessThanOrEqual(904) },
  );
  for (const times of polls.values()) {
    const morning = times.filter((ms) => ms < MIDNIGHT_MS + 12 * HOUR_MS);
    expect(morning.length).toBeGreaterThan(2 * (times.length - morning.length));
    expect(times.at(-1)).toBeGreaterThan(MIDNIGHT_MS + 23 * HOUR_MS);
  }
});

test('with much left and the reset near, polling is as fast as it may be', () => {
  const polls = live([aDemand('feed:All')], { fromMs: MIDNIGHT_MS + 23 * HOUR_MS, untilMs: MIDNIGHT_MS + DAY_MS });
  expect(new Set(gaps(polls.get('feed:All') ?? []))).toEqual(new Set([MIN_INTERVAL_MS]));
});

test('the plan tells what then happens', () => {
  const nowMs = MIDNIGHT_MS + 20 * HOUR_MS;
  const spent = 700;
  const demands = FEEDS.map((feed, index) =>
    aDemand(feed, {
      subscribers: index + 1,
      lastPolledMs: nowMs - 5 * MINUTE_MS,
      learned: learnedAt(21 * HOUR_MS, 20),
    }),
  );
  const { resources, interfaces } = planner.plan(demands, quotasAt(nowMs, spent), nowMs);
  const polls = live(demands, { fromMs: nowMs, untilMs: MIDNIGHT_MS + DAY_MS, spent });
  expect(interfaces.portal.plannedPolls).toBeLessThanOrEqual(200);
  for (const [feed, times] of polls) {
    const plan = resources.get(feed);
    const firstMs = times[0] ?? Infinity;
    expect(Math.abs(firstMs - (plan?.nextPollMs ?? 0))).toBeLessThanOrEqual(2 * TICK_MS);
    expect(Math.max(...gaps(times))).toBeLessThanOrEqual((plan?.worstDelayMs ?? 0) + 2 * TICK_MS);
    expect(times.length).toBeGreaterThanOrEqual((plan?.polls ?? Infinity) * 0.9);
    expect(plan?.expectedDelayMs).toBeLessThan((plan?.worstDelayMs ?? 0) / 2);
  }
});

test('what is said late in the day of the longest wait holds into the next', () => {
  const nowMs = MIDNIGHT_MS + 23.5 * HOUR_MS;
  const spent = 840;
  const lastPolledMs = nowMs - 5 * MINUTE_MS;
  const demands = FEEDS.map((feed) => aDemand(feed, { lastPolledMs, learned: learnedAt(21 * HOUR_MS, 200) }));
  const { resources } = planner.plan(demands, quotasAt(nowMs, spent), nowMs);
  const polls = live(demands, { fromMs: nowMs, untilMs: MIDNIGHT_MS + 1.25 * DAY_MS, spent });
  for (const [feed, times] of polls) {
    const worstMs = resources.get(feed)?.worstDelayMs ?? 0;
    expect(Math.max(...gaps([lastPolledMs, ...times]))).toBeLessThanOrEqual(worstMs + TICK_MS);
    expect(worstMs).toBeLessThan(20 * MINUTE_MS);
  }
});

test('with more requests than minutes everything is polled alike', () => {
  const polls = live([aDemand('events', { subscribers: 50 }), aDemand('dealcasts', { learned: learnedAt(0, 100) })], {
    limit: 1_000_000,
    untilMs: MIDNIGHT_MS + HOUR_MS,
  });
  for (const times of polls.values()) expect(new Set(gaps(times))).toEqual(new Set([MIN_INTERVAL_MS]));
});
