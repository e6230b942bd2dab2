import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import type { Clock } from '../../../shared/clock.ts';
import type { Lane, QuotaStatus, SpendingStore } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { type CatalogError, CatalogQuotaSpentError, CatalogRateLimitedError, CatalogSpendingError } from '../errors.ts';
import { startOfDayMs } from './quota.ts';
import { type Limits, RateBudget, SETTLE_MS } from './rate-budget.ts';

export interface ThrottleOptions extends Limits {
  name: 'v2' | 'portal';
  clock: Clock;
  spending: SpendingStore;
}

/**
 * Sends a request. Errors come as a rejection, never as a throw.
 * @param day the UTC day whose quota pays for it
 */
type Send<Reply> = (day: number) => Promise<Reply>;

/** The queue serves the highest priority first. */
const PRIORITIES: Record<Lane, number> = { interactive: 2, announcement: 1, background: 0 };

/** A "quota spent" answer within this time after midnight may refer to the day before, because clocks differ. */
const DAY_TURN_MS = 60_000;

/**
 * Decides when a request of one interface may be sent: by lane, and first come, first served within a lane. The
 * spending is saved before the request is sent, so that no number of crashes makes the catalog receive more requests
 * than its bucket and its daily quota allow.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #budget: RateBudget;
  /** Runs only while `#pump` starts one request. */
  readonly #queue = new PQueue({ autoStart: false });
  /** The demands of waiting requests, by their id in the queue. */
  readonly #waiting = new Map<string, Demand>();
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
   */
  async schedule<Reply>(demand: Demand, send: Send<Reply>): Promise<Reply> {
    await this.load();
    const id = randomUUID();
    this.#waiting.set(id, demand);
    const stopListening = demand.onRaise((isMoreUrgent) => {
      if (isMoreUrgent && this.#waiting.has(id)) this.#queue.setPriority(id, PRIORITIES[demand.lane]);
    });
    const start = () => {
      this.#waiting.delete(id);
      return this.#start(demand, send);
    };
    const reply = this.#queue.add(start, { id, priority: PRIORITIES[demand.lane], signal: demand.signal });
    this.#pump();
    return reply.finally(() => {
      stopListening();
      this.#waiting.delete(id);
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
    const turnedInMs = startOfDayMs(this.#budget.day) + DAY_TURN_MS - this.#options.clock.now();
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
    for (const demand of this.#waiting.values()) demand.end(error);
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
      for (const demand of this.#waiting.values()) {
        const refusal = this.#refusalOf(demand);
        if (refusal) demand.end(refusal);
      }
      if (this.#queue.size === 0) return;
      const waitMs = this.#budget.waitMs();
      if (waitMs > 0) {
        this.#cancelTimer = this.#options.clock.after(waitMs, () => this.#pump());
        return;
      }
      this.#queue.start();
      this.#queue.pause();
    }
  }

  /** Starts a request whose turn has come. It counts at once; the next turn comes only through `#pump`. */
  async #start<Reply>(demand: Demand, send: Send<Reply>): Promise<Reply> {
    this.#queue.pause();
    this.#budget.spend();
    const { day } = this.#budget;
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
