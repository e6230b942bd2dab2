import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { createAddress, type Query, type Target } from './address.ts';
import type { QuotaStatus, SpendingStore } from './catalog.ts';
import { Circuit } from './circuit.ts';
import { classify, type Failure } from './classify.ts';
import { sleepWhile, waitWhile } from './deadline.ts';
import type { Demand } from './demand.ts';
import { CatalogError, CatalogNetworkError, CatalogTimeoutError } from './errors.ts';
import { type InterfaceHealth, Pulse } from './health.ts';
import type { Http, HttpReply } from './http.ts';
import { Probe } from './probe.ts';
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

/** A request whose turn comes, or has come. */
interface Leaving {
  asked: CatalogRequest;
  target: Target;
  demand: Demand;
  /** Which UTC day pays for it; null where it has not left. */
  day: number | null;
}

/** How long one attempt may take from its first byte to its last. */
const ATTEMPT_TIMEOUT_MS = 15_000;

export function createTransport(options: TransportOptions): Transport {
  const { name, http, clock, random } = options;
  const log = options.log.child({ interface: name });
  const throttle = new Throttle({ ...options, send: exchange });
  const circuit = new Circuit();
  const pulse = new Pulse();
  const address = createAddress(options);
  let probe: Probe<Attempt> | null = null;
  // Loaded early so that the quota can be told before the first call; a call tries again and reports what went wrong.
  throttle.load().catch(() => undefined);

  async function request(asked: CatalogRequest, demand: Demand): Promise<unknown> {
    const target = address(asked.body === undefined ? 'GET' : 'POST', asked.path, asked.query ?? []);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await pass(asked, target, demand);
      if ('json' in outcome) return outcome.json;
      const { failure, day } = outcome;
      if (failure.kind === 'quota' && day !== null) {
        await closeDay(day);
        continue;
      }
      if (asked.isTooMuch?.(failure.error)) throw failure.error;
      const delayMs = retryDelayMs({ ...failure, attempt }, clock.now(), random);
      if (delayMs === null || (failure.kind === 'passing' && isOpen())) throw failure.error;
      log.warn({ attempt, delayMs, reason: failure.error.message }, 'A request failed and is tried again.');
      // Where a pause or a wait would outlast the call's time, it ends here: nothing is gained by waiting for that.
      if (failure.kind === 'rate') throttle.pause(delayMs);
      else if (clock.monotonicMs() + delayMs > demand.deadlineMs) throw failure.error;
      else await sleepWhile(demand, clock, delayMs);
    }
  }

  /** One attempt, when the circuit lets it pass: at once, or after somebody has probed. */
  async function pass(asked: CatalogRequest, target: Target, demand: Demand): Promise<Attempt> {
    for (;;) {
      refuseWhileOpen();
      if (!circuit.isHalfOpen(clock.monotonicMs())) return send(asked, target, demand);
      const theirs = probe;
      const current = theirs ?? startProbe(asked, target, demand);
      await current.ended(demand, () => openError(0));
      if (theirs === null) return current.outcome;
    }
  }

  function startProbe(asked: CatalogRequest, target: Target, demand: Demand): Probe<Attempt> {
    probe = new Probe(clock, demand, (everybody) =>
      send(asked, target, everybody).finally(() => {
        probe = null;
      }),
    );
    return probe;
  }

  /** One attempt: the turn, the exchange, and what the circuit learns from it. */
  async function send(asked: CatalogRequest, target: Target, demand: Demand): Promise<Attempt> {
    const leaving: Leaving = { asked, target, demand, day: null };
    let outcome: Outcome;
    try {
      outcome = classify(await throttle.schedule(demand, leaving), target);
    } catch (error) {
      demand.throwIfEnded();
      if (leaving.day === null || !(error instanceof CatalogError)) throw error;
      outcome = { failure: { kind: error.retryable ? 'passing' : 'final', error } };
    }
    if ('json' in outcome || !asked.isTooMuch?.(outcome.failure.error)) pulse.note(outcome, clock.now());
    if ('json' in outcome || outcome.failure.kind !== 'passing') circuitSucceeded();
    else if (!asked.isTooMuch?.(outcome.failure.error)) circuitFailed();
    return { ...outcome, day: leaving.day };
  }

  /** The way to the catalog and back, within the time of one attempt. */
  async function exchange(leaving: Leaving, day: number): Promise<HttpReply> {
    leaving.day = day;
    const { asked, target, demand } = leaving;
    const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
    const headers = body === undefined ? target.headers : { ...target.headers, 'content-type': 'application/json' };
    const sent = http.send({ ...target, headers, body });
    const endWait = waitWhile(demand, clock, ATTEMPT_TIMEOUT_MS, {
      over: () => sent.stop(new CatalogTimeoutError(`${target.label} took more than ${ATTEMPT_TIMEOUT_MS / 1000} s.`)),
      ended: (reason) => sent.stop(reason),
    });
    try {
      return await sent.reply;
    } finally {
      endWait();
    }
  }

  function isOpen(): boolean {
    return leftAloneForMs() !== null;
  }

  /** For how long the catalog is still left alone; null where it is not. */
  function leftAloneForMs(): number | null {
    const nowMs = clock.monotonicMs();
    const untilMs = circuit.openUntilMs(nowMs);
    return untilMs === null ? null : untilMs - nowMs;
  }

  function refuseWhileOpen(): void {
    const openMs = leftAloneForMs();
    if (openMs !== null) throw openError(openMs);
  }

  function openError(openMs: number): CatalogError {
    const seconds = Math.max(1, Math.ceil(openMs / 1000));
    return new CatalogNetworkError(`The catalog's ${name} interface keeps failing and is asked again in ${seconds} s.`);
  }

  function circuitSucceeded(): void {
    if (circuit.succeeded()) log.info('The catalog answers again.');
  }

  function circuitFailed(): void {
    const openMs = circuit.failed(clock.monotonicMs());
    if (openMs === null) return;
    log.error({ openMs }, 'The catalog keeps failing and is left alone for a while.');
    throttle.refuseAll(openError(openMs));
  }

  async function closeDay(day: number): Promise<void> {
    const isClosed = await throttle.closeDay(day);
    log.error(
      throttle.status(),
      isClosed
        ? "The catalog says that today's requests are used up."
        : "The catalog says that yesterday's requests are used up.",
    );
  }

  return {
    request,
    quota: () => throttle.status(),
    health() {
      const openMs = leftAloneForMs();
      return pulse.health(openMs === null ? null : Math.round(clock.now() + openMs));
    },
    close(error) {
      probe?.end(error);
      return throttle.close(error);
    },
  };
}
