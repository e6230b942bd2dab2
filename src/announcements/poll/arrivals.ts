import { DAY_MINUTES } from '../../deals/time-of-day.ts';
import { ageMs } from '../../shared/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { LearnedTimes } from '../../store/catalog-records.ts';

/** The result of one successful poll, as far as it shows when entities arrive. */
export interface Observation {
  polledAtMs: number;
  /** The previous successful poll; null at the first sight. */
  previousPolledAtMs: number | null;
  /** The start that each new entity states: epoch milliseconds, null where it states none. */
  startedAtMs: readonly (number | null)[];
}

/** The half-life of an arrival's weight. A moment that shifts, as with daylight saving, is learned on its first day. */
const HALF_LIFE_MS = 7 * DAY_MS;

/** At a first sight, entities that started earlier than this are ignored: most of their contemporaries are gone. */
const HISTORY_MS = 14 * DAY_MS;

/** Two polls at most this far apart determine the minute of an arrival. */
const KNOWN_WITHIN_MS = 2 * MINUTE_MS;

/**
 * The most minutes that are remembered individually, and the least weight of one: other arrivals are remembered by the
 * hour.
 */
const MOST_MINUTES = 240;
const LEAST_WEIGHT = 0.02;

/** The times of arrival while a Deal-off runs, whose offers follow one another: one in five minutes is assumed. */
export const SALE_TIMES: LearnedTimes = {
  asOfMs: 0,
  days: 1,
  minutes: {},
  hours: Array.from({ length: 24 }, () => 12),
};

/** Updates a resource's learned times after one more poll. Changes nothing in place. */
export function learn(before: LearnedTimes | undefined, observation: Observation): LearnedTimes {
  const { polledAtMs, startedAtMs } = observation;
  const sinceMs = observation.previousPolledAtMs === null ? null : ageMs(observation.previousPolledAtMs, polledAtMs);
  const previousPolledAtMs = sinceMs === null ? null : polledAtMs - sinceMs;
  const kept = before ? fadeOf(ageMs(before.asOfMs, polledAtMs)) : 0;
  const minutes = new Map(Object.entries(before?.minutes ?? {}).map(([minute, weight]) => [+minute, weight * kept]));
  const hours = Array.from({ length: 24 }, (_, hour) => (before?.hours[hour] ?? 0) * kept);
  const addMinute = (atMs: number) => {
    const minute = minuteOf(atMs);
    minutes.set(minute, (minutes.get(minute) ?? 0) + fadeOf(polledAtMs - atMs));
  };

  const fromMs = previousPolledAtMs ?? polledAtMs - HISTORY_MS;
  let oldestMs = polledAtMs;
  for (const startMs of startedAtMs) {
    // An entity that states a start before the last poll was not listed then: it was listed some time after that.
    const isKnown = startMs !== null && startMs > fromMs && startMs <= polledAtMs;
    if (isKnown) {
      addMinute(startMs);
      oldestMs = Math.min(oldestMs, startMs);
    } else if (previousPolledAtMs !== null) {
      if (polledAtMs - previousPolledAtMs <= KNOWN_WITHIN_MS) addMinute((previousPolledAtMs + polledAtMs) / 2);
      else spread(hours, previousPolledAtMs, polledAtMs);
    }
  }
  const watchedMs = polledAtMs - (previousPolledAtMs ?? oldestMs);
  const days = (before?.days ?? 0) * kept + fadedDays(Math.max(0, watchedMs));
  return { asOfMs: polledAtMs, days, ...tidied(minutes, hours) };
}

/** The weight of an arrival that long ago. */
function fadeOf(agoMs: number): number {
  return 2 ** (-agoMs / HALF_LIFE_MS);
}

/** The length in days of the time up to now, each moment with its weight. */
function fadedDays(ms: number): number {
  return ((HALF_LIFE_MS / DAY_MS) * (1 - fadeOf(ms))) / Math.LN2;
}

function minuteOf(ms: number): number {
  return Math.floor((ms % DAY_MS) / MINUTE_MS);
}

