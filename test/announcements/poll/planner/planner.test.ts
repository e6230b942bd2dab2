import fc from 'fast-check';
import { expect, test } from 'vitest';
import { learn } from '../../../../src/announcements/poll/planner/learn.ts';
import { createPlanner, type PollDemand } from '../../../../src/announcements/poll/planner/planner.ts';
import type { ResourceKey } from '../../../../src/deals/subscription.ts';
import { placeOfPerson } from '../../../../src/deals/watch.ts';
import { weightOf } from '../../../../src/store/subscriptions.ts';
import { aDemand, learnedAt, MIDNIGHT_MS, quotasAt } from '../../../helpers/poll-demands.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const TICK_MS = 15 * SECOND_MS;
const MIN_INTERVAL_MS = MINUTE_MS;

const planner = createPlanner({ minIntervalMs: MIN_INTERVAL_MS });

const FEEDS = ['feed:All', 'feed:Home', 'feed:Tools', 'feed:Sports'] as const;

const subscriberCounts = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 12 });
const learnedTimes = fc.option(
  fc
    .record({ timeOfDayMs: fc.integer({ min: 0, max: DAY_MS - 1 }), things: fc.integer({ min: 1, max: 300 }) })
    .map(({ timeOfDayMs, things }) => learnedAt(timeOfDayMs, things)),
  { nil: undefined },
);

test('of two alike, the one with more subscribers is polled no less often, and no later', () => {
  fc.assert(
    fc.property(subscriberCounts, learnedTimes, fc.integer({ min: 0, max: 900 }), (subscribers, learned, spent) => {
      const nowMs = MIDNIGHT_MS + 3 * HOUR_MS;
      const lastPolledMs = nowMs - 10 * MINUTE_MS;
      const demands = subscribers.map((many, index) =>
        aDemand(`feed:${index}`, { subscribers: many, learned, lastPolledMs }),
      );
      const { resources } = planner.plan(demands, quotasAt(nowMs, spent), nowMs);
      const plans = demands
        .toSorted((one, other) => one.subscribers - other.subscribers)
        .map(({ resource }) => resources.get(resource));
      plans.slice(1).forEach((plan, index) => {
        expect(plan?.polls).toBeGreaterThanOrEqual(plans[index]?.polls ?? Infinity);
        expect(plan?.nextPollMs ?? Infinity).toBeLessThanOrEqual(plans[index]?.nextPollMs ?? Infinity);
      });
    }),
    { seed: 20261006, numRuns: 100 },
  );
});

test('once the requests are spent nothing is due until they return', () => {
  const demands = FEEDS.map((feed) => aDemand(feed, { isUrgent: true }));
  const lastTickMs = MIDNIGHT_MS + DAY_MS - TICK_MS;
  expect(planner.due(demands, quotasAt(lastTickMs, 1000), lastTickMs)).toEqual([]);
  const plan = planner.plan(demands, quotasAt(lastTickMs, 1000), lastTickMs);
  expect(plan.interfaces.portal).toEqual({ plannedPolls: 0, projectedEndMs: lastTickMs });
  expect(plan.resources.get('feed:All')).toMatchObject({ nextPollMs: null, polls: 0 });
  const nextDayMs = MIDNIGHT_MS + DAY_MS;
  expect(planner.due(demands, quotasAt(nextDayMs, 0), nextDayMs)).toEqual([...FEEDS]);
});

test('what only people may spend is not planned with', () => {
  expect(planner.due([aDemand('feed:All')], quotasAt(MIDNIGHT_MS, 899), MIDNIGHT_MS)).toEqual(['feed:All']);
  expect(planner.due([aDemand('feed:All')], quotasAt(MIDNIGHT_MS, 900), MIDNIGHT_MS)).toEqual([]);
});

test('where somebody waits, the least time between two polls is enough', () => {
  const waiting = aDemand('feed:Home', { lastPolledMs: MIDNIGHT_MS, isUrgent: true });
  const others = FEEDS.map((feed) => ({ ...waiting, resource: feed, isUrgent: feed === 'feed:Home' }));
  const dueAfter = (ms: number) => planner.due(others, quotasAt(MIDNIGHT_MS, 100), MIDNIGHT_MS + ms);
  expect(dueAfter(MIN_INTERVAL_MS - 1)).toEqual([]);
  expect(dueAfter(MIN_INTERVAL_MS)).toEqual(['feed:Home']);
});

