import { LANES, type Lane } from './catalog.ts';

/**
 * What the callers of one request want together: the most urgent one's lane and the latest one's deadline. Its signal
 * aborts when the last of them has left, so that one caller who gives up does not take the answer from the others.
 */
export class Demand {
  #lane: Lane = 'background';
  #deadlineMs = Number.NEGATIVE_INFINITY;
  #callers = 0;
  readonly #controller = new AbortController();
  readonly #listeners = new Set<() => void>();

  get lane(): Lane {
    return this.#lane;
  }

  /** When nobody waits any more: epoch milliseconds. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
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
    this.#controller.abort(reason);
  }

  /** Wants whatever `other` wants, for as long as `other` does. */
  follow(other: Demand): void {
    this.join(other.lane, other.deadlineMs);
    other.onRaise(() => this.#raise(other.lane, other.deadlineMs));
    const leave = () => this.leave(other.signal.reason);
    if (other.signal.aborted) leave();
    else other.signal.addEventListener('abort', leave, { once: true });
  }

  /** Calls `listener` when the lane becomes more urgent or the deadline later; returns how to stop that. */
  onRaise(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #raise(lane: Lane, deadlineMs: number): void {
    const isMoreUrgent = LANES.indexOf(lane) < LANES.indexOf(this.#lane);
    if (!isMoreUrgent && deadlineMs <= this.#deadlineMs) return;
    if (isMoreUrgent) this.#lane = lane;
    this.#deadlineMs = Math.max(this.#deadlineMs, deadlineMs);
    for (const listener of this.#listeners) listener();
  }
}
