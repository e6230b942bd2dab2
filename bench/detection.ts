import { learn } from '../src/announcements/planner/learn.ts';
import { createPlanner, type PollDemand } from '../src/announcements/planner/planner.ts';
import { FEED_NAMES, type FeedName } from '../src/catalog-service/content.ts';
import { seededRandom } from '../test/helpers/seeded-random.ts';
import { type Arrival, arrivalsBetween } from './arrivals.ts';
import { formatCount, type Section } from './measure.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;

const QUOTA = 1000;
const CUT_OFF = 5000;
const TICK_MS = 15 * SECOND_MS;
const MIN_INTERVAL_MS = 60 * SECOND_MS;

/** Every feed as often as the day's requests allow. */
const CRON_MS = (DAY_MS * FEED_NAMES.length) / QUOTA;
/** A cron that starts with the program has any phase. */
const PHASES = 48;

/** Subscriptions by feed. */
type Subscribers = (feed: FeedName) => number;

interface Scenario {
  name: string;
  /** The measured week begins here, and a week to learn comes before. */
  startMs: number;
  subscribers: Subscribers;
  /** The trickle comes at moments that never repeat. */
  isTrickleRandom?: true;
}

const SKEWED: Readonly<Partial<Record<FeedName, number>>> = { Electronics: 100, Computers: 60, Home: 10, DealOff: 5 };

const SCENARIOS: readonly Scenario[] = [
  { name: 'every feed subscribed once', startMs: Date.UTC(2026, 8, 14), subscribers: () => 1 },
  { name: 'skewed subscriptions', startMs: Date.UTC(2026, 8, 14), subscribers: (feed) => SKEWED[feed] ?? 1 },
  { name: 'daylight saving ends', startMs: Date.UTC(2026, 9, 29), subscribers: () => 1 },
  { name: 'trickle at random moments', startMs: Date.UTC(2026, 8, 14), subscribers: () => 1, isTrickleRandom: true },
];

/** When a feed was polled, in order. */
type Polls = ReadonlyMap<FeedName, readonly number[]>;

/** A delay, and how many it is the delay of. */
type Sample = readonly [delayMs: number, weight: number];

/** The arrivals of a feed, the earliest first. */
type ByFeed = ReadonlyMap<FeedName, readonly Arrival[]>;

function byFeed(arrivals: readonly Arrival[]): ByFeed {
  return new Map(FEED_NAMES.map((feed) => [feed, arrivals.filter(({ feeds }) => feeds.includes(feed))]));
}

/** What a poll of the feed brings that came after `sinceMs`: what is newest comes first, and the rest is cut off. */
function newIn(all: readonly Arrival[], sinceMs: number, nowMs: number): Arrival[] {
  const live = all
    .slice(firstAfter(all, sinceMs), firstAfter(all, nowMs))
    .filter(({ goneMs }) => goneMs > nowMs)
    .slice(-CUT_OFF);
  return live;
}

/** The place of the first that is live after that moment only. */
function firstAfter(all: readonly Arrival[], ms: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.liveMs ?? Infinity) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Two weeks by the planner. */
function livePlanned(feeds: ByFeed, { startMs, subscribers }: Scenario): { polls: Polls; busiestDay: number } {
  const planner = createPlanner({ minIntervalMs: MIN_INTERVAL_MS });
  const polls = new Map<FeedName, number[]>(FEED_NAMES.map((feed) => [feed, []]));
  const demands = new Map<string, PollDemand>(
    FEED_NAMES.map((feed) => [
      feed,
      {
        resource: `feed:${feed}`,
        subscribers: subscribers(feed),
        lastPolledMs: null,
        isUrgent: false,
        learned: undefined,
      },
    ]),
  );
  let spent = 0;
  let busiestDay = 0;
  for (let nowMs = startMs - WEEK_MS; nowMs < startMs + WEEK_MS; nowMs += TICK_MS) {
    if (nowMs % DAY_MS === 0) spent = 0;
    const portal = { limit: QUOTA, spent, resetsAtMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS };
    for (const resource of planner.due([...demands.values()], { portal, v2: portal }, nowMs)) {
      const feed = FEED_NAMES.find((name) => resource === `feed:${name}`) ?? 'All';
      const demand = demands.get(feed);
      if (!demand) continue;
      const before = demand.lastPolledMs;
      const found = newIn(feeds.get(feed) ?? [], before ?? -Infinity, nowMs);
      const learned = learn(demand.learned, {
        polledAtMs: nowMs,
        previousPolledAtMs: before,
        startedAtMs: found.map((arrival) => arrival.startMs),
      });
      demands.set(feed, { ...demand, lastPolledMs: nowMs, learned });
      polls.get(feed)?.push(nowMs);
      spent += 1;
    }
    busiestDay = Math.max(busiestDay, spent);
  }
  return { polls, busiestDay };
}

/** Polls of all feeds at once, all the time alike. */
function fixedPolls(everyMs: number, firstMs: number, { startMs }: Scenario): Polls {
  const times: number[] = [];
  for (let atMs = firstMs; atMs < startMs + WEEK_MS; atMs += everyMs) times.push(atMs);
  return new Map(FEED_NAMES.map((feed) => [feed, times]));
}

/** How long an arrival waits for a poll of the feed; as long as it lives where none comes in time. */
function delayIn(arrival: Arrival, polls: readonly number[]): number {
  const { liveMs, goneMs } = arrival;
  let [low, high] = [0, polls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((polls[middle] ?? Infinity) >= liveMs) high = middle;
    else low = middle + 1;
  }
  return Math.min(goneMs, polls[low] ?? Infinity) - liveMs;
}