test('where few requests are left, those go first that are worth the most', () => {
  const demands = FEEDS.map((feed, index) =>
    aDemand(feed, { subscribers: 10 ** index, lastPolledMs: MIDNIGHT_MS - 10 * DAY_MS }),
  );
  expect(planner.due(demands, quotasAt(MIDNIGHT_MS, 17, 40), MIDNIGHT_MS)).toEqual([
    'feed:Sports',
    'feed:Tools',
    'feed:Home',
  ]);
});

test('each interface has its own requests', () => {
  const demands = [aDemand('feed:All'), aDemand('events'), aDemand('dealcasts')];
  const spentPortal = { ...quotasAt(MIDNIGHT_MS, 0), portal: quotasAt(MIDNIGHT_MS, 1000).portal };
  expect(planner.due(demands, spentPortal, MIDNIGHT_MS)).toEqual(['events', 'dealcasts']);
  const { interfaces } = planner.plan(demands, spentPortal, MIDNIGHT_MS);
  expect(interfaces.portal.plannedPolls).toBe(0);
  expect(interfaces.v2.plannedPolls).toBeGreaterThan(700);
});

test('a restart changes no plan: all that it follows from is stored', () => {
  fc.assert(
    fc.property(subscriberCounts, learnedTimes, fc.integer({ min: 0, max: 900 }), (subscribers, learned, spent) => {
      const nowMs = MIDNIGHT_MS + 4 * HOUR_MS + 59 * MINUTE_MS;
      const demands = subscribers.map((many, index) =>
        aDemand(`feed:${index}`, { subscribers: many, learned, lastPolledMs: nowMs - index * MINUTE_MS }),
      );
      const stored = JSON.parse(JSON.stringify(demands)) as PollDemand[];
      const restarted = createPlanner({ minIntervalMs: MIN_INTERVAL_MS });
      expect(restarted.plan(stored, quotasAt(nowMs, spent), nowMs)).toEqual(
        planner.plan(demands, quotasAt(nowMs, spent), nowMs),
      );
      const laterMs = nowMs + 75 * SECOND_MS;
      expect(restarted.due(stored, quotasAt(laterMs, spent), laterMs)).toEqual(
        createPlanner({ minIntervalMs: MIN_INTERVAL_MS }).due(demands, quotasAt(laterMs, spent), laterMs),
      );
    }),
    { seed: 20261006, numRuns: 60 },
  );
});

test('the requests are projected to run out where the day so far spends more than the day has', () => {
  const noonMs = MIDNIGHT_MS + 12 * HOUR_MS;
  const endOf = (spent: number) => planner.plan([], quotasAt(noonMs, spent), noonMs).interfaces.portal.projectedEndMs;
  expect(endOf(0)).toBeNull();
  expect(endOf(450)).toBeNull();
  expect(endOf(750)).toBe(noonMs + 4 * HOUR_MS);
});

const TEN_FEEDS = Array.from({ length: 10 }, (_, index): ResourceKey => `feed:${index}`);

const many = (count: number, guildId: string) => Array.from({ length: count }, () => ({ guildId }));

test('each server weighs 1, and 1 more for each doubling of its subscriptions', () => {
  expect(weightOf([])).toBe(0);
  expect(weightOf(many(1, 'a'))).toBe(1);
  expect(weightOf(many(2, 'a'))).toBe(2);
  expect(weightOf(many(8, 'a'))).toBe(4);
  expect(weightOf([...many(1, 'a'), ...many(1, 'b')])).toBe(2);
  expect(weightOf([...many(4, 'a'), ...many(2, 'b')])).toBe(5);
});

