import { FEED_NAMES, type FeedName } from '../packages/catalog-service/src/index.ts';
import { learn } from '../src/announcements/poll/arrivals.ts';
import { Planner, type PollDemand } from '../src/announcements/poll/planner.ts';
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
/** Ticks are between the quarters of a minute: no poll is at the very moment of an arrival by luck. */
const TICK_PHASE_MS = 7 * SECOND_MS;
const MIN_INTERVAL_MS = 60 * SECOND_MS;

/** Every feed as often as the day's requests allow. */
const CRON_MS = (DAY_MS * FEED_NAMES.length) / QUOTA;
/** A cron that starts with the program has any phase. */
const PHASES = 48;

/** Subscriptions by feed. */
type Subscribers = (feed: FeedName) => number;

interface Scenario {
  name: string;
  /** The trait that sets the scenario apart. */
  about: string;
  /** The measured week begins here, and a week to learn comes before. */
  startMs: number;
  subscribers: Subscribers;
  /** The trickle comes at moments that never repeat. */
  isTrickleRandom?: true;
}

const SKEWED: Readonly<Partial<Record<FeedName, number>>> = { Electronics: 100, Computers: 60, Home: 10, DealOff: 5 };

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'every feed subscribed once',
    about: 'Every feed has one subscription.',
    startMs: Date.UTC(2026, 8, 14),
    subscribers: () => 1,
  },
  {
    name: 'some feeds wanted more',
    about: 'Electronics has 100 subscriptions, Computers 60, Home 10, DealOff 5 and the others 1 each.',
    startMs: Date.UTC(2026, 8, 14),
    subscribers: (feed) => SKEWED[feed] ?? 1,
  },
  {
    name: 'daylight saving ends',
    about: 'Every feed has one subscription; in the measured week the store’s clock goes back by an hour.',
    startMs: Date.UTC(2026, 9, 29),
    subscribers: () => 1,
  },
  {
    name: 'a trickle at random moments',
    about:
      'Every feed has one subscription, and unlike in the simulator what comes in the afternoon comes at moments that never repeat.',
    startMs: Date.UTC(2026, 8, 14),
    subscribers: () => 1,
    isTrickleRandom: true,
  },
];

/** The moments at which a feed was polled, in order. */
type Polls = ReadonlyMap<FeedName, readonly number[]>;

interface Sample {
  delayMs: number;
  /** It was gone before any poll: its whole life is its delay. */
  isMissed: boolean;
  /** The number of arrivals that have this delay. */
  weight: number;
}

/** The arrivals of a feed, the earliest first. */
type ByFeed = ReadonlyMap<FeedName, readonly Arrival[]>;

function byFeed(arrivals: readonly Arrival[]): ByFeed {
  return new Map(FEED_NAMES.map((feed) => [feed, arrivals.filter(({ feeds }) => feeds.includes(feed))]));
}

