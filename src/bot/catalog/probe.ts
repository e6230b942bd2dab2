import type { Clock } from '../../shared/clock.ts';
import { onAbort } from './deadline.ts';
import { Demand } from './demand.ts';

/** How long a person waits for a probe: milliseconds. */
const PATIENCE_MS = 3_000;

/**
 * The single request that tests the catalog after the circuit was open. It is made for the first caller, and continues
 * when that caller gives up, because its result concerns all callers.
 */
export class Probe<T> {
  /** The result for the first caller. */
  readonly outcome: Promise<T>;
  readonly #clock: Clock;
  readonly #demand = new Demand();
  readonly #sinceMs: number;

  /** @param send makes the request for a demand that combines those of all who wait for the probe */
  constructor(clock: Clock, { lane, deadlineMs }: Demand, send: (demand: Demand) => Promise<T>) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonicMs();
    this.#demand.join(lane, deadlineMs);
    this.outcome = send(this.#demand);
    this.outcome.catch(() => undefined);
  }

  /**
   * Resolves when the probe has ended, successfully or not. Rejects with the demand's reason where the demand ends
   * first, and with `makeError()` after a person's patience: an older answer now is better than a new one much later.
   */
  async ended(demand: Demand, makeError: () => Error): Promise<void> {
    this.#demand.follow(demand);
    const stops: (() => void)[] = [];
    try {
      await new Promise<unknown>((resolve, reject) => {
        const check = () => {
          if (demand.lane === 'interactive' && this.#patienceMs() <= 0) reject(makeError());
        };
        stops.push(onAbort(demand.signal, reject), demand.onRaise(check), this.#clock.after(this.#patienceMs(), check));
        this.outcome.then(resolve, resolve);
        check();
      });
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** Rejects all who wait. */
  end(reason: unknown): void {
    this.#demand.end(reason);
  }

  #patienceMs(): number {
    return Math.max(0, this.#sinceMs + PATIENCE_MS - this.#clock.monotonicMs());
  }
}
