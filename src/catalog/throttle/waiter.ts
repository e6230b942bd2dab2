import type { Demand, Watcher } from '../demand.ts';
import type { Lanes, Place } from './lanes.ts';

/** Where one waits. */
interface Line<T> {
  lanes: Lanes<Waiter<T>>;
  /** Somebody's turn may have come. */
  pump: () => void;
}

/** One who waits for a `T`: in line until its turn comes, it is refused, or the demand ends. Small: many wait at once. */
export class Waiter<T> implements Watcher {
  readonly demand: Demand;
  readonly place: Place<Waiter<T>>;
  readonly #line: Line<T>;
  readonly #resolve: (granted: T) => void;
  readonly #reject: (error: Error) => void;

  constructor(demand: Demand, line: Line<T>, resolve: (granted: T) => void, reject: (error: Error) => void) {
    this.demand = demand;
    this.#line = line;
    this.#resolve = resolve;
    this.#reject = reject;
    this.place = line.lanes.enter(this, demand.lane);
    demand.watch(this);
  }

  /** Gives up its place. */
  leave(): void {
    this.#line.lanes.leave(this.place);
    this.demand.unwatch(this);
  }

  grant(granted: T): void {
    this.#resolve(granted);
  }

  refuse(error: Error): void {
    this.leave();
    this.#reject(error);
  }

  raised(): void {
    this.#line.lanes.move(this.place, this.demand.lane);
    this.#line.pump();
  }

  ended(reason: unknown): void {
    this.refuse(reason as Error);
  }
}
