import PQueue from 'p-queue';
import type { Clock } from '../../shared/clock.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import { LANES, type QuotaStatus, type SpendingStore } from '../catalog.ts';
import { type Demand, onAbort } from '../demand.ts';
import { type CatalogError, CatalogQuotaSpentError, CatalogRateLimitedError, CatalogSpendingError } from '../errors.ts';
import { type Limits, RateBudget, SETTLE_MS } from './rate-budget.ts';

export interface ThrottleOptions extends Limits {
  name: 'v2' | 'portal';
  clock: Clock;
  spending: SpendingStore;
}

/** A request that waits for its turn. */
interface Waiting {
  demand: Demand;
  /** Called at its turn with the UTC day whose quota pays for it. */
  start(day: number): void;
}

/** A "quota spent" answer within this time after midnight may refer to the day before, because clocks differ. */
const DAY_TURN_MS = MINUTE_MS;

/**
 * Decides when a request of one interface may be sent: by lane, and first come, first served within a lane. The
 * spending is saved before the request is sent, so that no number of crashes makes the catalog receive more requests
 * than its bucket and its daily quota allow.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #budget: RateBudget;
  /** In each lane, first come, first served. */
  readonly #waiting = new Set<Waiting>();
  readonly #writes = new PQueue({ concurrency: 1 });
  #nextWrite: Promise<void> | null = null;
  #loading: Promise<void> | null = null;
  #isLoaded = false;
  #closed: CatalogError | null = null;
  #cancelTimer: () => void = () => undefined;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#budget = new RateBudget(options, this.#moment());
  }

  /**
   * Sends a request when its turn has come and its spending is saved. A demand that ends before that leaves the queue,
   * spends nothing and rejects with its reason. Rejects with a CatalogQuotaSpentError, with a CatalogRateLimitedError
   * where the catalog permits no request before the deadline, or with a CatalogSpendingError; otherwise as `send` does:
   * then the catalog has not answered, and may still count the request.
   * @param send gets the UTC day whose quota pays for the request
   */
  async schedule<Reply>(demand: Demand, send: (day: number) => Promise<Reply>): Promise<Reply> {
    await this.load();
    const day = await this.#turn(demand);
    try {
      await this.#save();
      if (this.#closed) throw this.#closed;
      demand.signal.throwIfAborted();
    } catch (error) {
      this.#budget.refund();
      this.#pump();
      throw error;
    }
    try {
      const reply = await send(day);
      this.#settle();
      return reply;
    } catch (error) {
      // The catalog may still count it.
      if (!this.#closed) this.#options.clock.after(SETTLE_MS, () => this.#settle());
      throw error;
    }
  }

  /** Resolves at the demand's turn, with the day that pays. The request counts from then on. */
  #turn(demand: Demand): Promise<number> {
    const stops: (() => void)[] = [];
    const turn = new Promise<number>((resolve, reject) => {
      const waiting: Waiting = { demand, start: resolve };
      stops.push(
        demand.onRaise((isMoreUrgent) => {
          // At the end of its new lane.
          if (isMoreUrgent && this.#waiting.delete(waiting)) this.#waiting.add(waiting);
        }),
        onAbort(demand.signal, (reason) => {
          this.#waiting.delete(waiting);
          reject(reason);
        }),
      );
      if (demand.signal.aborted) return;
      this.#waiting.add(waiting);
      this.#pump();
    });
    return turn.finally(() => {
      for (const stop of stops) stop();
    });
  }

  /** Reads the stored spending, once. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  /** Sends nothing for `ms` milliseconds: the catalog says that its bucket is empty. */
  pause(ms: number): void {
    this.#advance();
    this.#budget.pause(this.#options.clock.monotonicMs() + ms);
    this.#pump();
  }

  /**
   * Closes the day whose quota the catalog says is spent. Where the answer may refer to the day before, it only pauses,
   * and returns false.
   */
  async closeDay(day: number): Promise<boolean> {
    this.#advance();
    const turnedInMs = this.#budget.day + DAY_TURN_MS - this.#options.clock.now();
    if (day !== this.#budget.day || turnedInMs > 0) {
      this.pause(Math.max(0, turnedInMs));
      return false;
    }
    this.#budget.exhaust();
    this.#pump();
    await this.#save();
    return true;
  }

  status(): QuotaStatus {
    this.#advance();
    return this.#budget.status();
  }

  /** Rejects all waiting requests. */
  refuseAll(error: CatalogError): void {
    for (const { demand } of this.#waiting) demand.end(error);
  }

  /** Rejects all waiting and future requests, and resolves when the spending is saved. */
  async close(error: CatalogError): Promise<void> {
    this.#closed = error;
    this.#pump();
    await this.#writes.onIdle();
  }

  #moment() {
    const { clock } = this.#options;
    return { nowMs: clock.now(), monotonicMs: clock.monotonicMs() };
  }

  #advance(): void {
    const hasJumped = this.#budget.advanceTo(this.#moment());
    // Saved at once, because after a restart nothing else shows that the wall clock jumped: an old day may then seem
    // new.
    if (hasJumped && this.#isLoaded && !this.#closed) this.#save().catch(() => undefined);
  }

  /** Starts all requests that may be sent, rejects those that can't, and sets the timer for the next. */
  #pump(): void {
    this.#advance();
    this.#cancelTimer();
    for (;;) {
      for (const { demand } of this.#waiting) {
        const refusal = this.#refusalOf(demand);
        if (refusal) demand.end(refusal);
      }
      const next = this.#mostUrgent();
      if (!next) return;
      const waitMs = this.#budget.waitMs();
      if (waitMs > 0) {
        this.#cancelTimer = this.#options.clock.after(waitMs, () => this.#pump());
        return;
      }
      this.#waiting.delete(next);
      this.#budget.spend();
      next.start(this.#budget.day);
    }
  }

  #mostUrgent(): Waiting | undefined {
    for (const lane of LANES) for (const waiting of this.#waiting) if (waiting.demand.lane === lane) return waiting;
    return undefined;
  }

  #settle(): void {
    this.#advance();
    this.#budget.settle();
    this.#pump();
  }

  #refusalOf(demand: Demand): CatalogError | null {
    if (this.#closed) return this.#closed;
    const { name, clock } = this.#options;
    const { pausedUntilMs } = this.#budget;
    const pausedMs = pausedUntilMs - clock.monotonicMs();
    if (pausedMs > 0 && demand.deadlineMs <= pausedUntilMs) {
      const seconds = Math.ceil(pausedMs / 1000);
      return new CatalogRateLimitedError(
        `The catalog's ${name} interface asked us to slow down and lets us in again in ${seconds} s.`,
      );
    }
    if (this.#budget.remaining(demand.lane) > 0) return null;
    const { limit, spent, resetsAtMs } = this.#budget.status();
    return new CatalogQuotaSpentError(
      limit > spent
        ? `The ${limit - spent} requests that the catalog's ${name} interface still has today are kept for people.`
        : `The catalog's ${name} interface has no requests left until ${new Date(resetsAtMs).toISOString()}.`,
      resetsAtMs,
    );
  }

  /**
   * Resolves when a write that began after this call is done. Writes run one at a time, and all waiting callers share
   * the next one.
   */
  #save(): Promise<void> {
    this.#nextWrite ??= this.#writes.add(async () => {
      // Waits one microtask, so that the write includes other requests of the same moment.
      await Promise.resolve();
      this.#nextWrite = null;
      const { name, spending } = this.#options;
      await spending.save(name, this.#budget.record()).catch((cause: unknown) => {
        throw new CatalogSpendingError(`What is spent on the catalog's ${name} interface could not be saved.`, {
          cause,
        });
      });
    });
    return this.#nextWrite;
  }

  async #load(): Promise<void> {
    const { name, spending } = this.#options;
    const record = await spending.load(name).catch((cause: unknown) => {
      throw new CatalogSpendingError(`What was spent on the catalog's ${name} interface could not be read.`, { cause });
    });
    this.#advance();
    if (record && this.#budget.restore(record)) await this.#save();
    this.#isLoaded = true;
  }
}
