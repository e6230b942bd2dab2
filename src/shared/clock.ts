/** Time as a part that can be replaced: everything that waits or reads the time takes one of these. */
export interface Clock {
  /** The wall clock: milliseconds since the epoch. It can jump in both directions, so it only dates what is stored or shown. */
  now(): number;
  /** Milliseconds since some fixed moment of this process. Never goes back: pauses, back-off and time limits count with it. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `ring` after `ms` milliseconds; what it answers calls that off, at a tenth of what a sleep's signal costs. */
  after(ms: number, ring: () => void): () => void;
}

/** Node fires a timer at once when it is set for longer. @see https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  // Much cheaper than node:timers/promises.
  sleep: (ms, signal) => sleepBy(systemClock, ms, signal),
  after(ms, ring) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      timer =
        leftMs > LONGEST_TIMER_MS
          ? setTimeout(() => wait(leftMs - LONGEST_TIMER_MS), LONGEST_TIMER_MS)
          : setTimeout(ring, leftMs);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/**
 * How long ago something stored was done. Infinity for a moment in the future: the clock was set back since, so the
 * record does not tell.
 */
export function ageMs(thenMs: number, nowMs: number): number {
  return thenMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - thenMs;
}

/** A moment of the monotonic clock as the wall clock has it now: epoch milliseconds, to store or to show. */
export function wallMsOf(monotonicMs: number, clock: Pick<Clock, 'now' | 'monotonicMs'>): number {
  return Math.round(clock.now() + monotonicMs - clock.monotonicMs());
}

/** A sleep by means of `after`. */
export function sleepBy(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      callOff();
      reject(signal?.reason as Error);
    };
    const callOff = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
