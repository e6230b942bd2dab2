/** Time as a part that can be replaced: everything that waits or reads the time takes one of these. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `ring` after `ms` milliseconds; what it answers calls that off, at a tenth of what a sleep's signal costs. */
  after(ms: number, ring: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // Much cheaper than node:timers/promises.
  sleep: (ms, signal) => sleepBy(systemClock, ms, signal),
  after(ms, ring) {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  },
};

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
