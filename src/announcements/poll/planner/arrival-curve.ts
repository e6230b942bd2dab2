import type { LearnedTimes } from '../../../store/catalog-records.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

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

/** The expected arrivals in a resource by the time of day (UTC); every day is alike. */
export interface ArrivalCurve {
  /** The expected number of arrivals between the two moments. */
  arrivals(fromMs: number, untilMs: number): number;
  /**
   * How long the arrivals between the two moments will have waited at the second: minutes, summed over the arrivals.
   */
  waitingMinutes(fromMs: number, untilMs: number): number;
  /**
   * The moment at which the arrivals since `fromMs` have waited `minutes` in total; `latestMs` where that is earlier.
   */
  waitedUntilMs(fromMs: number, minutes: number, latestMs: number): number;
}

/** The sums over the day are precomputed, so that queries are cheap however much was learned. */
export function arrivalCurve(learned: LearnedTimes | undefined): ArrivalCurve {
  const rates = ratesOf(learned);
  // The integral of the rate from 00:00 up to each minute, and the integral of that, over two days: a span may cross
  // midnight.
  const counts = new Float64Array(2 * DAY_MINUTES + 1);
  const sums = new Float64Array(2 * DAY_MINUTES + 1);
  for (let minute = 0; minute < 2 * DAY_MINUTES; minute += 1) {
    const rate = rates[minute % DAY_MINUTES] ?? 0;
    counts[minute + 1] = (counts[minute] ?? 0) + rate;
    sums[minute + 1] = (sums[minute] ?? 0) + (counts[minute] ?? 0) + rate / 2;
  }
  const perDay = counts[DAY_MINUTES] ?? 0;
  const sumOfDay = sums[DAY_MINUTES] ?? 0;

  const rateAt = (minute: number) => rates[minute % DAY_MINUTES] ?? 0;

  function countUntil(minute: number): number {
    return counts[minute] ?? perDay + countUntil(minute - DAY_MINUTES);
  }

  function sumUntil(minute: number): number {
    return sums[minute] ?? sumOfDay + perDay * (minute - DAY_MINUTES) + sumUntil(minute - DAY_MINUTES);
  }

  /** Both integrals up to a time in minutes, with fractions. */
  function upTo(time: number): { count: number; sum: number } {
    const minute = Math.floor(time);
    const part = time - minute;
    const rate = rateAt(minute);
    const count = countUntil(minute);
    return { count: count + rate * part, sum: sumUntil(minute) + count * part + (rate * part ** 2) / 2 };
  }

  return {
    arrivals(fromMs, untilMs) {
      const from = timeOfDay(fromMs);
      return upTo(from + (untilMs - fromMs) / MINUTE_MS).count - upTo(from).count;
    },

    waitingMinutes(fromMs, untilMs) {
      const from = timeOfDay(fromMs);
      const length = (untilMs - fromMs) / MINUTE_MS;
      const before = upTo(from);
      return upTo(from + length).sum - before.sum - before.count * length;
    },

    waitedUntilMs(fromMs, minutes, latestMs) {
      const from = timeOfDay(fromMs);
      const before = upTo(from);
      const waitedAt = (minute: number) => sumUntil(minute) - before.sum - before.count * (minute - from);
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
      const { count, sum } = upTo(time);
      const missing = minutes - (sum - before.sum - before.count * (time - from));
      const arrived = count - before.count;
      const part = (2 * missing) / (arrived + Math.sqrt(arrived ** 2 + 2 * rateAt(low) * missing));
      return Math.min(latestMs, fromMs + (time - from + part) * MINUTE_MS);
    },
  };
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
