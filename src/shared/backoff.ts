import type { Clock } from './clock.ts';

/** An exponential back-off. */
export interface BackOff {
  /** The wait after the first failure: milliseconds. */
  firstMs: number;
  /** How many times as long each further wait is as the one before. */
  factor: number;
  /** No wait is longer: milliseconds. */
  longestMs: number;
  /** The share of each wait that is random, 0 to 1, so that many callers do not retry at once; 0 where absent. */
  jitter?: number;
}

/**
 * The wait after so many failures in a row (1 or more): milliseconds.
 * @param random 0 to 1; used only where there is jitter
 */
export function backOffMs(
  failures: number,
  { firstMs, factor, longestMs, jitter = 0 }: BackOff,
  random: () => number = Math.random,
): number {
  const waitMs = Math.min(longestMs, firstMs * factor ** (failures - 1));
  return jitter === 0 ? waitMs : Math.round(waitMs * (1 - jitter + jitter * random()));
}

export interface RetryOptions extends BackOff {
  clock: Clock;
  /** Cancels the attempts at once, with its reason. */
  signal: AbortSignal;
  /**
   * Called with each failure. Returns for how many milliseconds to wait at least; an error that it throws ends the
   * attempts.
   */
  onFailure: (error: unknown) => number;
}

/**
 * Makes attempts until one succeeds.
 * @throws what `onFailure` throws; the signal's reason
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, onFailure } = options;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const leastMs = onFailure(error);
      await clock.sleep(Math.max(backOffMs(failures, options), leastMs), signal);
    }
  }
}
