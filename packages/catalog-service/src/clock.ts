import { setTimeout as timeout } from 'node:timers/promises';

/** Time as a part that can be replaced: a test can let it stand still. */
export interface Clock {
  /** The wall clock: milliseconds since the epoch. The content and the limits of a day go by it. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => timeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted()),
};