/** The time that new offers wait on average in all feeds but the first: minutes. */
function othersWaitMinutes(
  followers: readonly { guildId: string }[],
  weigh: (followers: readonly { guildId: string }[]) => number,
): number {
  const startedAtMs = Array.from({ length: 7 * 40 }, (_, index) => MIDNIGHT_MS - (index * DAY_MS) / 40);
  const learned = learn(undefined, { polledAtMs: MIDNIGHT_MS, previousPolledAtMs: null, startedAtMs });
  const demands = TEN_FEEDS.map((resource, index) => ({
    resource,
    subscribers: weigh(index === 0 ? followers : many(1, 'b')),
    lastPolledMs: MIDNIGHT_MS,
    isUrgent: false,
    isDoubtful: false,
    learned,
  }));
  const quota = { limit: 1_000, spent: 0, resetsAtMs: MIDNIGHT_MS + DAY_MS };
  const { resources } = createPlanner({ minIntervalMs: MINUTE_MS }).plan(
    demands,
    { portal: quota, v2: quota },
    MIDNIGHT_MS,
  );
  const waits = TEN_FEEDS.slice(1).map((feed) => resources.get(feed)?.expectedDelayMs ?? Infinity);
  return waits.reduce((sum, ms) => sum + ms, 0) / waits.length / MINUTE_MS;
}

test('one server with 3,000 subscriptions hardly shifts the polls of the others', () => {
  const before = othersWaitMinutes(many(1, 'b'), weightOf);
  const after = othersWaitMinutes([...many(1, 'b'), ...many(3_000, 'a')], weightOf);
  expect(after / before).toBeLessThan(1.4);
  // Counted one by one they would take most of the polls.
  const oneByOne = othersWaitMinutes([...many(1, 'b'), ...many(3_000, 'a')], ({ length }) => length);
  expect(oneByOne / before).toBeGreaterThan(1.7);
});

test('all people together weigh like one server', () => {
  const people = Array.from({ length: 8 }, (_, index) => ({ guildId: placeOfPerson(String(index)) }));
  expect(weightOf(people)).toBe(4);
  expect(weightOf([...people, ...many(1, 'a')])).toBe(5);
});

test('what is due comes in the order of its worth, and of its subscribers where that is alike', () => {
  const longAgoMs = MIDNIGHT_MS - 2 * DAY_MS;
  const demands = [
    aDemand('feed:0', { lastPolledMs: longAgoMs }),
    aDemand('feed:1', { subscribers: 2 }),
    aDemand('feed:2', { lastPolledMs: longAgoMs, subscribers: 9 }),
    aDemand('feed:3', { subscribers: 3 }),
    aDemand('feed:4', { lastPolledMs: MIDNIGHT_MS - MIN_INTERVAL_MS }),
  ];
  expect(planner.due(demands, quotasAt(MIDNIGHT_MS, 0), MIDNIGHT_MS)).toEqual(['feed:3', 'feed:1', 'feed:2', 'feed:0']);
});

test('of the requests that polling may spend, one in nine stays for unplanned ones', () => {
  const demands = Array.from({ length: 30 }, (_, index) => aDemand(`feed:${index}`));
  const dueAfter = (spent: number) => planner.due(demands, quotasAt(MIDNIGHT_MS, spent), MIDNIGHT_MS).length;
  // A tenth of the day's 1000 is for people alone.
  expect([882, 883, 891, 892, 898, 899].map(dueAfter)).toEqual([16, 16, 8, 8, 2, 1]);
});

test('where nothing may be polled any more, the wait is until the quota resets', () => {
  const nowMs = MIDNIGHT_MS + 20 * HOUR_MS;
  const demands = [aDemand('feed:All', { lastPolledMs: nowMs - HOUR_MS }), aDemand('feed:Home')];
  const { resources } = planner.plan(demands, quotasAt(nowMs, 1000), nowMs);
  const none = { nextPollMs: null, polls: 0 };
  expect(resources.get('feed:All')).toEqual({ ...none, worstDelayMs: 5 * HOUR_MS, expectedDelayMs: 2.5 * HOUR_MS });
  expect(resources.get('feed:Home')).toEqual({ ...none, worstDelayMs: 4 * HOUR_MS, expectedDelayMs: 2 * HOUR_MS });
});

