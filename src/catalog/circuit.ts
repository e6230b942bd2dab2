import { type BackOff, backOffMs } from '../shared/backoff.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { Demand, onAbort } from './demand.ts';
import { type CatalogError, CatalogNetworkError } from './errors.ts';

export interface CircuitOptions {
  name: 'v2' | 'portal';
  clock: Clock;
  log: Log;
  /** Called when the circuit opens. */
  onOpen: (error: CatalogError) => void;
}

type Attempt<T> = (demand: Demand) => Promise<T>;

const FAILURES_TO_OPEN = 5;
/** How long it stays open, by the probes that failed. */
export const OPEN: BackOff = { firstMs: 15_000, factor: 2, longestMs: 300_000 };

/** How long a person waits for a probe: milliseconds. */
const PATIENCE_MS = 3_000;

/**
 * A circuit breaker: stops requests to an interface that keeps failing, which saves quota and people's time. While open,
 * no request passes; then it is half open: one request probes, and others wait for it. Where the probe fails, the next
 * wait is twice as long.
 */
export class Circuit<T> {
  readonly #options: CircuitOptions;
  /** In a row. */
  #failures = 0;
  /** In a row. */
  #openings = 0;
  /** Monotonic milliseconds; null while the circuit is closed. */
  #openUntilMs: number | null = null;
  #probe: Probe<T> | null = null;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  /**
   * Makes an attempt when the circuit allows it: at once, or after a probe has succeeded. Rejects with a
   * CatalogNetworkError while the circuit is open.
   */
  async run(demand: Demand, attempt: Attempt<T>): Promise<T> {
    for (;;) {
      const openMs = this.openForMs();
      if (openMs !== null) throw this.#openError(openMs);
      if (this.#openUntilMs === null) return attempt(demand);
      const theirs = this.#probe;
      const probe = theirs ?? this.#startProbe(demand, attempt);
      await probe.ended(demand, () => this.#openError(0));
      if (theirs === null) return probe.outcome;
    }
  }

  /** Records that an attempt got an answer. */
  succeeded(): void {
    if (this.#openUntilMs !== null) this.#options.log.info('the catalog is responding again');
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntilMs = null;
  }

  /** Records that an attempt failed in a way that may be temporary. */
  failed(): void {
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || this.openForMs() !== null) return;
    this.#openings += 1;
    const { clock, log, onOpen } = this.#options;
    const openMs = backOffMs(this.#openings, OPEN);
    this.#openUntilMs = clock.monotonicMs() + openMs;
    log.error({ openMs }, 'the catalog keeps failing: requests are paused');
    onOpen(this.#openError(openMs));
  }

  /** Milliseconds until the next attempt may pass; null where the circuit is not open. */
  openForMs(): number | null {
    if (this.#openUntilMs === null) return null;
    const forMs = this.#openUntilMs - this.#options.clock.monotonicMs();
    return forMs > 0 ? forMs : null;
  }

  /** Whether it has opened, and no attempt has got an answer since: open or half open. */
  get isOpenOrProbing(): boolean {
    return this.#openUntilMs !== null;
  }

  /** Ends a running probe. */
  close(error: CatalogError): void {
    this.#probe?.end(error);
  }

  #startProbe(demand: Demand, attempt: Attempt<T>): Probe<T> {
    this.#probe = new Probe(this.#options.clock, demand, (everybody) =>
      attempt(everybody).finally(() => {
        this.#probe = null;
      }),
    );
    return this.#probe;
  }

  #openError(openMs: number): CatalogError {
    const seconds = Math.max(1, Math.ceil(openMs / 1000));
    return new CatalogNetworkError(
      `The catalog's ${this.#options.name} interface keeps failing and is asked again in ${seconds} s.`,
    );
  }
}

/**
 * The single request that tests the catalog after the circuit was open. It is made for the first caller, and continues
 * when that caller gives up, because its result concerns all callers.
 */
class Probe<T> {
  /** The result for the first caller. */
  readonly outcome: Promise<T>;
  readonly #clock: Clock;
  readonly #demand = new Demand();
  readonly #sinceMs: number;

  /** @param send makes the request for a demand that combines those of all who wait for the probe */
  constructor(clock: Clock, { lane, deadlineMs }: Demand, send: Attempt<T>) {
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
