import type { ArrivalCurve } from './arrival-curve.ts';

/** A resource that is to be polled, as its pace needs it. */
export interface Paced {
  curve: ArrivalCurve;
  subscribers: number;
  /** The last try, whether it succeeded or not; null before the first. */
  lastPolledMs: number | null;
  isUrgent: boolean;
}

/**
 * By what the time of a poll is decided. A poll ends the waiting of what has arrived since the one before; it is worth
 * a request once that waiting, in minutes summed over arrivals and subscribers, has reached the price. For arrivals that
 * come evenly that makes the polls as many as the square root of arrivals × subscribers, which is the split of a number
 * of requests that makes the mean delay least; after a burst the price is reached at once.
 */
export interface Pace {
  price: number;
  /** However little is expected, a resource waits no longer. */
  longestMs: number;
  /** However much is expected, it waits so long. */
  shortestMs: number;
}

/** How the polls until a moment come out. */
export interface Forecast {
  polls: number;
  /** Null: none until then. */
  nextPollMs: number | null;
  /** What the expected arrivals wait together. */
  waitingMinutes: number;
}

/** Half of the requests keep everything polled, the other half go where things are expected. */
const LONGEST_IN_EVEN_SHARES = 2;

const DAY_MS = 86_400_000;

/** With polls as close as this the minutes that are learned tell nothing more. */
const EVEN_BELOW_MS = 60_000;

/** Prices are powers of two with exponents on this grid: the price that fits does not depend on where the search began. */
const STEPS = 16;
const LOWEST = -20 * STEPS;
const HIGHEST = 50 * STEPS;

function priceAt(step: number): number {
  return 2 ** (step / STEPS);
}

/** What a poll would be worth now, in prices: from 1 on it is due. 0 while it is too soon after the last. */
export function worthOf(paced: Paced, pace: Pace, nowMs: number): number {
  const { curve, subscribers, lastPolledMs, isUrgent } = paced;
  if (lastPolledMs === null) return Infinity;
  const sinceMs = nowMs - lastPolledMs;
  if (sinceMs < pace.shortestMs) return 0;
  if (isUrgent) return Infinity;
  const waiting = subscribers * curve.waitingMinutes(lastPolledMs, nowMs);
  return Math.max(sinceMs / pace.longestMs, waiting / pace.price);
}

/** When the next poll is worth it, given when the last was. */
function nextPollMs({ curve, subscribers }: Paced, pace: Pace, lastMs: number): number {
  const latestMs = lastMs + pace.longestMs;
  return Math.max(lastMs + pace.shortestMs, curve.waitedUntilMs(lastMs, pace.price / subscribers, latestMs));
}

/** When a resource will be polled until `untilMs`, in order; `visit` ends it by answering false. */
function eachPoll(paced: Paced, pace: Pace, nowMs: number, untilMs: number, visit: (atMs: number) => boolean): void {
  const { lastPolledMs, isUrgent } = paced;
  let atMs = nowMs;
  if (lastPolledMs !== null) {
    atMs = Math.max(nowMs, isUrgent ? lastPolledMs + pace.shortestMs : nextPollMs(paced, pace, lastPolledMs));
  }
  while (atMs < untilMs && visit(atMs)) atMs = nextPollMs(paced, pace, atMs);
}

/** Plays the polls until `untilMs`. */
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

/** What polling may spend. */
export interface Budget {
  /** So many requests from now on. */
  requests: number;
  /** The requests must last until then: epoch milliseconds. */
  untilMs: number;
  /** So many in a whole day on which nothing else is spent. */
  requestsPerDay: number;
}

/**
 * The pace at which the requests last: the lowest price at which they do.
 * @param guess where to begin the search, to save work; the result does not depend on it
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
    return { price: priceAt(HIGHEST), longestMs: Math.max(evenMs, shortestMs), shortestMs };
  }
  // The same all day, so that it can be promised; it gives way only when others have spent so much that it can't last.
  const longestMs = Math.max(evenMs, (LONGEST_IN_EVEN_SHARES * DAY_MS * all.length) / requestsPerDay);
  const paceAt = (step: number): Pace => ({ price: priceAt(step), longestMs, shortestMs });
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

/** The lowest step that passes, where all above one that passes do; the highest where none does. */
function lowestThat(passes: (step: number) => boolean, guess: number): number {
  let failing = LOWEST - 1;
  let passing = HIGHEST;
  // From the guess outwards, ever faster, until it is between the two; then halving.
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
