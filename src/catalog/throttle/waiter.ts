import type { Lane } from '../catalog.ts';
import type { Demand, Watcher } from '../demand.ts';
import type { Lanes, Place } from './lanes.ts';

/** Where one waits. */
interface Line<T> {
  lanes: Lanes<Waiter<T>>;
  /** Somebody's turn may have come. */
  pump: () => void;
}

/** One who waits for a `T`: in line until its turn comes, it is refused, or the demand ends. Small: many wait at once. */
export class Waiter<T> implements Watcher, Place<Waiter<T>> {
  lane: Lane | null = null;
  previous: Waiter<T> | null = null;
  next: Waiter<T> | null = null;
  readonly demand: Demand;
  readonly grant: (granted: T) => void;
  readonly #reject: (error: Error) => void;
  readonly #line: Line<T>;

  constructor(demand: Demand, line: Line<T>, grant: (granted: T) => void, reject: (error: Error) => void) {
    this.demand = demand;
    this.grant = grant;
    this.#reject = reject;
    this.#line = line;
    line.lanes.enter(this, demand.lane);
    demand.watch(this);
  }

  /** Gives up its place. */
  leave(): void {
    this.#line.lanes.leave(this);
    this.demand.unwatch(this);
  }

  refuse(error: Error): void {
    this.leave();
    this.#reject(error);
  }

  raised(): void {
    this.#line.lanes.move(this, this.demand.lane);
    this.#line.pump();
  }

  ended(reason: unknown): void {
    this.refuse(reason as Error);
  }
}