/** Spreads one arrival at an unknown moment between the two over the hours. */
function spread(hours: number[], fromMs: number, untilMs: number): void {
  const startMs = Math.max(fromMs, untilMs - DAY_MS);
  for (let atMs = startMs; atMs < untilMs; ) {
    const endMs = Math.min(untilMs, (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS);
    const hour = Math.floor((atMs % DAY_MS) / HOUR_MS);
    hours[hour] = (hours[hour] ?? 0) + (endMs - atMs) / (untilMs - startMs);
    atMs = endMs;
  }
}

/** Keeps only the few minutes that stand out; the others are added to their hours. */
function tidied(
  minutes: ReadonlyMap<number, number>,
  hours: readonly number[],
): Pick<LearnedTimes, 'minutes' | 'hours'> {
  const heaviest = [...minutes].sort(([, one], [, other]) => other - one);
  const kept = heaviest.slice(0, MOST_MINUTES).filter(([, weight]) => weight >= LEAST_WEIGHT);
  const allHours = [...hours];
  for (const [minute, weight] of heaviest.slice(kept.length)) {
    const hour = Math.floor(minute / 60);
    allHours[hour] = (allHours[hour] ?? 0) + weight;
  }
  return { minutes: Object.fromEntries(kept), hours: allHours };
}

/** The expected arrivals per day, spread evenly, of a resource without history. */
const UNLEARNED_PER_DAY = 1;

/** The fractions of a minute's past arrivals that are expected in the same minute, in the next and in the one after. */
const AGAIN = [0.64, 0.15, 0.05] as const;
/** The fraction that is expected around the minute, from half an hour before to half an hour after it. */
const NEARBY = 0.1;
/**
 * The fraction that is expected an hour earlier, and again an hour later: the catalog's clock may change for daylight
 * saving.
 */
const HOUR_OFF = 0.005;
/** The fraction that is expected at any time of the day. */
const ANYTIME = 0.05;
const NEARBY_MINUTES = 30;

/**
 * The expected arrivals in a resource by the time of day (UTC); every day is alike. The sums over the day are precomputed,
 * so that queries are cheap however much was learned.
 */
export class ArrivalCurve {
  /** Arrivals per minute, for each minute of the day. */
  readonly #rates: Float64Array;
  // The integral of the rate from 00:00 up to each minute, and the integral of that, over two days: a span may cross
  // midnight.
  readonly #counts = new Float64Array(2 * DAY_MINUTES + 1);
  readonly #sums = new Float64Array(2 * DAY_MINUTES + 1);

  constructor(learned: LearnedTimes | undefined) {
    this.#rates = ratesOf(learned);
    for (let minute = 0; minute < 2 * DAY_MINUTES; minute += 1) {
      const rate = this.#rateAt(minute);
      this.#counts[minute + 1] = (this.#counts[minute] ?? 0) + rate;
      this.#sums[minute + 1] = (this.#sums[minute] ?? 0) + (this.#counts[minute] ?? 0) + rate / 2;
    }
  }

  /** The expected number of arrivals between the two moments. */
  arrivals(fromMs: number, untilMs: number): number {
    const from = timeOfDay(fromMs);
    return this.#upTo(from + (untilMs - fromMs) / MINUTE_MS).count - this.#upTo(from).count;
  }

  /**
   * How long the arrivals between the two moments will have waited at the second: minutes, summed over the arrivals.
   */
  waitingMinutes(fromMs: number, untilMs: number): number {
    const from = timeOfDay(fromMs);
    const length = (untilMs - fromMs) / MINUTE_MS;
    const before = this.#upTo(from);
    return this.#upTo(from + length).sum - before.sum - before.count * length;
  }

  /**
   * The moment at which the arrivals since `fromMs` have waited `minutes` in total; `latestMs` where that is earlier.
   */
  waitedUntilMs(fromMs: number, minutes: number, latestMs: number): number {
    const from = timeOfDay(fromMs);
    const before = this.#upTo(from);
    const waitedAt = (minute: number) => this.#sumUntil(minute) - before.sum - before.count * (minute - from);
    // Finds the last minute at whose beginning the total is not reached yet; the total never decreases.
    let low = Math.floor(from);
    let high = Math.ceil(from + (latestMs - fromMs) / MINUTE_MS) + 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (waitedAt(middle) < minutes) low = middle;
      else high = middle;
    }
    // Within the minute, arrivals are even: rate ÷ 2 × part² + arrived × part = missing.
    const time = Math.max(from, low);
    const { count, sum } = this.#upTo(time);
    const missing = minutes - (sum - before.sum - before.count * (time - from));
    const arrived = count - before.count;
    const part = (2 * missing) / (arrived + Math.sqrt(arrived ** 2 + 2 * this.#rateAt(low) * missing));
    return Math.min(latestMs, fromMs + (time - from + part) * MINUTE_MS);
  }

  #rateAt(minute: number): number {
    return this.#rates[minute % DAY_MINUTES] ?? 0;
  }

  #countUntil(minute: number): number {
    const perDay = this.#counts[DAY_MINUTES] ?? 0;
    return this.#counts[minute] ?? perDay + this.#countUntil(minute - DAY_MINUTES);
  }

  #sumUntil(minute: number): number {
    const known = this.#sums[minute];
    if (known !== undefined) return known;
    const perDay = this.#counts[DAY_MINUTES] ?? 0;
    const sumOfDay = this.#sums[DAY_MINUTES] ?? 0;
    return sumOfDay + perDay * (minute - DAY_MINUTES) + this.#sumUntil(minute - DAY_MINUTES);
  }

  /** Both integrals up to a time in minutes, with fractions. */
  #upTo(time: number): { count: number; sum: number } {
    const minute = Math.floor(time);
    const part = time - minute;
    const rate = this.#rateAt(minute);
    const count = this.#countUntil(minute);
    return { count: count + rate * part, sum: this.#sumUntil(minute) + count * part + (rate * part ** 2) / 2 };
  }
}

