import fc from 'fast-check';
import { expect, test } from 'vitest';
import { learn } from '../../../src/announcements/poll/arrivals.ts';
import { Planner, type PollDemand } from '../../../src/announcements/poll/planner.ts';
import { placeOfPerson } from '../../../src/deals/person.ts';
import type { ResourceKey } from '../../../src/deals/subscription.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { aDemand, learnedAt, MIDNIGHT_MS, quotasAt } from '../../helpers/poll-demands.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription } from '../../helpers/things.ts';

const SECOND_MS = 1000;
const TICK_MS = 15 * SECOND_MS;
const MIN_INTERVAL_MS = MINUTE_MS;

const planner = new Planner(MIN_INTERVAL_MS);

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
      const restarted = new Planner(MIN_INTERVAL_MS);
      expect(restarted.plan(stored, quotasAt(nowMs, spent), nowMs)).toEqual(
        planner.plan(demands, quotasAt(nowMs, spent), nowMs),
      );
      const laterMs = nowMs + 75 * SECOND_MS;
      expect(restarted.due(stored, quotasAt(laterMs, spent), laterMs)).toEqual(
        new Planner(MIN_INTERVAL_MS).due(demands, quotasAt(laterMs, spent), laterMs),
      );
    }),
    { seed: 20261006, numRuns: 60 },
  );
});

const TEN_FEEDS = Array.from({ length: 10 }, (_, index): ResourceKey => `feed:${index}`);

/** The weight of the followers of a feed, given the servers whose subscriptions they are. */
async function weightOf(...servers: string[]): Promise<number> {
  const store = await openStore(temporaryState());
  await store.commit((changes) => {
    for (const [index, guildId] of servers.entries()) {
      store.subscriptions.put(changes, aSubscription(`s${index}`, { guildId }));
    }
  });
  const weight = store.subscriptions.followers.of('feed:Home')?.weight() ?? 0;
  await store.close();
  return weight;
}

const many = (count: number, guildId: string): string[] => Array.from({ length: count }, () => guildId);

test('each server weighs 1, and 1 more for each doubling of its subscriptions', async () => {
  expect(await weightOf()).toBe(0);
  expect(await weightOf('a')).toBe(1);
  expect(await weightOf(...many(2, 'a'))).toBe(2);
  expect(await weightOf(...many(8, 'a'))).toBe(4);
  expect(await weightOf('a', 'b')).toBe(2);
  expect(await weightOf(...many(4, 'a'), ...many(2, 'b'))).toBe(5);
});

test('all people together weigh like one server', async () => {
  const people = Array.from({ length: 8 }, (_, index) => placeOfPerson(String(index)));
  expect(await weightOf(...people)).toBe(4);
  expect(await weightOf(...people, 'a')).toBe(5);
});

