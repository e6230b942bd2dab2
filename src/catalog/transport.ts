import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { InterfaceHealth, QuotaStatus, SpendingStore } from './catalog.ts';
import { Circuit } from './circuit.ts';
import { type Demand, withDeadline } from './demand.ts';
import { CatalogError, CatalogHttpError, CatalogTimeoutError } from './errors.ts';
import { classify, type Failure, retryDelayMs } from './failure.ts';
import { createAddress, type Http, type HttpReply, type Query, type Target } from './http.ts';
import type { Limits } from './throttle/rate-budget.ts';
import { Throttle } from './throttle/throttle.ts';

export interface InterfaceOptions extends Limits {
  url: string;
  key: string;
}

/** Called with the status of each answer, `none` where there was no answer. */
export type OnReply = (name: 'v2' | 'portal', outcome: string) => void;

export interface TransportOptions extends InterfaceOptions {
  name: 'v2' | 'portal';
  /** The keys of both interfaces. */
  secrets: readonly string[];
  http: Http;
  clock: Clock;
  log: Log;
  spending: SpendingStore;
  random: () => number;
  onReply: OnReply;
}

interface CatalogRequest {
  path: string;
  query?: Query;
  /** Sent as JSON with POST; without it the request is a GET. */
  body?: unknown;
  /** Which failures call for asking for less instead of asking again. They say nothing about the catalog's health. */
  isTooMuch?: (error: CatalogError) => boolean;
}

type Outcome = { json: unknown } | { failure: Failure };

/** With the UTC day that pays for it, null where it did not leave. */
type Attempt = Outcome & { day: number | null };

/** How long one attempt may take from its first byte to its last. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

/** The requests of one interface. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #log: Log;
  readonly #throttle: Throttle;
  readonly #circuit: Circuit<Attempt>;
  readonly #address: ReturnType<typeof createAddress>;
  #answeredAtMs: number | null = null;
  #failure: InterfaceHealth['failure'] = null;

  constructor(options: TransportOptions) {
    const { name, clock } = options;
    this.#options = options;
    this.#log = options.log.child({ interface: name });
    this.#throttle = new Throttle(options);
    const onOpen = (error: CatalogError) => this.#throttle.refuseAll(error);
    this.#circuit = new Circuit({ name, clock, log: this.#log, onOpen });
    this.#address = createAddress(options);
    // Loaded early so that the quota is known before the first call; a call tries again and reports what went wrong.
    this.#throttle.load().catch(() => undefined);
  }

  /**
   * One call: circuit → throttle, with its lanes → request → classify, again where that may help, until there is JSON.
   * Rejects with a CatalogError or the demand's abort reason.
   */
  async request(asked: CatalogRequest, demand: Demand): Promise<unknown> {
    const { clock, random } = this.#options;
    const target = this.#address(asked.body === undefined ? 'GET' : 'POST', asked.path, asked.query ?? []);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#circuit.run(demand, (everybody) => this.#send(asked, target, everybody));
      if ('json' in outcome) return outcome.json;
      const { failure, day } = outcome;
      if (failure.kind === 'quota' && day !== null) {
        await this.#closeDay(day);
        continue;
      }
      if (asked.isTooMuch?.(failure.error)) throw failure.error;
      const delayMs = retryDelayMs(failure, attempt, clock.now(), random);
      if (delayMs === null || (failure.kind === 'passing' && this.#circuit.openForMs() !== null)) throw failure.error;
      this.#log.warn({ attempt, delayMs, reason: failure.error.message }, 'retrying a failed catalog request');
      // Where a pause or a wait would outlast the call's time, it ends here: nothing is gained by waiting for that.
      if (failure.kind === 'rate') this.#throttle.pause(delayMs);
      else if (clock.monotonicMs() + delayMs > demand.deadlineMs) throw failure.error;
      else await clock.sleep(delayMs, demand.signal);
    }
  }

  quota(): QuotaStatus {
    return this.#throttle.status();
  }

  health(): InterfaceHealth {
    const openMs = this.#circuit.openForMs();
    return {
      answeredAtMs: this.#answeredAtMs,
      failure: this.#failure,
      circuitOpenUntilMs: openMs === null ? null : Math.round(this.#options.clock.now() + openMs),
      isAway: this.#circuit.isOpenOrProbing,
    };
  }

  close(error: CatalogError): Promise<void> {
    this.#circuit.close(error);
    return this.#throttle.close(error);
  }

  /** One attempt: the turn, the exchange, and what the circuit and the health learn from it. */
  async #send(asked: CatalogRequest, target: Target, demand: Demand): Promise<Attempt> {
    let day = null as number | null;
    let outcome: Outcome;
    try {
      const reply = await this.#throttle.schedule(demand, (paying) => {
        day = paying;
        return this.#exchange(asked, target, demand.signal);
      });
      outcome = classify(reply, target);
    } catch (error) {
      demand.signal.throwIfAborted();
      if (day === null || !(error instanceof CatalogError)) throw error;
      outcome = { failure: { kind: error.retryable ? 'passing' : 'final', error } };
    }
    const failure = 'failure' in outcome ? outcome.failure : null;
    const isTooMuch = failure !== null && asked.isTooMuch?.(failure.error) === true;
    if (failure?.kind !== 'passing') this.#circuit.succeeded();
    else if (!isTooMuch) this.#circuit.failed();
    const atMs = this.#options.clock.now();
    if (failure === null || isAnswer(failure)) this.#answeredAtMs = atMs;
    else if (!isTooMuch) this.#failure = { atMs, error: failure.error };
    return { ...outcome, day };
  }

  /** The way to the catalog and back, within the time of one attempt. */
  #exchange(asked: CatalogRequest, target: Target, awaited: AbortSignal): Promise<HttpReply> {
    const { name, http, clock, onReply } = this.#options;
    const body = asked.body === undefined ? undefined : JSON.stringify(asked.body);
    const headers = body === undefined ? target.headers : { ...target.headers, 'content-type': 'application/json' };
    const timedOut = () => new CatalogTimeoutError(`${target.label} took more than ${ATTEMPT_TIMEOUT_MS / 1000} s.`);
    return withDeadline(clock, ATTEMPT_TIMEOUT_MS, awaited, timedOut, async (signal) => {
      let outcome = 'none';
      try {
        const reply = await http.send({ ...target, headers, body }, signal);
        outcome = String(reply.status);
        return reply;
      } finally {
        onReply(name, outcome);
      }
    });
  }

  async #closeDay(day: number): Promise<void> {
    const isClosed = await this.#throttle.closeDay(day);
    this.#log.error(
      this.#throttle.status(),
      isClosed
        ? "the catalog says that today's quota is used up"
        : "the catalog says that yesterday's quota is used up",
    );
  }
}

/** A "bad request", a "not found" and a "quota spent" are answers as far as health is concerned. */
function isAnswer({ kind, error }: Failure): boolean {
  return kind === 'quota' || (error instanceof CatalogHttpError && [400, 404].includes(error.status));
}
