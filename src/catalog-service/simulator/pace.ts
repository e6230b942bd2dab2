import type { Random } from '../random.ts';
import { centralDay, centralMidnightMs } from './calendar.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * How fast a simulated store lives. Time is cut into spans (a day, a minute), and what happens in a span follows from
 * the seed and the span's number alone.
 */
export interface Pace {
  spanOf(ms: number): number;
  spanStartMs(span: number): number;
  /** Share of the arrivals by feed, in the order of CATEGORIES. */
  shares: readonly number[];
  /** How long an average offer is to be seen, in spans: with it follows how many must arrive to have so many live. */
  meanLife: number;
  /** Longest life, in spans. */
  maxLife: number;
  /** When the arrival with that number, out of `count` in the span, starts. */
  startMs(span: number, index: number, count: number, random: Random): number;
  endMs(span: number, startMs: number, random: Random): number;
  /** Most time that a sold-out offer stays in its feeds. */
  lingerMs: number;
  /** Lengths in spans. */
  daily: number;
  dealPlus: number;
  ghost: number;
  moofi: number;
  reckoning: number;
  /** A deal-off begins every so many spans. */
  dealOffEvery: number;
  dealOffMs: number;
  /** One offer of a deal-off. */
  dealOffOfferMs: number;
  dealcast: number;
  poll: number;
  monkeychat: number;
}

/** A living store: bursts at midnight US Central, a trickle in the afternoon, lives of 3 to 31 days. */
const STORE_PACE: Pace = {
  spanOf: centralDay,
  spanStartMs: centralMidnightMs,
  shares: [0.072, 0.072, 0.375, 0.335, 0.08, 0.064, 0.002],
  meanLife: 10.9,
  maxLife: 31,
  startMs(day, _index, _count, random) {
    const midnightMs = centralMidnightMs(day);
    if (random.chance(0.9)) return midnightMs;
    // Few moments in the afternoon bring several offers each, so that hours go by without a new one.
    return midnightMs + random.pick([9, 13, 16]) * HOUR_MS + random.int(0, 3) * 7 * MINUTE_MS;
  },
  endMs(day, _startMs, random) {
    const life = 3 + Math.floor(29 * random.next() ** 2);
    return centralMidnightMs(day + life) - (random.chance(0.6) ? MINUTE_MS : 0);
  },
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

/**
 * A store to watch: an offer every eight seconds, two in five of them in Electronics, where with prices that fall and
 * what is back in stock something happens about every ten seconds; all of it is over within an hour.
 */
const DEMO_PACE: Pace = {
  spanOf: (ms) => Math.floor(ms / MINUTE_MS),
  spanStartMs: (minute) => minute * MINUTE_MS,
  shares: [0.25, 0.15, 0.2, 0.13, 0.11, 0.1, 0.06],
  meanLife: 42,
  maxLife: 61,
  startMs: (minute, index, count, random) =>
    minute * MINUTE_MS + Math.floor(((index + random.next()) / count) * MINUTE_MS),
  endMs: (_minute, startMs, random) => startMs + random.int(24 * MINUTE_MS, 60 * MINUTE_MS),
  lingerMs: 4 * MINUTE_MS,
  daily: 3,
  dealPlus: 4,
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
