import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { createAddress, type Query, type Target } from './address.ts';
import type { QuotaStatus, SpendingStore } from './catalog.ts';
import { createCircuit } from './circuit.ts';
import { classify, type Failure } from './classify.ts';
import { withDeadline } from './deadline.ts';
import type { Demand } from './demand.ts';
import { CatalogError, CatalogTimeoutError } from './errors.ts';
import { HealthTracker, type InterfaceHealth } from './health.ts';
import type { Http, HttpReply } from './http.ts';
import { retryDelayMs } from './retry.ts';
import { Throttle } from './throttle/throttle.ts';

export interface InterfaceOptions {
  url: string;
  key: string;
  /** Requests per second, over a long time. */
  rate: number;
  /** Requests at once. */
  burst: number;
  /** Requests per UTC day. */
  quota: number;
}

export interface TransportOptions extends InterfaceOptions {
  name: 'v2' | 'portal';
  /** The keys of both interfaces. */
  secrets: readonly string[];
  http: Http;
  clock: Clock;
  log: Log;
  spending: SpendingStore;
  random: () => number;
}

interface CatalogRequest {
  path: string;
  query?: Query;
  /** Sent as JSON with POST; without it the request is a GET. */
  body?: unknown;
  /** Which failures call for asking for less instead of asking again. They say nothing about how the catalog is. */
  isTooMuch?: (error: CatalogError) => boolean;
}

/** The requests of one interface. */
export interface Transport {
  /**
   * One call: turn in the lane → throttle → request → classify, again where that may help, until there is JSON.
   * Rejects with a CatalogError or the demand's abort reason.
   */
  request(request: CatalogRequest, demand: Demand): Promise<unknown>;
  quota(): QuotaStatus;
  health(): InterfaceHealth;
  close(error: CatalogError): Promise<void>;
}

type Outcome = { json: unknown } | { failure: Failure };

/** With the UTC day that pays for it, null where it did not leave. */
type Attempt = Outcome & { day: number | null };

/** How long one attempt may take from its first byte to its last. */
const ATTEMPT_TIMEOUT_MS = 15_000;

export function createTransport(options: TransportOptions): Transport {
  const { name, clock, random } = options;
  const log = options.log.child({ interface: name });
  const throttle = new Throttle(options);
  const circuit = createCircuit<Attempt>({ name, clock, log, onOpen: (error) => throttle.refuseAll(error) });
  const health = new HealthTracker();
  const address = createAddress(options);
  // Loaded early so that the quota can be told before the first call; a call tries again and reports what went wrong.
  throttle.load().catch(() => undefined);

  async function request(asked: CatalogRequest, demand: Demand): Promise<unknown> {
    const target = address(asked.body === undefined ? 'GET' : 'POST', asked.path, asked.query ?? []);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await circuit.run(demand, (everybody) => send(asked, target, everybody));
      if ('json' in outcome) return outcome.json;
      const { failure, day } = outcome;
      if (failure.kind === 'quota' && day !== null) {
        await closeDay(day);
        continue;
      }
      if (asked.isTooMuch?.(failure.error)) throw failure.error;
      const delayMs = retryDelayMs({ ...failure, attempt }, clock.now(), random);
      if (delayMs === null || (failure.kind === 'passing' && circuit.openForMs() !== null)) throw failure.error;
      log.warn({ attempt, delayMs, reason: failure.error.message }, 'retrying a failed catalog request');
      // Where a pause or a wait would outlast the call's time, it ends here: nothing is gained by waiting for that.
      if (failure.kind === 'rate') throttle.pause(delayMs);
      else if (clock.monotonicMs() + delayMs > demand.deadlineMs) throw failure.error;
      else await clock.sleep(delayMs, demand.signal);
    }
  }

  /** One attempt: the turn, the exchange, and what the circuit learns from it. */
  async function send(asked: CatalogRequest, target: Target, demand: Demand): Promise<Attempt> {
    let day = null as number | null;
    let outcome: Outcome;
    try {
      const reply = await throttle.schedule(demand, (paying) => {
        day = paying;
        return exchange(options, asked, target, demand.signal);
      });
      outcome = classify(reply, target);
    } catch (error) {
      demand.signal.throwIfAborted();
      if (day === null || !(error instanceof CatalogError)) throw error;
      outcome = { failure: { kind: error.retryable ? 'passing' : 'final', error } };
    }
    const isTooMuch = 'failure' in outcome && asked.isTooMuch?.(outcome.failure.error);
    if (!isTooMuch) health.note(outcome, clock.now());
    if ('json' in outcome || outcome.failure.kind !== 'passing') circuit.succeeded();
    else if (!isTooMuch) circuit.failed();
    return { ...outcome, day };
  }

  async function closeDay(day: number): Promise<void> {
    const isClosed = await throttle.closeDay(day);
    log.error(
      throttle.status(),
      isClosed
        ? "the catalog says that today's quota is used up"
        : "the catalog says that yesterday's quota is used up",
    );
  }

  return {
    request,
    quota: () => throttle.status(),
    health() {
      const openMs = circuit.openForMs();
      return health.health(openMs === null ? null : Math.round(clock.now() + openMs));
    },
    close(error) {
      circuit.close(error);
      return throttle.close(error);
    },
  };
}

/** The way to the catalog and back, within the time of one attempt. */
function exchange(
  { http, clock }: TransportOptions,
  asked: CatalogRequest,
  target: Target,
  awaited: AbortSignal,
): Promise<HttpReply> {
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
  const headers = body === undefined ? target.headers : { ...target.headers, 'content-type': 'application/json' };
  const timedOut = () => new CatalogTimeoutError(`${target.label} took more than ${ATTEMPT_TIMEOUT_MS / 1000} s.`);
  return withDeadline(clock, ATTEMPT_TIMEOUT_MS, awaited, timedOut, (signal) =>
    http.send({ ...target, headers, body }, signal),
  );
}
