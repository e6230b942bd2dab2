import type { Clock } from '../../shared/clock.ts';
import type { Demand, Watcher } from './demand.ts';

// Every call waits here twice. AbortSignals and their events would cost as much as all the rest of it.

/** What `work` comes to, or `makeError()` after `ms` milliseconds, or the signal's reason, whichever is first. */
export function withDeadline<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  makeError: () => Error,
  work: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      stop();
      reject(signal?.reason as Error);
    };
    const callOff = clock.after(ms, () => {
      stop();
      reject(makeError());
    });
    const stop = () => {
      callOff();
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort, { once: true });
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: Error) => {
        stop();
        reject(error);
      },
    );
  });
}

/** What becomes of a wait. */
interface Waiting extends Watcher {
  /** Its time is over. */
  over(): void;
}

/** Waits `ms` milliseconds for as long as the demand lasts. What it answers ends that without another word. */
export function waitWhile(demand: Demand, clock: Clock, ms: number, waiting: Waiting): () => void {
  const callOff = clock.after(ms, () => waiting.over());
  const watcher: Watcher = {
    raised: () => waiting.raised?.(),
    ended(reason) {
      callOff();
      waiting.ended(reason);
    },
  };
  demand.watch(watcher);
  return () => {
    callOff();
    demand.unwatch(watcher);
  };
}

/** Resolves after `ms` milliseconds; rejects with the demand's reason where that ends first. */
export function sleepWhile(demand: Demand, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = waitWhile(demand, clock, ms, {
      over() {
        stop();
        resolve();
      },
      ended: reject,
    });
  });
}
