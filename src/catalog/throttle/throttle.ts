import type { Clock } from '../../clock.ts';
import { LANES, type QuotaStatus, type SpendingStore } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { type CatalogError, CatalogQuotaSpentError, CatalogRateLimitedError } from '../errors.ts';
import { Account, type Limits, SETTLE_MS } from './account.ts';
import { Alarm } from './alarm.ts';
import { Lanes } from './lanes.ts';
import { startOfDayMs } from './quota.ts';
import { Spending } from './spending.ts';
import { type Settle, Waiter } from './waiter.ts';

export interface ThrottleOptions extends Limits {
  name: 'v2' | 'portal';
  clock: Clock;
  spending: SpendingStore;
}

/** The permission to send one request. One of `release`, `abandon` and `refund` is to be called, once. */
export interface Lease {
  /** The UTC day that pays for it. */
  readonly day: number;
  /** The request has been answered. */
  readonly release: () => void;
  /** The request got no answer: the catalog may count it yet. */
  readonly abandon: () => void;
  /** The request did not leave: its token and its share of the day are free again. */
  readonly refund: () => void;
}

/** Those whose turn has come, and who go on together once a write that counts them is done. */
interface Batch {
  readonly saved: Promise<void>;
  readonly lease: Lease;
  /** What all of them get: one promise for those who did not have to wait in line. */
  readonly granted: Promise<Lease>;
  /** Those who did. */
  readonly waiters: Waiter<Lease>[];
  size: number;
}

/** "The quota is spent", said this early in a day, may be about the day before: clocks differ. */
const DAY_TURN_MS = 60_000;

