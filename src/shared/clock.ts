/** Time as a part that can be replaced: all code that waits or reads the time takes a Clock. */
export interface Clock {
  /** The wall clock: milliseconds since the epoch. It can jump in both directions, so it only dates what is stored or shown. */
  now(): number;
  /**
   * Milliseconds since some fixed moment of this process. It never goes back, so pauses, back-off and time limits use
   * it. It may stand still while the machine is suspended.
   */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `ring` after `ms` milliseconds. Returns a function that cancels the call, at a tenth of the cost of a sleep's
   * signal.
   */
  after(ms: number, ring: () => void): () => void;
}

/**
 * The longest delay of a Node timer: a timer with a longer one fires at once. @see
 * https://nodejs.org/api/timers.html#settimeoutcallback-delay-args
 */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  // This costs much less than node:timers/promises.
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

/** A moment by both times of a clock. */
export interface Moment {
  wallMs: number;
  monotonicMs: number;
}

export function momentOf(clock: Pick<Clock, 'now' | 'monotonicMs'>): Moment {
  return { wallMs: clock.now(), monotonicMs: clock.monotonicMs() };
}

/**
 * The most time that can have passed since a moment, in milliseconds: by whichever time has moved further. The monotonic
 * one stands still while the machine is suspended, and the wall clock can be set back.
 * @see https://man7.org/linux/man-pages/man2/clock_gettime.2.html CLOCK_MONOTONIC
 */
export function mostSince({ wallMs, monotonicMs }: Moment, clock: Pick<Clock, 'now' | 'monotonicMs'>): number {
  return Math.max(clock.now() - wallMs, clock.monotonicMs() - monotonicMs);
}

/** Age of something stored, in milliseconds. A date in the future, by a clock that was set back since, counts as now. */
export function ageMs(thenMs: number, nowMs: number): number {
  return Math.max(0, nowMs - thenMs);
}

/** Converts a moment of the monotonic clock to epoch milliseconds, by the present wall clock, to store or show it. */
export function wallMsOf(monotonicMs: number, clock: Pick<Clock, 'now' | 'monotonicMs'>): number {
  return Math.round(clock.now() + monotonicMs - clock.monotonicMs());
}

/** The error of what has not answered for so many milliseconds. */
export const silence = (ms: number): Error => new Error(`it has not answered for ${ms / 1000} seconds`);

/** Settles as `work` does; rejects where that takes longer than `ms` milliseconds. */
export async function within<T>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<T>): Promise<T> {
  let callOff = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    callOff = clock.after(ms, () => reject(silence(ms)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    callOff();
  }
}

/** Sleeps `ms` milliseconds by means of `after`. Rejects with the signal's reason when `signal` aborts first. */
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
