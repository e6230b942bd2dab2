import type { Clock } from '../../shared/clock.ts';
import { onAbort } from './deadline.ts';
import { Demand } from './demand.ts';

/** How long a person waits for what a probe tells. */
const PATIENCE_MS = 3_000;

/**
 * The one request that tells how the catalog is after it was left alone. It is made for whoever comes first, and goes
 * on when they have given up: it tells everybody.
 */
export class Probe<T> {
  /** Its result: for whom it was made. */
  readonly outcome: Promise<T>;
  readonly #clock: Clock;
  readonly #demand = new Demand();
  readonly #sinceMs: number;

  /** @param send makes the request for a demand that wants what all who wait for it want */
  constructor(clock: Clock, { lane, deadlineMs }: Demand, send: (demand: Demand) => Promise<T>) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonicMs();
    this.#demand.join(lane, deadlineMs);
    this.outcome = send(this.#demand);
    this.outcome.catch(() => undefined);
  }

  /**
   * Resolves when the probe has ended, well or not. Rejects with the demand's reason where that ends first, and with
   * `makeError()` where a person would wait too long: an older answer now is better than a new one after all that time.
   */
  async ended(demand: Demand, makeError: () => Error): Promise<void> {
    this.#demand.follow(demand);
    const stops: (() => void)[] = [];
    try {
      await new Promise<unknown>((resolve, reject) => {
        const look = () => {
          if (demand.lane === 'interactive' && this.#patienceMs() <= 0) reject(makeError());
        };
        stops.push(onAbort(demand.signal, reject), demand.onRaise(look), this.#clock.after(this.#patienceMs(), look));
        this.outcome.then(resolve, resolve);
        look();
      });
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** Sends everybody away. */
  end(reason: unknown): void {
    this.#demand.end(reason);
  }

  #patienceMs(): number {
    return Math.max(0, this.#sinceMs + PATIENCE_MS - this.#clock.monotonicMs());
  }
}