/** The arrivals after `sinceMs` that a poll of the feed brings: the newest come first, and the rest is cut off. */
function newIn(all: readonly Arrival[], sinceMs: number, nowMs: number): Arrival[] {
  return all
    .slice(firstAfter(all, sinceMs), firstAfter(all, nowMs))
    .filter(({ goneMs }) => goneMs > nowMs)
    .slice(-CUT_OFF);
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
  const planner = new Planner(MIN_INTERVAL_MS);
  const polls = new Map<FeedName, number[]>(FEED_NAMES.map((feed) => [feed, []]));
  const demands = new Map<FeedName, PollDemand>();
  for (const feed of FEED_NAMES) {
    const wanted = {
      subscribers: subscribers(feed),
      lastPolledMs: null,
      isUrgent: false,
      isDoubtful: false,
      learned: undefined,
    };
    demands.set(feed, { resource: `feed:${feed}`, ...wanted });
  }
  let spent = 0;
  let busiestDay = 0;
  let resetsAtMs = 0;
  for (let nowMs = startMs - WEEK_MS + TICK_PHASE_MS; nowMs < startMs + WEEK_MS; nowMs += TICK_MS) {
    if (nowMs >= resetsAtMs) {
      spent = 0;
      resetsAtMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
    }
    const portal = { limit: QUOTA, spent, resetsAtMs };
    const due = planner.due([...demands.values()], { portal, v2: portal }, nowMs);
    for (const [feed, demand] of demands) {
      if (!due.includes(demand.resource)) continue;
      const found = newIn(feeds.get(feed) ?? [], demand.lastPolledMs ?? -Infinity, nowMs);
      const learned = learn(demand.learned, {
        polledAtMs: nowMs,
        previousPolledAtMs: demand.lastPolledMs,
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

/** The time that an arrival waits for a poll of the feed. */
function sampleIn(arrival: Arrival, polls: readonly number[], weight: number): Sample {
  const { liveMs, goneMs } = arrival;
  let [low, high] = [0, polls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((polls[middle] ?? Infinity) >= liveMs) high = middle;
    else low = middle + 1;
  }
  const seenMs = polls[low] ?? Infinity;
  return { delayMs: Math.min(goneMs, seenMs) - liveMs, isMissed: seenMs >= goneMs, weight };
}

/** The delay of each offer in the first feed that shows it, or of each announcement in the subscribed feed. */
function samplesOf(
  arrivals: readonly Arrival[],
  polls: Polls,
  { startMs, subscribers }: Scenario,
  what: 'offers' | 'announcements',
): Sample[] {
  // The bot might find arrivals of the last hour only after the end.
  const measured = arrivals.filter(({ liveMs }) => liveMs >= startMs && liveMs < startMs + WEEK_MS - 60 * MINUTE_MS);
  return measured.flatMap((arrival) => {
    const samples = arrival.feeds.map((feed) => sampleIn(arrival, polls.get(feed) ?? [], subscribers(feed)));
    if (what === 'announcements') return samples;
    const delayMs = Math.min(...samples.map((sample) => sample.delayMs));
    return [{ delayMs, isMissed: samples.every(({ isMissed }) => isMissed), weight: 1 }];
  });
}

interface Delays {
  mean: number;
  median: number;
  p95: number;
  worst: number;
  /** The share of arrivals that no poll saw. */
  missed: number;
}

function delaysOf(samples: readonly Sample[]): Delays {
  const sorted = samples.toSorted((one, other) => one.delayMs - other.delayMs);
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const at = (share: number) => {
    let left = share * total;
    const found = sorted.find(({ weight }) => {
      left -= weight;
      return left <= 0;
    });
    return found?.delayMs ?? Number.NaN;
  };
  return {
    mean: sorted.reduce((sum, { delayMs, weight }) => sum + delayMs * weight, 0) / total,
    median: at(0.5),
    p95: at(0.95),
    worst: sorted.at(-1)?.delayMs ?? Number.NaN,
    missed: sorted.reduce((sum, { isMissed, weight }) => sum + (isMissed ? weight : 0), 0) / total,
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
  const planned = livePlanned(feeds, scenario);
  const fixed = Array.from({ length: PHASES }, (_, phase) =>
    fixedPolls(CRON_MS, startMs - (phase * CRON_MS) / PHASES, scenario),
  );
  const onTheHour = fixedPolls(20 * MINUTE_MS, startMs, scenario);
  const outcomes = (['offers', 'announcements'] as const).map((what) => {
    const outcomeOf = (polls: readonly Polls[]) =>
      delaysOf(polls.flatMap((one) => samplesOf(arrivals, one, scenario, what)));
    return { what, ours: outcomeOf([planned.polls]), cron: outcomeOf(fixed), lucky: outcomeOf([onTheHour]) };
  });
  const none = { mean: 0, median: 0, p95: 0, worst: 0, missed: 0 };
  return {
    title: `Detection: ${scenario.name}`,
    how: `\`npm run bench -- detection\`. ${scenario.about} ${HOW}`,
    head: ['from live to detected, min:s', 'mean', 'median', 'p95', 'worst', 'missed', 'most requests in a day'],
    rows: [
      ...outcomes.flatMap(({ what, ours, cron, lucky }) => [
        rowOf(`${what}, the planner`, ours, planned.busiestDay),
        rowOf(`${what}, fixed cron`, cron, QUOTA),
        rowOf(`${what}, fixed cron at :00, :20 and :40`, lucky, (DAY_MS / (20 * MINUTE_MS)) * FEED_NAMES.length),
      ]),
      rowOf('either, perfect knowledge', none, requestsOfTheKnowing(feeds, scenario)),
    ],
    claims: outcomes.map(({ what, ours, cron }) => ({
      promise: `Mean delay of ${what} at most half of what the fixed cron gets`,
      measured: `${(ours.mean / cron.mean).toFixed(2)} times`,
      isKept: ours.mean <= cron.mean / 2,
    })),
  };
}

/** This text describes every scenario. */
const HOW = `The simulator's store (12,400 offers, 11 feeds, cut off at 5,000) on a simulated clock: a week to learn from, then a week that is measured; ${formatCount(QUOTA)} requests a day. The planner looks every 15 s, never at a whole minute, and leaves the day's last tenth to people. The fixed cron polls all feeds every 15.84 min and spends everything, here on average over ${PHASES} moments to start at; polling at the whole hour, where this store's moments lie, is luck, and shown beside. An offer counts from the moment it is live to the first poll of any feed that holds it; an announcement, to the first poll of the feed that is subscribed, as often as it is subscribed. Perfect knowledge polls each feed at the very moment of each arrival, for which the day has more than enough requests: that is the lower bound.`;

function rowOf(name: string, { mean, median, p95, worst, missed }: Delays, requests: number): string[] {
  const share = missed === 0 ? '0' : `${(missed * 100).toFixed(2)} %`;
  return [name, ...[mean, median, p95, worst].map(formatDelay), share, formatCount(requests)];
}

function formatDelay(ms: number): string {
  const seconds = Math.round(ms / SECOND_MS);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The planner's cost at each tick of a day, in milliseconds of processor time. */
function tickCosts(resources: number): number[] {
  const random = seededRandom(20261006);
  const startMs = Date.UTC(2026, 9, 6);
  const planner = new Planner(MIN_INTERVAL_MS);
  const startedAtMs = () => Array.from({ length: 500 }, () => startMs - Math.floor(random() * WEEK_MS));
  const demands: PollDemand[] = Array.from({ length: resources }, (_, index) => ({
    resource: `feed:${index}`,
    subscribers: index + 1,
    lastPolledMs: null,
    isUrgent: false,
    isDoubtful: false,
    learned: learn(undefined, { polledAtMs: startMs, previousPolledAtMs: null, startedAtMs: startedAtMs() }),
  }));
  let spent = 0;
  const costs: number[] = [];
  for (let nowMs = startMs; nowMs < startMs + DAY_MS; nowMs += TICK_MS) {
    const portal = { limit: QUOTA, spent, resetsAtMs: startMs + DAY_MS };
    const before = process.cpuUsage();
    const due = planner.due(demands, { portal, v2: portal }, nowMs);
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1000);
    spent += due.length;
    demands.forEach((demand, index) => {
      if (!due.includes(demand.resource)) return;
      const observation = { polledAtMs: nowMs, previousPolledAtMs: demand.lastPolledMs, startedAtMs: [] };
      demands[index] = { ...demand, lastPolledMs: nowMs, learned: learn(demand.learned, observation) };
    });
  }
  return costs;
}

function tickSection(): Section {
  const resources = 30;
  // The first tick of a process is the first time that this code runs, once.
  const costs = tickCosts(resources)
    .slice(1)
    .toSorted((one, other) => one - other);
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  const at = (share: number) => costs[Math.floor(share * (costs.length - 1))] ?? Number.NaN;
  return {
    title: 'Planner: what a tick costs',
    how: `\`npm run bench -- detection\`. ${resources} resources, each with as many learned minutes as are kept, over a day of ${formatCount(costs.length)} ticks. Processor time, the garbage collector's included. A new pace is computed each minute and when requests were spent; other ticks compare with it.`,
    head: ['milliseconds a tick', 'mean', 'median', 'p95', 'p99', 'worst'],
    rows: [['what is due', ...[mean, at(0.5), at(0.95), at(0.99), at(1)].map((cost) => cost.toFixed(2))]],
    claims: [
      {
        promise: 'At most 1 ms, 95 times in 100',
        measured: `${at(0.95).toFixed(2)} ms`,
        isKept: at(0.95) <= 1,
      },
    ],
  };
}

export async function benchDetection(): Promise<Section[]> {
  return [...SCENARIOS.map(sectionOf), tickSection()];
}
