import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { Circuit } from './circuit.ts';
import type { Demand } from './demand.ts';
import { type CatalogError, CatalogNetworkError } from './errors.ts';
import { Probe } from './probe.ts';

export interface BreakerOptions {
  name: 'v2' | 'portal';
  clock: Clock;
  log: Log;
  /** Called when the circuit opens. */
  onOpen: (error: CatalogError) => void;
}

/** Lets attempts through to one interface while its circuit is closed. */
export interface Breaker<T> {
  /**
   * Makes an attempt when the circuit allows it: at once, or after a probe has succeeded. Rejects with a
   * CatalogNetworkError while the circuit is open.
   */
  run(demand: Demand, attempt: (demand: Demand) => Promise<T>): Promise<T>;
  /** Records that an attempt got an answer. */
  succeeded(): void;
  /** Records that an attempt failed in a way that may be temporary. */
  failed(): void;
  /** Milliseconds until the next attempt may pass; null where the circuit is not open. */
  openForMs(): number | null;
  /** Ends a running probe. */
  close(error: CatalogError): void;
}

export function createBreaker<T>({ name, clock, log, onOpen }: BreakerOptions): Breaker<T> {
  const circuit = new Circuit();
  let probe: Probe<T> | null = null;

  function startProbe(demand: Demand, attempt: (demand: Demand) => Promise<T>): Probe<T> {
    probe = new Probe(clock, demand, (everybody) =>
      attempt(everybody).finally(() => {
        probe = null;
      }),
    );
    return probe;
  }

  function openForMs(): number | null {
    const nowMs = clock.monotonicMs();
    const untilMs = circuit.openUntilMs(nowMs);
    return untilMs === null ? null : untilMs - nowMs;
  }

  function openError(openMs: number): CatalogError {
    const seconds = Math.max(1, Math.ceil(openMs / 1000));
    return new CatalogNetworkError(`The catalog's ${name} interface keeps failing and is asked again in ${seconds} s.`);
  }

  return {
    async run(demand, attempt) {
      for (;;) {
        const openMs = openForMs();
        if (openMs !== null) throw openError(openMs);
        if (!circuit.isHalfOpen(clock.monotonicMs())) return attempt(demand);
        const theirs = probe;
        const current = theirs ?? startProbe(demand, attempt);
        await current.ended(demand, () => openError(0));
        if (theirs === null) return current.outcome;
      }
    },
    succeeded() {
      if (circuit.succeeded()) log.info('the catalog is responding again');
    },
    failed() {
      const openMs = circuit.failed(clock.monotonicMs());
      if (openMs === null) return;
      log.error({ openMs }, 'the catalog keeps failing: requests are paused');
      onOpen(openError(openMs));
    },
    openForMs,
    close: (error) => probe?.end(error),
  };
}