test('an end of the requests is projected from the rate of the day, which counts as an hour old at least', () => {
  const endOf = (ms: number, spent: number) =>
    planner.plan([], quotasAt(MIDNIGHT_MS + ms, spent), MIDNIGHT_MS + ms).interfaces.v2.projectedEndMs;
  expect(endOf(MINUTE_MS, 20)).toBeNull();
  expect(endOf(MINUTE_MS, 500)).toBe(MIDNIGHT_MS + MINUTE_MS + HOUR_MS);
  expect(endOf(2 * HOUR_MS, 500)).toBe(MIDNIGHT_MS + 4 * HOUR_MS);
  expect(endOf(12 * HOUR_MS, 500)).toBeNull();
  expect(endOf(12 * HOUR_MS, 501)).not.toBeNull();
  for (const spent of [1000, 1200]) expect(endOf(12 * HOUR_MS, spent)).toBe(MIDNIGHT_MS + 12 * HOUR_MS);
});

test('a plan follows every change at once, though less than a minute has passed', () => {
  const nowMs = MIDNIGHT_MS + 4 * HOUR_MS;
  const before = [
    aDemand('feed:All', { lastPolledMs: nowMs - 20 * MINUTE_MS }),
    aDemand('feed:Home', { lastPolledMs: nowMs }),
  ];
  const changes: Partial<PollDemand>[] = [
    { resource: 'feed:Tools' },
    { subscribers: 50 },
    { lastPolledMs: nowMs - 3 * HOUR_MS },
    { isUrgent: true },
    { isDoubtful: true },
    { learned: learnedAt(4.5 * HOUR_MS, 300) },
  ];
  const used = createPlanner({ minIntervalMs: MIN_INTERVAL_MS });
  for (const change of changes) {
    used.plan(before, quotasAt(nowMs, 500), nowMs);
    const after = before.map((demand, index) => (index === 0 ? { ...demand, ...change } : demand));
    const fresh = createPlanner({ minIntervalMs: MIN_INTERVAL_MS }).plan(after, quotasAt(nowMs, 500), nowMs);
    expect(used.plan(after, quotasAt(nowMs, 500), nowMs), JSON.stringify(change)).toEqual(fresh);
  }
  used.plan(before, quotasAt(nowMs, 500), nowMs);
  for (const [spent, atMs] of [
    [800, nowMs],
    [500, nowMs + MINUTE_MS],
  ] as const) {
    const fresh = createPlanner({ minIntervalMs: MIN_INTERVAL_MS }).plan(before, quotasAt(atMs, spent), atMs);
    expect(used.plan(before, quotasAt(atMs, spent), atMs)).toEqual(fresh);
  }
});

test('what gets most of its things at this time of the day is polled sooner than what gets them at another', () => {
  const nowMs = MIDNIGHT_MS + 12 * HOUR_MS;
  const demands = [12, 4].map((hour) =>
    aDemand(`feed:${hour}`, { lastPolledMs: nowMs, learned: learnedAt(hour * HOUR_MS + 10 * MINUTE_MS, 100) }),
  );
  const { resources } = planner.plan(demands, quotasAt(nowMs, 800), nowMs);
  const [busy = Infinity, calm = 0] = [12, 4].map((hour) => resources.get(`feed:${hour}`)?.nextPollMs ?? undefined);
  expect(busy).toBeLessThan(nowMs + HOUR_MS);
  expect(calm).toBeGreaterThan(busy);
});

test.each([undefined, learnedAt(5 * HOUR_MS, 300)])(
  'with more requests than minutes an entity waits the least interval at most, and half of it on average',
  (learned) => {
    const demand = aDemand('feed:All', { lastPolledMs: MIDNIGHT_MS, learned });
    const { resources } = planner.plan([demand], quotasAt(MIDNIGHT_MS, 0, 1_000_000), MIDNIGHT_MS);
    const { worstDelayMs = 0, expectedDelayMs = 0 } = resources.get('feed:All') ?? {};
    expect(worstDelayMs).toBe(MIN_INTERVAL_MS);
    expect(expectedDelayMs / MIN_INTERVAL_MS).toBeCloseTo(0.5, 1);
  },
);

test('at the moment at which the requests return nothing is expected to wait', () => {
  const { resources } = planner.plan(
    [aDemand('feed:All', { lastPolledMs: MIDNIGHT_MS })],
    quotasAt(MIDNIGHT_MS - 1, 0),
    MIDNIGHT_MS,
  );
  expect(resources.get('feed:All')).toMatchObject({ nextPollMs: null, expectedDelayMs: 0, polls: 0 });
});
