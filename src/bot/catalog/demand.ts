import { LANES, type Lane } from './catalog.ts';

/** Who is told what becomes of a demand. */
export interface Watcher {
  /** The lane has become more urgent or the deadline later. */
  raised?(): void;
  /** Nobody waits any more. */
  ended(reason: unknown): void;
}

const NOBODY: readonly Watcher[] = [];

/**
 * What the callers of one request want together: the most urgent one's lane and the latest one's deadline. It ends
 * when the last of them has left, so that one caller who gives up does not take the answer from the others.
 */
export class Demand {
  #lane: Lane = 'background';
  #deadlineMs = Number.NEGATIVE_INFINITY;
  #callers = 0;
  #end: { reason: unknown } | null = null;
  /** The first watcher stands by itself: most demands in a long queue have no other, and need no list. */
  #watcher: Watcher | null = null;
  #watchers = NOBODY;

  get lane(): Lane {
    return this.#lane;
  }

  /** When nobody waits any more: on the monotonic clock. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Why nobody waits any more, where that is so. */
  get ended(): { reason: unknown } | null {
    return this.#end;
  }

  /** Throws the reason for which it ended, if it has. */
  throwIfEnded(): void {
    if (this.#end) throw this.#end.reason;
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
    if (this.#end) return;
    this.#end = { reason };
    const first = this.#watcher;
    const others = this.#watchers;
    this.#watcher = null;
    this.#watchers = NOBODY;
    first?.ended(reason);
    for (const watcher of others) watcher.ended(reason);
  }

  /** Wants whatever `other` wants, for as long as `other` does. */
  follow(other: Demand): void {
    this.join(other.lane, other.deadlineMs);
    other.watch({
      raised: () => this.#raise(other.lane, other.deadlineMs),
      ended: (reason) => this.leave(reason),
    });
  }

  /** Tells `watcher` until it is told the end, at once where that has come, or is taken away. */
  watch(watcher: Watcher): void {
    if (this.#end) watcher.ended(this.#end.reason);
    else if (this.#watcher === null) this.#watcher = watcher;
    else this.#watchers = [...this.#watchers, watcher];
  }

  unwatch(watcher: Watcher): void {
    if (this.#watcher === watcher) this.#watcher = null;
    else this.#watchers = this.#watchers.filter((other) => other !== watcher);
  }

  #raise(lane: Lane, deadlineMs: number): void {
    const isMoreUrgent = LANES.indexOf(lane) < LANES.indexOf(this.#lane);
    if (!isMoreUrgent && deadlineMs <= this.#deadlineMs) return;
    if (isMoreUrgent) this.#lane = lane;
    this.#deadlineMs = Math.max(this.#deadlineMs, deadlineMs);
    this.#watcher?.raised?.();
    for (const watcher of this.#watchers) watcher.raised?.();
  }
}
