import { setMaxListeners } from 'node:events';
import type { Clock } from '../shared/clock.ts';
import { LANES, type Lane } from './catalog.ts';

/**
 * The combined demand of all callers of one request: the most urgent lane and the latest deadline. It ends when the
 * last caller has left, so that one who gives up does not deprive the others of the answer.
 */
export class Demand {
  #lane: Lane = 'background';
  #deadlineMs = Number.NEGATIVE_INFINITY;
  #callers = 0;
  readonly #end = new AbortController();
  readonly #listeners = new Set<(isMoreUrgent: boolean) => void>();

  get lane(): Lane {
    return this.#lane;
  }

  /** When the last caller stops waiting: monotonic milliseconds. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Aborts with the reason when the last caller has left. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Adds a caller. */
  join(lane: Lane, deadlineMs: number): void {
    this.#callers += 1;
    this.#raise(lane, deadlineMs);
  }

  /** Removes a caller. */
  leave(reason: unknown): void {
    this.#callers -= 1;
    if (this.#callers === 0) this.end(reason);
  }

  /** Rejects all callers. */
  end(reason: unknown): void {
    this.#end.abort(reason);
  }

  /** Takes on the lane and deadline of `other`, for as long as `other` lasts. */
  follow(other: Demand): void {
    this.join(other.lane, other.deadlineMs);
    other.onRaise(() => this.#raise(other.lane, other.deadlineMs));
    onAbort(other.signal, (reason) => this.leave(reason));
  }

  /**
   * Calls `listener` when the lane has become more urgent, or only the deadline later. The returned function stops
   * listening.
   */
  onRaise(listener: (isMoreUrgent: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #raise(lane: Lane, deadlineMs: number): void {
    const isMoreUrgent = LANES.indexOf(lane) < LANES.indexOf(this.#lane);
    if (this.signal.aborted || (!isMoreUrgent && deadlineMs <= this.#deadlineMs)) return;
    if (isMoreUrgent) this.#lane = lane;
    this.#deadlineMs = Math.max(this.#deadlineMs, deadlineMs);
    for (const listener of this.#listeners) listener(isMoreUrgent);
  }
}

/**
 * Calls `listener` with the signal's reason when it aborts; at once if it has already. The returned function stops
 * listening.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: Error) => void): () => void {
  const abort = () => listener(signal?.reason as Error);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

/**
 * Settles as `work` does, or rejects with `makeError()` after `ms` milliseconds or with the signal's reason, whichever is
 * first.
 * @param work gets a signal that aborts when it is not awaited any more
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  makeError: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const over = new AbortController();
  // Many requests may wait for one deadline: Node would warn of a leak where there is none.
  setMaxListeners(0, over.signal);
  const stops = [clock.after(ms, () => over.abort(makeError())), onAbort(signal, (reason) => over.abort(reason))];
  try {
    return await new Promise<T>((resolve, reject) => {
      onAbort(over.signal, reject);
      work(over.signal).then(resolve, reject);
    });
  } finally {
    for (const stop of stops) stop();
  }
}
