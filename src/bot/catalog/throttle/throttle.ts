import type { Clock } from '../../../shared/clock.ts';
import { LANES, type QuotaStatus, type SpendingStore } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { type CatalogError, CatalogQuotaSpentError, CatalogRateLimitedError } from '../errors.ts';
import { Alarm } from './alarm.ts';
import { Lanes } from './lanes.ts';
import { startOfDayMs } from './quota.ts';
import { Account, type Limits, type Moment, SETTLE_MS } from './rate-budget.ts';
import { Spending } from './spending.ts';
import { type Line, type Settle, Waiter } from './waiter.ts';

export interface ThrottleOptions<Request, Reply> extends Limits {
  name: 'v2' | 'portal';
  clock: Clock;
  spending: SpendingStore;
  /** Sends a request when its turn has come, and is told which UTC day pays. Throws by its promise only. */
  send: (request: Request, day: number) => Promise<Reply>;
}

/** Those whose turn has come, and who go on together once a write that counts them is done. */
interface Batch<Request, Reply> {
  readonly saved: Promise<void>;
  /** The UTC day that pays for them. */
  readonly day: number;
  readonly waiters: Waiter<Request, Reply>[];
}

/** "The quota is spent", said this early in a day, may be about the day before: clocks differ. */
const DAY_TURN_MS = 60_000;

/**
 * Decides when a request of one interface may leave. Whatever a request spends is saved before it leaves, so that no
 * crash, however often, makes the catalog see more requests than its bucket and its day allow.
 */
