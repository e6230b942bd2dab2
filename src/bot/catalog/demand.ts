import { LANES, type Lane } from './catalog.ts';
import { onAbort } from './deadline.ts';

/**
 * What the callers of one request want together: the most urgent one's lane and the latest one's deadline. It ends
 * when the last of them has left, so that one caller who gives up does not take the answer from the others.
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

  /** When nobody waits any more: on the monotonic clock. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Aborts when nobody waits any more, with the reason. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** One more caller. */
  join(lane: Lane, deadlineMs: number): void {
    this.#callers += 1;
    this.#raise(lane, deadlineMs);
  }

  /** One caller less. */
  leave(reason: unknown): void {
    this.#callers -= 1;
    if (this.#callers === 0) this.end(reason);
  }

  /** Sends everybody away. */
  end(reason: unknown): void {
    this.#end.abort(reason);
  }

  /** Wants whatever `other` wants, for as long as `other` does. */
  follow(other: Demand): void {
    this.join(other.lane, other.deadlineMs);
    other.onRaise(() => this.#raise(other.lane, other.deadlineMs));
    onAbort(other.signal, (reason) => this.leave(reason));
  }

  /** Calls `listener` when the lane has become more urgent, or only the deadline later; what it returns ends that. */
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