test('one server with 3,000 subscriptions hardly shifts the polls of the others', async () => {
  const startedAtMs = Array.from({ length: 7 * 40 }, (_, index) => MIDNIGHT_MS - (index * DAY_MS) / 40);
  const learned = learn(undefined, { polledAtMs: MIDNIGHT_MS, previousPolledAtMs: null, startedAtMs });
  /** The time that new offers wait on average in all feeds but the first. */
  const othersWaitMs = (weightOfFirst: number) => {
    const demands = TEN_FEEDS.map((resource, index) =>
      aDemand(resource, { subscribers: index === 0 ? weightOfFirst : 1, lastPolledMs: MIDNIGHT_MS, learned }),
    );
    const { resources } = planner.plan(demands, quotasAt(MIDNIGHT_MS, 0), MIDNIGHT_MS);
    const waits = TEN_FEEDS.slice(1).map((feed) => resources.get(feed)?.expectedDelayMs ?? Infinity);
    return waits.reduce((sum, ms) => sum + ms, 0) / waits.length;
  };
  const before = othersWaitMs(1);
  expect(othersWaitMs(await weightOf('b', ...many(3_000, 'a'))) / before).toBeLessThan(1.4);
  // Counted one by one they would take most of the polls.
  expect(othersWaitMs(3_001) / before).toBeGreaterThan(1.7);
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

test('requests are projected to run out where they would before they return, at the rate of a day that is at least an hour old', () => {
  const endOf = (atMs: number, spent: number, side: 'portal' | 'v2' = 'portal') =>
    planner.plan([], quotasAt(atMs, spent), atMs).interfaces[side].projectedEndMs;
  const noonMs = MIDNIGHT_MS + 12 * HOUR_MS;
  expect([endOf(noonMs, 0), endOf(noonMs, 500)]).toEqual([null, null]);
  expect(endOf(noonMs, 501)).toBeCloseTo(noonMs + (499 / 501) * 12 * HOUR_MS, -1);
  expect(endOf(noonMs, 750, 'v2')).toBe(noonMs + 4 * HOUR_MS);
  expect(endOf(noonMs, 999)).toBeCloseTo(noonMs + (12 * HOUR_MS) / 999, -1);
  for (const spent of [1000, 1200]) expect(endOf(noonMs, spent)).toBe(noonMs);
  const earlyMs = MIDNIGHT_MS + MINUTE_MS;
  expect(endOf(earlyMs, 40)).toBeNull();
  expect(endOf(earlyMs, 41)).toBeCloseTo(earlyMs + (959 / 41) * HOUR_MS, -1);
  expect(endOf(earlyMs, 500)).toBe(earlyMs + HOUR_MS);
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
  const used = new Planner(MIN_INTERVAL_MS);
  for (const change of changes) {
    used.plan(before, quotasAt(nowMs, 500), nowMs);
    const after = before.map((demand, index) => (index === 0 ? { ...demand, ...change } : demand));
    const fresh = new Planner(MIN_INTERVAL_MS).plan(after, quotasAt(nowMs, 500), nowMs);
    expect(used.plan(after, quotasAt(nowMs, 500), nowMs), JSON.stringify(change)).toEqual(fresh);
  }
  used.plan(before, quotasAt(nowMs, 500), nowMs);
  for (const [spent, atMs] of [
    [800, nowMs],
    [500, nowMs + MINUTE_MS],
  ] as const) {
    const fresh = new Planner(MIN_INTERVAL_MS).plan(before, quotasAt(atMs, spent), atMs);
    expect(used.plan(before, quotasAt(atMs, spent), atMs)).toEqual(fresh);
  }
});

test('a second look that is wanted late in the day changes the pace at once: one poll counts there', () => {
  const nowMs = MIDNIGHT_MS + 23 * HOUR_MS;
  const before = aDemand('feed:All', { lastPolledMs: nowMs });
  const doubtful = { ...before, isDoubtful: true };
  const used = new Planner(MIN_INTERVAL_MS);
  used.plan([before], quotasAt(nowMs, 881), nowMs);
  const fresh = new Planner(MIN_INTERVAL_MS).plan([doubtful], quotasAt(nowMs, 881), nowMs);
  expect(used.plan([doubtful], quotasAt(nowMs, 881), nowMs)).toEqual(fresh);
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

/** The time until the next poll of each of these, all polled just now: milliseconds. */
function waitsFor(demands: readonly PollDemand[], nowMs: number, spent: number, by = planner): number[] {
  const polled = demands.map((demand) => ({ ...demand, lastPolledMs: nowMs }));
  const { resources } = by.plan(polled, quotasAt(nowMs, spent), nowMs);
  return demands.map(({ resource }) => (resources.get(resource)?.nextPollMs ?? Infinity) - nowMs);
}

test.each([
  [1, 4, 2],
  [4, 9, 1.5],
])(
  'a poll comes when what is expected has waited so long for all its subscribers: %i and %i of them, %d times the wait',
  (few, more, times) => {
    // One thing a day, at any time alike: what arrives in x minutes waits x² ÷ 2880 minutes together.
    const demands = [few, more].map((subscribers) => aDemand(`feed:${subscribers}`, { subscribers }));
    const [fewWait = 0, moreWait = 0] = waitsFor(demands, MIDNIGHT_MS, 0);
    expect(moreWait / MINUTE_MS).toBeGreaterThan(1);
    expect(fewWait / moreWait).toBeCloseTo(times, 6);
  },
);

test('the plan counts the polls until the requests return, and what waits for each and after the last', () => {
  const demand = aDemand('feed:All', { lastPolledMs: MIDNIGHT_MS });
  const { resources } = planner.plan([demand], quotasAt(MIDNIGHT_MS, 0), MIDNIGHT_MS);
  const { polls, nextPollMs, expectedDelayMs } = resources.get('feed:All') ?? {};
  const interval = (Number(nextPollMs) - MIDNIGHT_MS) / MINUTE_MS;
  expect(polls).toBe(Math.ceil(1440 / interval) - 1);
  const rest = 1440 - Number(polls) * interval;
  expect(Number(expectedDelayMs) / MINUTE_MS).toBeCloseTo((Number(polls) * interval ** 2 + rest ** 2) / 2880, 6);
});

test('what was never polled, or is overdue, is planned for now', () => {
  const nowMs = MIDNIGHT_MS + 7;
  const demands = [aDemand('feed:All'), aDemand('feed:Home', { lastPolledMs: nowMs - 10 * HOUR_MS })];
  const { resources } = planner.plan(demands, quotasAt(nowMs, 0), nowMs);
  expect(demands.map(({ resource }) => resources.get(resource)?.nextPollMs)).toEqual([nowMs, nowMs]);
});

test('nothing is polled again before the least interval, however much is left', () => {
  const demand = aDemand('feed:All', { lastPolledMs: MIDNIGHT_MS });
  const dueAfter = (ms: number) => planner.due([demand], quotasAt(MIDNIGHT_MS, 0, 1_000_000), MIDNIGHT_MS + ms);
  expect([dueAfter(MIN_INTERVAL_MS - 1), dueAfter(MIN_INTERVAL_MS)]).toEqual([[], ['feed:All']]);
});

test('half of the requests keep all alike: what is hardly wanted is polled after two even shares, and no later', () => {
  const quiet = FEEDS.slice(1).map((feed) => aDemand(feed, { lastPolledMs: MIDNIGHT_MS }));
  const loud = aDemand('feed:All', { lastPolledMs: MIDNIGHT_MS, subscribers: 100_000 });
  const longestMs = (2 * DAY_MS * FEEDS.length) / 800;
  const { resources } = planner.plan([loud, ...quiet], quotasAt(MIDNIGHT_MS, 0), MIDNIGHT_MS);
  expect(resources.get('feed:Home')).toMatchObject({ nextPollMs: MIDNIGHT_MS + longestMs, worstDelayMs: longestMs });
  expect(resources.get('feed:All')?.nextPollMs).toBeLessThan(MIDNIGHT_MS + longestMs / 2);
  const dueAfter = (ms: number) => planner.due([loud, ...quiet], quotasAt(MIDNIGHT_MS, 0), MIDNIGHT_MS + ms);
  expect(dueAfter(longestMs - 1)).toEqual(['feed:All']);
  expect(dueAfter(longestMs).toSorted()).toEqual(FEEDS.toSorted());
});

test.each([
  [0, 800],
  [450, 400],
  [787, 101],
])(
  'with %i spent, the plan spends all of the %i requests that it may, but for the last step of its price',
  (spent, requests) => {
    const demands = [1, 10, 100].map((subscribers) =>
      aDemand(`feed:${subscribers}`, { subscribers, lastPolledMs: MIDNIGHT_MS }),
    );
    const { interfaces } = planner.plan(demands, quotasAt(MIDNIGHT_MS, spent), MIDNIGHT_MS);
    expect(interfaces.portal.plannedPolls).toBeLessThanOrEqual(requests);
    // The price grows by a sixteenth of a doubling, and the polls by half of that.
    expect(interfaces.portal.plannedPolls).toBeGreaterThan(requests / 2 ** (1 / 32) - demands.length);
  },
);

test('the plan may spend the last request', () => {
  const demands = [1, 4, 9].map((subscribers) =>
    aDemand(`feed:${subscribers}`, { subscribers, lastPolledMs: MIDNIGHT_MS }),
  );
  // 500 requests, of which 55 are for unplanned ones.
  const { interfaces } = planner.plan(demands, quotasAt(MIDNIGHT_MS, 400), MIDNIGHT_MS);
  expect(interfaces.portal.plannedPolls).toBe(445);
});

test('where others have spent much, the longest interval gives way so that the requests last', () => {
  const noonMs = MIDNIGHT_MS + 12 * HOUR_MS;
  const demands = [aDemand('feed:All'), aDemand('feed:Home')];
  const { resources } = planner.plan(demands, quotasAt(noonMs, 889), noonMs);
  // Of the 11 that polling may spend, one is for unplanned ones.
  expect(resources.get('feed:All')?.worstDelayMs).toBe((12 * HOUR_MS * 2) / 10);
});

test('a second look waits for its turn where the requests are short, and somebody who waits does not', () => {
  const noonMs = MIDNIGHT_MS + 12 * HOUR_MS;
  const waitMs = (changes: Partial<PollDemand>, spent: number) =>
    waitsFor([aDemand('feed:All', changes)], noonMs, spent)[0] ?? 0;
  // Half of a day's share for half of a day is as much as is promised: 200 of 800.
  expect(waitMs({ isDoubtful: true }, 676)).toBe(MIN_INTERVAL_MS);
  expect(waitMs({ isDoubtful: true }, 677)).toBe(waitMs({}, 677));
  expect(waitMs({}, 677)).toBeGreaterThan(2 * MIN_INTERVAL_MS);
  expect(waitMs({ isUrgent: true }, 677)).toBe(MIN_INTERVAL_MS);
  // It is not due any sooner than it is planned.
  const doubtful = aDemand('feed:All', { isDoubtful: true, lastPolledMs: noonMs });
  const dueWith = (spent: number) => planner.due([doubtful], quotasAt(noonMs, spent), noonMs + MIN_INTERVAL_MS);
  expect([dueWith(676), dueWith(677)]).toEqual([['feed:All'], []]);
});

test('with a request a minute for each or more, all are polled alike, whoever wants them', () => {
  const nowMs = MIDNIGHT_MS + 23 * HOUR_MS;
  const demands = [aDemand('feed:All'), aDemand('feed:Home', { subscribers: 100 })];
  const waits = (spent: number, minIntervalMs: number) => waitsFor(demands, nowMs, spent, new Planner(minIntervalMs));
  // 120 requests for 2 × 60 minutes, then one less.
  expect(waits(766, 1000)).toEqual([MINUTE_MS, MINUTE_MS]);
  const [one = 0, other = 0] = waits(767, 1000);
  expect(other).toBeLessThan(one);
  // 240 requests, and a least interval that needs half of them; 24 and one that needs them all.
  expect(waits(630, MINUTE_MS)).toEqual([MINUTE_MS, MINUTE_MS]);
  expect(waits(873, 5 * MINUTE_MS)).toEqual([5 * MINUTE_MS, 5 * MINUTE_MS]);
});