export class Throttle<Request, Reply> {
  readonly #options: ThrottleOptions<Request, Reply>;
  readonly #account: Account;
  readonly #spending: Spending;
  readonly #lanes = new Lanes<Waiter<Request, Reply>>();
  readonly #alarm: Alarm;
  #loaded: Promise<void> | null = null;
  #isLoaded = false;
  #batch: Batch<Request, Reply> | null = null;
  #closed: CatalogError | null = null;
  readonly #line: Line<Request, Reply>;
  #settle: Settle<Reply> = () => undefined;
  /** Made once: a closure for each promise would be a sixth of what a call in line allocates. */
  readonly #keepSettle = (resolve: Settle<Reply>) => {
    this.#settle = resolve;
  };
  /** The request has been answered. */
  readonly #release = () => {
    const at = this.#turn();
    this.#account.release();
    this.#pump(at);
  };
  /** The request got no answer: the catalog may count it yet. */
  readonly #abandon = () => {
    if (!this.#closed) this.#options.clock.after(SETTLE_MS, this.#release);
  };

  constructor(options: ThrottleOptions<Request, Reply>) {
    this.#options = options;
    this.#account = new Account(options, this.#moment());
    this.#spending = new Spending(options.name, options.spending, () => this.#account.record());
    this.#alarm = new Alarm(options.clock, () => this.#pump());
    this.#line = {
      lanes: this.#lanes,
      pump: () => this.#pump(),
      send: options.send,
      answered: this.#release,
      unanswered: this.#abandon,
    };
  }

  /**
   * Has a request sent when its turn has come and its spending is saved. A demand that ends before leaves the line,
   * spends nothing and rejects with its reason. Rejects with a CatalogQuotaSpentError, with a CatalogRateLimitedError
   * where the catalog lets nobody in before the deadline, or with a CatalogSpendingError; else with what `send` does: then
   * the catalog has not answered, and may count the request yet.
   */
  schedule(demand: Demand, request: Request): Promise<Reply> {
    return this.#isLoaded ? this.#enter(demand, request) : this.load().then(() => this.#enter(demand, request));
  }

  /** Reads what was spent before, once. */
  load(): Promise<void> {
    this.#loaded ??= this.#load().then(
      () => {
        this.#isLoaded = true;
      },
      (error: unknown) => {
        this.#loaded = null;
        throw error;
      },
    );
    return this.#loaded;
  }

  /** Sends nothing for that long: the catalog says that its bucket is empty. */
  pause(ms: number): void {
    this.#account.pause(this.#turn().monotonicMs + ms);
    for (const waiter of this.#lanes.waiting()) {
      if (this.#isTooLate(waiter.demand)) waiter.refuse(this.#rateLimitedError());
    }
    this.#pump();
  }

  /**
   * The catalog says that the day which paid for a request is used up: closes it. Where that may be about the day before
   * it only pauses, and returns false.
   */
  async closeDay(day: number): Promise<boolean> {
    const { nowMs } = this.#turn();
    const turnedMs = startOfDayMs(this.#account.day) + DAY_TURN_MS;
    if (day !== this.#account.day || nowMs < turnedMs) {
      this.pause(Math.max(0, turnedMs - nowMs));
      return false;
    }
    this.#account.close();
    this.#pump();
    await this.#spending.save();
    return true;
  }

  status(): QuotaStatus {
    this.#turn();
    return this.#account.status();
  }

  /** Refuses everybody who waits. */
  refuseAll(error: CatalogError): void {
    for (const waiter of this.#lanes.waiting()) waiter.refuse(error);
    this.#pump();
  }

  /** Refuses everybody who waits or comes, and ends when what was spent is saved. */
  async close(error: CatalogError): Promise<void> {
    this.#closed = error;
    this.refuseAll(error);
    await this.#spending.settled();
  }

  #moment(): Moment {
    const { clock } = this.#options;
    return { nowMs: clock.now(), monotonicMs: clock.monotonicMs() };
  }

  /** Goes on to the present, and tells it. */
  #turn(): Moment {
    const at = this.#moment();
    const hasJumped = this.#account.turn(at);
    // After a restart nothing else would tell that the wall clock jumped: a day may seem to be new that is not.
    if (hasJumped && this.#isLoaded && !this.#closed) this.#spending.save().catch(() => undefined);
    return at;
  }

  #enter(demand: Demand, request: Request): Promise<Reply> {
    const { monotonicMs } = this.#turn();
    let waitMs: number;
    try {
      this.#refuseAtTheDoor(demand);
      waitMs = this.#account.waitMs(monotonicMs);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const reply = new Promise<Reply>(this.#keepSettle);
    const waiter = new Waiter(demand, request, this.#line, this.#settle);
    if (waitMs <= 0 && this.#lanes.isEmpty) {
      this.#board(waiter);
    } else {
      waiter.enter();
      this.#alarm.setBy(monotonicMs + waitMs);
    }
    return reply;
  }

  #refuseAtTheDoor(demand: Demand): void {
    demand.throwIfEnded();
    if (this.#closed) throw this.#closed;
    if (this.#isTooLate(demand)) throw this.#rateLimitedError();
    if (this.#account.remaining(demand.lane) === 0) throw this.#quotaSpentError();
  }

  /** Lets everybody go who may, refuses who can't, and sets the alarm for the next. */
  #pump({ monotonicMs } = this.#turn()): void {
    for (;;) {
      this.#refuseUnaffordable();
      const waiter = this.#lanes.first();
      if (waiter === null) {
        this.#alarm.stop();
        return;
      }
      const waitMs = this.#account.waitMs(monotonicMs);
      if (waitMs > 0) {
        this.#alarm.setBy(monotonicMs + waitMs);
        return;
      }
      waiter.leave();
      this.#board(waiter);
    }
  }

  /** A turn has come: all whose turn comes before the same write of what is spent go on together. */
  #board(waiter: Waiter<Request, Reply>): void {
    this.#account.spend();
    const saved = this.#spending.save();
    if (this.#batch?.saved !== saved || this.#batch.day !== this.#account.day) this.#batch = this.#gather(saved);
    this.#batch.waiters.push(waiter);
  }

  #gather(saved: Promise<void>): Batch<Request, Reply> {
    const batch: Batch<Request, Reply> = { saved, day: this.#account.day, waiters: [] };
    saved.then(
      () => this.#send(batch),
      (error: Error) => this.#takeBack(batch, error),
    );
    return batch;
  }

  #send(batch: Batch<Request, Reply>): void {
    if (this.#closed) {
      this.#takeBack(batch, this.#closed);
      return;
    }
    for (const waiter of batch.waiters) {
      if (!waiter.send(batch.day)) this.#account.refund(batch.day);
    }
    this.#pump();
  }

  /** What they would have spent is free again. */
  #takeBack({ day, waiters }: Batch<Request, Reply>, error: Error): void {
    for (const waiter of waiters) {
      this.#account.refund(day);
      waiter.refuse(error);
    }
    this.#pump();
  }

  #refuseUnaffordable(): void {
    if (this.#lanes.isEmpty || this.#account.remaining('background') > 0) return;
    const lanes = LANES.filter((lane) => this.#account.remaining(lane) === 0);
    for (const waiter of this.#lanes.waiting(lanes)) waiter.refuse(this.#quotaSpentError());
  }

  /** Whether the catalog lets nobody in before the demand's deadline. */
  #isTooLate(demand: Demand): boolean {
    const { pausedUntilMs } = this.#account;
    return demand.deadlineMs <= pausedUntilMs && pausedUntilMs > this.#options.clock.monotonicMs();
  }

  #quotaSpentError(): CatalogQuotaSpentError {
    const { name } = this.#options;
    const { limit, spent, resetsAtMs } = this.#account.status();
    return new CatalogQuotaSpentError(
      limit > spent
        ? `The ${limit - spent} requests that the catalog's ${name} interface still has today are kept for people.`
        : `The catalog's ${name} interface has no requests left until ${new Date(resetsAtMs).toISOString()}.`,
      resetsAtMs,
    );
  }

  #rateLimitedError(): CatalogRateLimitedError {
    const seconds = Math.ceil((this.#account.pausedUntilMs - this.#options.clock.monotonicMs()) / 1000);
    return new CatalogRateLimitedError(
      `The catalog's ${this.#options.name} interface asked us to slow down and lets us in again in ${seconds} s.`,
    );
  }

  async #load(): Promise<void> {
    const record = await this.#spending.load();
    this.#turn();
    if (record && this.#account.restore(record)) await this.#spending.save();
  }
}
