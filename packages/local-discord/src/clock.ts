import { setTimeout as timeout } from 'node:timers/promises';

/** Time as a part that can be replaced: a test can let it stand still. */
export interface Clock {
  /** The wall clock: milliseconds since the epoch. It dates what is stored and shown. */
  now(): number;
  /** Milliseconds since some fixed moment. It never goes back, so limits use it. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => timeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted()),
};
