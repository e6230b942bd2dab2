import type { ArrivalCurve } from './arrival-curve.ts';

/** The planning facts of a resource to poll. */
export interface Paced {
  curve: ArrivalCurve;
  subscribers: number;
  /** The last attempt, whether it succeeded or not; null before the first. */
  lastPolledMs: number | null;
  /** Due as soon as the shortest interval has passed. */
  isUrgent: boolean;
  /** The same, unless the requests are short. */
  isDoubtful: boolean;
}

/**
 * Decides when a poll is due. A poll ends the waiting of all arrivals since the previous one; it is worth a request
 * once that waiting, in minutes summed over arrivals and subscribers, has reached the price. With even arrivals the
 * number of polls is then proportional to the square root of arrivals × subscribers, which is the split of a given
 * number of requests that minimises the mean delay; after a burst the price is reached at once.
 */
export interface Pace {
  price: number;
  /** The longest interval between polls, however little is expected. */
  longestMs: number;
  /** The shortest interval between polls, however much is expected. */
  shortestMs: number;
  /** Whether so much was spent beside the plan that the longest interval is longer than on other days. */
  isShort: boolean;
}

/** The simulated polls until a moment. */
export interface Forecast {
  polls: number;
  /** null: none until then. */
  nextPollMs: number | null;
  /** The total waiting of the expected arrivals. */
  waitingMinutes: number;
}

/**
 * Half of the requests guarantee the longest interval of every resource; the other half go where arrivals are expected.
 */
const LONGEST_IN_EVEN_SHARES = 2;

const DAY_MS = 86_400_000;

/** Below this interval the learned minutes no longer matter, and polls are even. */
const EVEN_BELOW_MS = 60_000;

/**
 * The price is a power of two whose exponent is on this grid, so the resulting price does not depend on where the
 * search began.
 */
const STEPS = 16;
const LOWEST = -20 * STEPS;
const HIGHEST = 50 * STEPS;

function priceAt(step: number): number {
  return 2 ** (step / STEPS);
}

/**
 * The value of a poll now, relative to the price: it is due from 1 on. 0 while the shortest interval has not passed.
 */
export function worthOf(paced: Paced, pace: Pace, nowMs: number): number {
  const { curve, subscribers, lastPolledMs } = paced;
  if (lastPolledMs === null) return Infinity;
  const sinceMs = nowMs - lastPolledMs;
  if (sinceMs < pace.shortestMs) return 0;
  if (isWantedSoon(paced, pace)) return Infinity;
  const waiting = subscribers * curve.waitingMinutes(lastPolledMs, nowMs);
  return Math.max(sinceMs / pace.longestMs, waiting / pace.price);
}

/** With few requests left, second looks at doubtful answers would spend the last of them at once. */
function isWantedSoon({ isUrgent, isDoubtful }: Paced, { isShort }: Pace): boolean {
  return isUrgent || (isDoubtful && !isShort);
}

/** When the next poll is due, given the last one. */
function nextPollMs({ curve, subscribers }: Paced, pace: Pace, lastMs: number): number {
  const latestMs = lastMs + pace.longestMs;
  return Math.max(lastMs + pace.shortestMs, curve.waitedUntilMs(lastMs, pace.price / subscribers, latestMs));
}

/** Visits each future poll of a resource until `untilMs`, in order; `visit` stops it by returning false. */
function eachPoll(paced: Paced, pace: Pace, nowMs: number, untilMs: number, visit: (atMs: number) => boolean): void {
  const { lastPolledMs } = paced;
  let atMs = nowMs;
  if (lastPolledMs !== null) {
    const isSoon = isWantedSoon(paced, pace);
    atMs = Math.max(nowMs, isSoon ? lastPolledMs + pace.shortestMs : nextPollMs(paced, pace, lastPolledMs));
  }
  while (atMs < untilMs && visit(atMs)) atMs = nextPollMs(paced, pace, atMs);
}

/** Simulates the polls until `untilMs`. */
export function forecast(paced: Paced, pace: Pace, nowMs: number, untilMs: number): Forecast {
  const result: Forecast = { polls: 0, nextPollMs: null, waitingMinutes: 0 };
  let lastMs = paced.lastPolledMs ?? nowMs;
  const passTo = (atMs: number) => {
    result.waitingMinutes += paced.curve.waitingMinutes(lastMs, atMs);
    lastMs = atMs;
  };
  eachPoll(paced, pace, nowMs, untilMs, (atMs) => {
    passTo(atMs);
    result.polls += 1;
    result.nextPollMs ??= atMs;
    return true;
  });
  passTo(untilMs);
  return result;
}

/** The requests that polling may spend. */
export interface Budget {
  /** From now on, at least one. */
  requests: number;
  /** When the requests have to last until: epoch milliseconds. */
  untilMs: number;
  /** The requests of a whole day on which nothing else is spent. */
  requestsPerDay: number;
}

/**
 * The pace at which the requests last: the one with the lowest possible price.
 * @param guess where the search begins, to save work; the result does not depend on it
 */
export function paceFor(
  all: readonly Paced[],
  { requests, untilMs, requestsPerDay }: Budget,
  shortestMs: number,
  nowMs: number,
  guess: number | undefined,
): Pace {
  const evenMs = ((untilMs - nowMs) * all.length) / requests;
  if (evenMs <= Math.max(shortestMs, EVEN_BELOW_MS)) {
    return { price: priceAt(HIGHEST), longestMs: Math.max(evenMs, shortestMs), shortestMs, isShort: false };
  }
  // The longest interval is constant all day, so that it can be promised. It grows only when other requests have used
  // up so much that the budget would not last.
  const promisedMs = (LONGEST_IN_EVEN_SHARES * DAY_MS * all.length) / requestsPerDay;
  const longestMs = Math.max(evenMs, promisedMs);
  const isShort = evenMs > promisedMs;
  const paceAt = (step: number): Pace => ({ price: priceAt(step), longestMs, shortestMs, isShort });
  const lasts = (step: number) => {
    const pace = paceAt(step);
    let left = requests;
    return all.every((paced) => {
      eachPoll(paced, pace, nowMs, untilMs, () => {
        left -= 1;
        return left >= 0;
      });
      return left >= 0;
    });
  };
  return paceAt(lowestThat(lasts, Math.round(Math.log2(guess ?? 1) * STEPS)));
}

/** The lowest step that passes, given that all above a passing one pass too; the highest where none does. */
function lowestThat(passes: (step: number) => boolean, guess: number): number {
  let failing = LOWEST - 1;
  let passing = HIGHEST;
  // Searches outwards from the guess with growing strides until the limit is enclosed, then bisects.
  for (let step = guess, stride = 1; failing < step && step < passing; stride *= 2) {
    if (passes(step)) {
      passing = step;
      step -= stride;
    } else {
      failing = step;
      step += stride;
    }
  }
  while (passing - failing > 1) {
    const middle = Math.floor((failing + passing) / 2);
    if (passes(middle)) passing = middle;
    else failing = middle;
  }
  return passing;
}
