import type { Lane } from '../catalog.ts';
import type { Demand, Watcher } from '../demand.ts';
import type { Lanes, Place } from './lanes.ts';

/** Where requests wait. */
export interface Line<Request, Reply> {
  lanes: Lanes<Waiter<Request, Reply>>;
  /** Somebody's turn may have come. */
  pump: () => void;
  send: (request: Request, day: number) => Promise<Reply>;
  /** A request has been answered. */
  answered: () => void;
  /** A request got no answer: the catalog may count it yet. */
  unanswered: () => void;
}

/** Resolves what is waited for. A promise's other function would have to be kept for the few that are refused. */
export type Settle<Reply> = (reply: Reply | Promise<Reply>) => void;

/** A request that waits: until it is sent or refused, or its demand ends. Small: many wait at once. */
export class Waiter<Request, Reply> implements Watcher, Place {
  lane: Lane | null = null;
  number = 0;
  readonly demand: Demand;
  readonly #request: Request;
  readonly #line: Line<Request, Reply>;
  readonly #settle: Settle<Reply>;

  constructor(demand: Demand, request: Request, line: Line<Request, Reply>, settle: Settle<Reply>) {
    this.demand = demand;
    this.#request = request;
    this.#line = line;
    this.#settle = settle;
  }

  /** Takes the last place of its lane. */
  enter(): void {
    this.#line.lanes.enter(this, this.demand.lane);
    this.demand.watch(this);
  }

  /** Gives up its place. */
  leave(): void {
    this.#line.lanes.leave(this);
    this.demand.unwatch(this);
  }

  /** Sends its request; false where nobody wants it any more. */
  send(day: number): boolean {
    const { ended } = this.demand;
    if (ended) {
      this.#settle(Promise.reject(ended.reason as Error));
      return false;
    }
    const settle = this.#settle;
    const { send, answered, unanswered } = this.#line;
    send(this.#request, day).then(
      (reply) => {
        answered();
        settle(reply);
      },
      (error: Error) => {
        unanswered();
        settle(Promise.reject(error));
      },
    );
    return true;
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
