import type { Lane } from '../catalog.ts';
import type { Demand, Watcher } from '../demand.ts';
import type { Lanes, Place } from './lanes.ts';

/** Where one waits. */
interface Line<T> {
  lanes: Lanes<Waiter<T>>;
  /** Somebody's turn may have come. */
  pump: () => void;
}

/** Resolves what is waited for. A promise's other function would have to be kept for the few that are refused. */
export type Settle<T> = (granted: T | Promise<never>) => void;

/** One who waits for a `T`: in line until its turn comes, it is refused, or the demand ends. Small: many wait at once. */
export class Waiter<T> implements Watcher, Place {
  lane: Lane | null = null;
  number = 0;
  readonly demand: Demand;
  readonly #line: Line<T>;
  readonly #settle: Settle<T>;

  constructor(demand: Demand, line: Line<T>, settle: Settle<T>) {
    this.demand = demand;
    this.#line = line;
    this.#settle = settle;
    line.lanes.enter(this, demand.lane);
    demand.watch(this);
  }

  /** Gives up its place. */
  leave(): void {
    this.#line.lanes.leave(this);
    this.demand.unwatch(this);
  }

  grant(granted: T): void {
    this.#settle(granted);
  }

  refuse(error: Error): void {
    this.leave();
    this.#settle(Promise.reject(error));
  }

  raised(): void {
    this.#line.lanes.move(this, this.demand.lane);
    this.#line.pump();
  }

  ended(reason: unknown): void {
    this.refuse(reason as Error);
  }
}
