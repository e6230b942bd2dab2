import type { Random } from '../random.ts';
import { centralDay, centralMidnightMs } from './calendar.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The speed of a simulated store. Time is cut into spans (a day, a minute). The seed and the span's number alone
 * determine the events in a span.
 */
export interface Pace {
  spanOf(ms: number): number;
  spanStartMs(span: number): number;
  /** Share of the arrivals by feed, in the order of CATEGORIES. */
  shares: readonly number[];
  /** Whether every other arrival is one of Electronics, and only the rest follows the shares. */
  isEveryOtherElectronics: boolean;
  /**
   * Mean time that an offer is live, in spans. The number of arrivals is chosen by it to keep a given number of offers
   * live.
   */
  meanLife: number;
  /** The longest life of an offer, in spans. */
  maxLife: number;
  /** The time at which arrival number `index`, out of `count` in the span, starts. */
  startMs(span: number, index: number, count: number, random: Random): number;
  endMs(span: number, startMs: number, random: Random): number;
  /** Price drops come at whole multiples of this. */
  dropGridMs: number;
  /** Share of the offers whose price drops. */
  dropShare: number;
  /** The time between the starts of two offers of an event. */
  eventOfferEveryMs: number;
  /** The longest time that a sold-out offer stays in its feeds. */
  lingerMs: number;
  /** Lengths of the kinds of events, in spans. */
  daily: number;
  dealPlus: number;
  ghost: number;
  moofi: number;
  reckoning: number;
  /** A deal-off begins once in this many spans. */
  dealOffEvery: number;
  dealOffMs: number;
  /** The duration of one offer of a deal-off. */
  dealOffOfferMs: number;
  dealcast: number;
  poll: number;
  monkeychat: number;
}

/** The pace of a real store: bursts at midnight US Central, a trickle in the afternoon, lives of 3 to 31 days. */
const STORE_PACE: Pace = {
  spanOf: centralDay,
  spanStartMs: centralMidnightMs,
  shares: [0.072, 0.072, 0.375, 0.335, 0.08, 0.064, 0.002],
  isEveryOtherElectronics: false,
  meanLife: 10.9,
  maxLife: 31,
  startMs(day, _index, _count, random) {
    const midnightMs = centralMidnightMs(day);
    if (random.chance(0.9)) return midnightMs;
    // The afternoon has few start times with several offers each, so that hours go by without a new offer.
    return midnightMs + random.pick([9, 13, 16]) * HOUR_MS + random.int(0, 3) * 7 * MINUTE_MS;
  },
  endMs(day, _startMs, random) {
    const life = 3 + Math.floor(29 * random.next() ** 2);
    return centralMidnightMs(day + life) - (random.chance(0.6) ? MINUTE_MS : 0);
  },
  dropGridMs: 1,
  dropShare: 0.3,
  eventOfferEveryMs: 0,
  lingerMs: 30 * HOUR_MS,
  daily: 1,
  dealPlus: 5,
  ghost: 6,
  moofi: 4,
  reckoning: 7,
  dealOffEvery: 9,
  dealOffMs: 26 * HOUR_MS,
  dealOffOfferMs: 25 * MINUTE_MS,
  dealcast: 2,
  poll: 7,
  monkeychat: 3,
};

/** The time between two moments at which something happens in the demo's Electronics. */
const DEMO_BEAT_MS = 12_000;

/**
 * A pace for watching: an offer every six seconds where 300 are live, every other one in Electronics. So a channel that
 * follows that feed has news every twelve seconds; what else happens there happens at the same moments. Every offer ends
 * within an hour.
 */
const DEMO_PACE: Pace = {
  spanOf: (ms) => Math.floor(ms / MINUTE_MS),
  spanStartMs: (minute) => minute * MINUTE_MS,
  shares: [0, 0.2, 0.3, 0.18, 0.14, 0.12, 0.06],
  isEveryOtherElectronics: true,
  meanLife: 30,
  maxLife: 41,
  startMs: (minute, index, count) => minute * MINUTE_MS + Math.floor((index / count) * MINUTE_MS),
  endMs: (_minute, startMs, random) => startMs + random.int(20 * MINUTE_MS, 40 * MINUTE_MS),
  dropGridMs: DEMO_BEAT_MS,
  dropShare: 0.1,
  eventOfferEveryMs: DEMO_BEAT_MS,
  lingerMs: 4 * MINUTE_MS,
  daily: 3,
  dealPlus: 6,
  ghost: 7,
  moofi: 5,
  reckoning: 6,
  dealOffEvery: 5,
  dealOffMs: 2 * MINUTE_MS,
  dealOffOfferMs: 20_000,
  dealcast: 1,
  poll: 2,
  monkeychat: 2,
};

export const PACES = { store: STORE_PACE, demo: DEMO_PACE } as const;
export type PaceName = keyof typeof PACES;