/** The delay of each offer, to the first feed that tells of it; or of each announcement, to the feed that is subscribed. */
function delaysOf(
  arrivals: readonly Arrival[],
  polls: Polls,
  { startMs, subscribers }: Scenario,
  what: 'offers' | 'announcements',
): Sample[] {
  // What comes in the last hour might be found after the end.
  const measured = arrivals.filter(({ liveMs }) => liveMs >= startMs && liveMs < startMs + WEEK_MS - 60 * MINUTE_MS);
  return measured.flatMap((arrival) => {
    const delays = arrival.feeds.map((feed): Sample => [delayIn(arrival, polls.get(feed) ?? []), subscribers(feed)]);
    return what === 'announcements' ? delays : [[Math.min(...delays.map(([delayMs]) => delayMs)), 1] as const];
  });
}

interface Delays {
  mean: number;
  median: number;
  p95: number;
  worst: number;
}

function summary(samples: readonly Sample[]): Delays {
  const sorted = samples.toSorted(([one], [other]) => one - other);
  const total = sorted.reduce((sum, [, weight]) => sum + weight, 0);
  const at = (share: number) => {
    let left = share * total;
    return sorted.find(([, weight]) => {
      left -= weight;
      return left <= 0;
    })?.[0];
  };
  return {
    mean: sorted.reduce((sum, [delayMs, weight]) => sum + delayMs * weight, 0) / total,
    median: at(0.5) ?? Number.NaN,
    p95: at(0.95) ?? Number.NaN,
    worst: sorted.at(-1)?.[0] ?? Number.NaN,
  };
}

/** The most requests of a day that somebody needs who knows every arrival beforehand, and polls at that very moment. */
function requestsOfTheKnowing(feeds: ByFeed, { startMs }: Scenario): number {
  const perDay = new Map<number, number>();
  for (const arrivals of feeds.values()) {
    const moments = new Set(
      arrivals.map(({ liveMs }) => liveMs).filter((ms) => ms >= startMs && ms < startMs + WEEK_MS),
    );
    for (const moment of moments) {
      const day = Math.floor(moment / DAY_MS);
      perDay.set(day, (perDay.get(day) ?? 0) + 1);
    }
  }
  return Math.max(...perDay.values());
}

/** One in ten comes after midnight in the simulator's store, at few moments of the afternoon; here at any. */
function withRandomTrickle(arrivals: readonly Arrival[]): Arrival[] {
  const random = seededRandom(20260914);
  return arrivals
    .map((arrival) => {
      const isTrickle = (arrival.liveMs / (60 * MINUTE_MS)) % 24 > 6;
      const liveMs = arrival.startMs + Math.floor(random() * 8 * 60 * MINUTE_MS) - 4 * 60 * MINUTE_MS;
      return isTrickle && liveMs < arrival.goneMs ? { ...arrival, startMs: liveMs, liveMs } : arrival;
    })
    .sort((one, other) => one.liveMs - other.liveMs);
}

function sectionOf(scenario: Scenario): Section {
  const { startMs } = scenario;
  const simulated = arrivalsBetween(startMs - WEEK_MS, startMs + WEEK_MS);
  const arrivals = scenario.isTrickleRandom ? withRandomTrickle(simulated) : simulated;
  const feeds = byFeed(arrivals);
  const { polls, busiestDay } = livePlanned(feeds, scenario);
  const fixed = Array.from({ length: PHASES }, (_, phase) =>
    fixedPolls(CRON_MS, startMs - (phase * CRON_MS) / PHASES, scenario),
  );
  const onTheClock = fixedPolls(20 * MINUTE_MS, startMs, scenario);
  const rows: string[][] = [];
  const means = { planner: 0, fixed: 0 };
  for (const what of ['offers', 'announcements'] as const) {
    const ours = summary(delaysOf(arrivals, polls, scenario, what));
    const theirs = summary(fixed.flatMap((one) => delaysOf(arrivals, one, scenario, what)));
    const clock = summary(delaysOf(arrivals, onTheClock, scenario, what));
    rows.push(
      rowOf(`${what}: planner`, ours, busiestDay),
      rowOf(`${what}: cron, every 15.84 min`, theirs, QUOTA),
      rowOf(`${what}: cron, at :00, :20 and :40`, clock, 72 * FEED_NAMES.length),
    );
    if (what === 'offers') Object.assign(means, { planner: ours.mean, fixed: theirs.mean });
  }
  rows.push(
    rowOf('perfect knowledge', { mean: 0, median: 0, p95: 0, worst: 0 }, requestsOfTheKnowing(feeds, scenario)),
  );
  return {
    title: `Detection: ${scenario.name}`,
    how: '',
    head: ['from live to detected, min:s', 'mean', 'median', 'p95', 'worst', 'most requests in a day'],
    rows,
    claims: [
      {
        promise: 'Mean delay at most half of the fixed cron’s',
        measured: `${(means.planner / means.fixed).toFixed(2)} times`,
        isKept: means.planner <= means.fixed / 2,
      },
    ],
  };
}

function rowOf(name: string, { mean, median, p95, worst }: Delays, requests: number): string[] {
  return [name, ...[mean, median, p95, worst].map(formatDelay), formatCount(requests)];
}

function formatDelay(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export async function benchDetection(): Promise<Section[]> {
  return SCENARIOS.map(sectionOf);
}