/**
 * Decides when a request of one interface may leave. Whatever a request spends is saved before it leaves, so that no
 * crash, however often, makes the catalog see more requests than its bucket and its day allow.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #account: Account;
  readonly #spending: Spending;
  readonly #lanes = new Lanes<Waiter<Lease>>();
  readonly #alarm: Alarm;
  #loaded: Promise<void> | null = null;
  #isLoaded = false;
  #batch: Batch | null = null;
  #closed: CatalogError | null = null;
  readonly #closing = new AbortController();
  readonly #line = { lanes: this.#lanes, pump: () => this.#pump() };
  #settle: Settle<Lease> = () => undefined;
  /** Made once: a closure for each promise would be a sixth of what a call in line allocates. */
  readonly #keepSettle = (resolve: Settle<Lease>) => {
    this.#settle = resolve;
  };
  readonly #release = () => {
    const nowMs = this.#turn();
    this.#account.release();
    this.#pump(nowMs);
  };
  readonly #abandon = () => {
    this.#options.clock.sleep(SETTLE_MS, this.#closing.signal).then(this.#release, () => undefined);
  };

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#account = new Account(options, options.clock.now());
    this.#spending = new Spending(options.name, options.spending, () => this.#account.record());
    this.#alarm = new Alarm(options.clock, () => this.#pump());
  }

  /**
   * Waits for the call's turn, and for its spending to be saved. A demand that ends in line leaves it and rejects with
   * its reason; who has the lease looks whether the demand has ended since, and refunds it then. Rejects with a
   * CatalogQuotaSpentError, with a CatalogRateLimitedError where the catalog lets nobody in before the deadline, or
   * with a CatalogSpendingError.
   */
  take(demand: Demand): Promise<Lease> {
    return this.#isLoaded ? this.#enter(demand) : this.load().then(() => this.#enter(demand));
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
    this.#account.pause(this.#turn() + ms);
    for (const waiter of this.#lanes.waiting()) {
      if (this.#isTooLate(waiter.demand)) waiter.refuse(this.#rateLimitedError());
    }
    this.#pump();
  }

  /**
   * The catalog says that the day which paid for a lease is used up: closes it. Where that may be about the day before
   * it only pauses, and returns false.
   */
  async closeDay(day: number): Promise<boolean> {
    const nowMs = this.#turn();
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
    this.#closing.abort(error);
    this.refuseAll(error);
    await this.#spending.settled();
  }

  /** Goes on to the present, and tells it. */
  #turn(): number {
    const nowMs = this.#options.clock.now();
    this.#account.turn(nowMs);
    return nowMs;
  }

  #enter(demand: Demand): Promise<Lease> {
    try {
      const nowMs = this.#turn();
      this.#refuseAtTheDoor(demand);
      const waitMs = this.#account.waitMs(nowMs);
      if (waitMs <= 0 && this.#lanes.first() === null) return this.#board().granted;
      this.#alarm.setBy(nowMs + waitMs);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const turn = new Promise<Lease>(this.#keepSettle);
    new Waiter(demand, this.#line, this.#settle);
    return turn;
  }

  #refuseAtTheDoor(demand: Demand): void {
    demand.throwIfEnded();
    if (this.#closed) throw this.#closed;
    if (this.#isTooLate(demand)) throw this.#rateLimitedError();
    if (this.#account.remaining(demand.lane) === 0) throw this.#quotaSpentError();
  }

  /** Lets everybody go who may, refuses who can't, and sets the alarm for the next. */
  #pump(nowMs = this.#turn()): void {
    for (;;) {
      this.#refuseUnaffordable();
      const waiter = this.#lanes.first();
      if (waiter === null) {
        this.#alarm.stop();
        return;
      }
      const waitMs = this.#account.waitMs(nowMs);
      if (waitMs > 0) {
        this.#alarm.setBy(nowMs + waitMs);
        return;
      }
      waiter.leave();
      this.#board().waiters.push(waiter);
    }
  }

  /** A turn has come: all whose turn comes before the same write of what is spent go on together. */
  #board(): Batch {
    this.#account.spend();
    const saved = this.#spending.save();
    if (this.#batch?.saved !== saved || this.#batch.lease.day !== this.#account.day) this.#batch = this.#gather(saved);
    this.#batch.size += 1;
    return this.#batch;
  }

  #gather(saved: Promise<void>): Batch {
    const { day } = this.#account;
    const refund = () => {
      this.#account.refund(day);
      this.#pump();
    };
    const batch: Batch = {
      saved,
      lease: { day, release: this.#release, abandon: this.#abandon, refund },
      granted: saved.then(
        () => this.#grant(batch),
        (error: Error) => this.#takeBack(batch, error),
      ),
      waiters: [],
      size: 0,
    };
    // Those who waited in line get it by themselves: there may be nobody else.
    batch.granted.catch(() => undefined);
    return batch;
  }

  #grant(batch: Batch): Lease {
    if (this.#closed) return this.#takeBack(batch, this.#closed);
    for (const waiter of batch.waiters) waiter.grant(batch.lease);
    return batch.lease;
  }

  #takeBack({ lease, waiters, size }: Batch, error: Error): never {
    for (let count = 0; count < size; count += 1) this.#account.refund(lease.day);
    for (const waiter of waiters) waiter.refuse(error);
    this.#pump();
    throw error;
  }

  #refuseUnaffordable(): void {
    if (this.#account.remaining('background') > 0) return;
    const lanes = LANES.filter((lane) => this.#account.remaining(lane) === 0);
    for (const waiter of this.#lanes.waiting(lanes)) waiter.refuse(this.#quotaSpentError());
  }

  /** Whether the catalog lets nobody in before the demand's deadline. */
  #isTooLate(demand: Demand): boolean {
    const { pausedUntilMs } = this.#account;
    return demand.deadlineMs <= pausedUntilMs && pausedUntilMs > this.#options.clock.now();
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
    const seconds = Math.ceil((this.#account.pausedUntilMs - this.#options.clock.now()) / 1000);
    return new CatalogRateLimitedError(
      `The catalog's ${this.#options.name} interface asked us to slow down and lets us in again in ${seconds} s.`,
    );
  }

  async #load(): Promise<void> {
    const record = await this.#spending.load();
    const nowMs = this.#turn();
    if (record) this.#account.restore(record, nowMs);
  }
}