/** Minutes since 00:00 UTC, with fractions. Counting from the day itself keeps the sums small and exact. */
function timeOfDay(ms: number): number {
  return (ms / MINUTE_MS) % DAY_MINUTES;
}

/** Arrivals per minute, for each minute of the day. */
function ratesOf(learned: LearnedTimes | undefined): Float64Array {
  const rates = new Float64Array(DAY_MINUTES);
  // The difference of each minute's rate from that of the minute before.
  const steps = new Float64Array(DAY_MINUTES);
  const add = (to: Float64Array, minute: number, rate: number) => {
    const place = (minute + DAY_MINUTES) % DAY_MINUTES;
    to[place] = (to[place] ?? 0) + rate;
  };
  const addEvenly = (from: number, length: number, arrivals: number) => {
    add(steps, from, arrivals / length);
    add(steps, from + length, -arrivals / length);
    // The span wraps past midnight to the beginning of the day.
    if ((from + DAY_MINUTES) % DAY_MINUTES > (from + length + DAY_MINUTES) % DAY_MINUTES)
      add(steps, 0, arrivals / length);
  };

  // Less than a day of history counts as a whole day: the first hours say little about the others.
  const days = Math.max(1, learned?.days ?? 0);
  let anytime = UNLEARNED_PER_DAY;
  for (const [key, weight] of Object.entries(learned?.minutes ?? {})) {
    const minute = Number(key);
    const perDay = weight / days;
    AGAIN.forEach((share, later) => {
      add(rates, minute + later, perDay * share);
    });
    add(rates, minute - 60, perDay * HOUR_OFF);
    add(rates, minute + 60, perDay * HOUR_OFF);
    addEvenly(minute - NEARBY_MINUTES, 2 * NEARBY_MINUTES, perDay * NEARBY);
    anytime += perDay * ANYTIME;
  }
  learned?.hours.forEach((weight, hour) => {
    const perDay = weight / days;
    addEvenly(hour * 60, 60, perDay * (1 - ANYTIME));
    anytime += perDay * ANYTIME;
  });
  let even = anytime / DAY_MINUTES;
  for (let minute = 0; minute < DAY_MINUTES; minute += 1) {
    even += steps[minute] ?? 0;
    add(rates, minute, even);
  }
  return rates;
}
