import type { Clock } from '../../clock.ts';
import { LANES, type QuotaStatus, type SpendingStore, type SpentRecord } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { type CatalogError, CatalogQuotaSpentError, CatalogRateLimitedError } from '../errors.ts';
import { type Bucket, refill, waitForTokenMs } from './bucket.ts';
import { Lanes, type Place } from './lanes.ts';
import { dayOf, formatDay, parseDay, remainingFor, startOfDayMs } from './quota.ts';
import { Spending } from './spending.ts';
import { Waiter } from './waiter.ts';

export interface ThrottleOptions {
  name: 'v2' | 'portal';
  /** Requests per second, over a long time. */
  rate: number;
  /** Requests at once. */
  burst: number;
  /** Requests per UTC day. */
  quota: number;
  clock: Clock;
  spending: SpendingStore;
}

/** The permission to send one request. */
export interface Lease {
  /** The UTC day that pays for it. */
  readonly day: number;
  /** The request has been answered. Either this or `abandon` is to be called, once. */
  release(): void;
  /** The request got no answer: the catalog may count it yet. */
  abandon(): void;
}

/** Those whose turn has come, and who go on once a write that counts them is done. */
interface Batch {
  saved: Promise<void>;
  lease: Lease;
  waiters: Waiter<Lease>[];
}

/** A request that nobody waits for any more (given up, or this process died) reaches the catalog within this time. */
const SETTLE_MS = 2_000;

/** "The quota is spent", said this early in a day, may be about the day before: clocks differ. */
const DAY_TURN_MS = 60_000;

/**
 * Decides when a request of one interface may leave. Whatever a request spends is saved before it leaves, so that no
 * crash, however often, makes the catalog see more requests than its bucket and its day allow.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #spending: Spending;
  readonly #lanes = new Lanes<Waiter<Lease>>();
  #bucket: Bucket;
  #day: number;
  #spent = 0;
  /** Requests that have left and are not answered yet: each holds a token. */
  #held = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #alarm: { atMs: number; cancel: AbortController } | null = null;
  #loaded: Promise<void> | null = null;
  #isLoaded = false;
  #batch: Batch | null = null;
  readonly #closing = new AbortController();
  readonly #line = { lanes: this.#lanes, pump: () => this.#pump() };
  readonly #release = () => this.#endHold(1);
  readonly #abandon = () => {
    this.#options.clock.sleep(SETTLE_MS, this.#closing.signal).then(this.#release, () => undefined);
  };

  constructor(options: ThrottleOptions) {
    this.#options = options;
    const nowMs = options.clock.now();
    this.#bucket = { tokens: options.burst, atMs: nowMs };
    this.#day = dayOf(nowMs);
    this.#spending = new Spending(options.name, options.spending, () => this.#record());
  }

  /**
   * Waits for the call's turn, and for its spending to be saved. Rejects with the demand's abort reason, with a
   * CatalogQuotaSpentError, with a CatalogRateLimitedError where the catalog lets nobody in before the deadline, or
   * with a CatalogSpendingError.
   */
  take(demand: Demand): Promise<Lease> {
    return this.#isLoaded ? this.#wait(demand) : this.load().then(() => this.#wait(demand));
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
    const nowMs = this.#options.clock.now();
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + ms);
    const { tokens } = refill(this.#bucket, this.#options, nowMs);
    this.#bucket = { tokens: Math.min(tokens, this.#held), atMs: nowMs };
    this.#refuseTooLate(this.#lanes.waiting());
    this.#pump();
  }

  /**
   * The catalog says that the day which paid for a lease is used up: closes it. Where that may be about the day before
   * it only pauses, and returns false.
   */
  async closeDay(day: number): Promise<boolean> {
    const nowMs = this.#options.clock.now();
    const turnedMs = startOfDayMs(this.#day) + DAY_TURN_MS;
    if (day !== this.#day || nowMs < turnedMs) {
      this.pause(Math.max(0, turnedMs - nowMs));
      return false;
    }
    this.#spent = this.#options.quota;
    this.#pump();
    await this.#spending.save();
    return true;
  }

  #quotaSpentError(): CatalogQuotaSpentError {
    const { name, quota } = this.#options;
    const { resetsAtMs } = this.status();
    const left = quota - this.#spent;
    return new CatalogQuotaSpentError(
      left > 0
        ? `The ${left} requests that the catalog's ${name} interface still has today are kept for people.`
        : `The catalog's ${name} interface has no requests left until ${new Date(resetsAtMs).toISOString()}.`,
      resetsAtMs,
    );
  }

  status(): QuotaStatus {
    this.#turnDay(this.#options.clock.now());
    return { limit: this.#options.quota, spent: this.#spent, resetsAtMs: startOfDayMs(this.#day + 1) };
  }

  /** Refuses everybody who waits. */
  refuseAll(error: CatalogError): void {
    for (const place of this.#lanes.waiting()) place.value.refuse(error);
    this.#pump();
  }

  /** Refuses everybody who waits or comes, and ends when what was spent is saved. */
  async close(error: CatalogError): Promise<void> {
    this.#closing.abort(error);
    this.refuseAll(error);
    await this.#spending.settled();
  }

  #wait(demand: Demand): Promise<Lease> {
    return new Promise((resolve, reject) => {
      demand.throwIfEnded();
      this.#closing.signal.throwIfAborted();
      const { place } = new Waiter<Lease>(demand, this.#line, resolve, reject);
      this.#refuseTooLate([place]);
      this.#pump();
    });
  }

  /** Lets everybody go who may, refuses who can't, and sets the alarm for the next. */
  #pump(): void {
    const nowMs = this.#options.clock.now();
    this.#turnDay(nowMs);
    this.#bucket = refill(this.#bucket, this.#options, nowMs);
    for (;;) {
      this.#refuseUnaffordable();
      const place = this.#lanes.first();
      const waitMs = place
        ? Math.max(this.#pausedUntilMs - nowMs, waitForTokenMs(this.#bucket, this.#options, this.#held))
        : Number.POSITIVE_INFINITY;
      if (!place || waitMs > 0) {
        this.#wakeAt(nowMs + waitMs);
        return;
      }
      this.#spent += 1;
      this.#held += 1;
      place.value.leave();
      this.#grantOnceSaved(place.value);
    }
  }

  /** All whose turn comes before the same write of what is spent go on together. */
  #grantOnceSaved(waiter: Waiter<Lease>): void {
    const saved = this.#spending.save();
    if (this.#batch?.saved === saved && this.#batch.lease.day === this.#day) {
      this.#batch.waiters.push(waiter);
      return;
    }
    const lease = { day: this.#day, release: this.#release, abandon: this.#abandon };
    const batch: Batch = { saved, lease, waiters: [waiter] };
    this.#batch = batch;
    saved.then(
      () => this.#grant(batch),
      (error: Error) => {
        for (const one of batch.waiters) this.#takeBack(one, lease, error);
      },
    );
  }

  #grant({ lease, waiters }: Batch): void {
    for (const waiter of waiters) {
      try {
        waiter.demand.throwIfEnded();
        this.#closing.signal.throwIfAborted();
        waiter.grant(lease);
      } catch (error) {
        this.#takeBack(waiter, lease, error as Error);
      }
    }
  }

  #takeBack(waiter: Waiter<Lease>, lease: Lease, error: Error): void {
    this.#refund(lease);
    waiter.refuse(error);
  }

  #endHold(tokens: number): void {
    const nowMs = this.#options.clock.now();
    this.#turnDay(nowMs);
    const bucket = refill(this.#bucket, this.#options, nowMs);
    this.#held -= 1;
    this.#bucket = { ...bucket, tokens: bucket.tokens - tokens };
    this.#pump();
  }

  /** The request did not leave: its token and its share of the day are free again. */
  #refund(lease: Lease): void {
    const isClosed = this.#spent >= this.#options.quota;
    if (lease.day === this.#day && !isClosed) this.#spent -= 1;
    this.#endHold(0);
  }

  #refuseUnaffordable(): void {
    const lanes = LANES.filter((lane) => remainingFor(lane, this.#spent, this.#options.quota) === 0);
    if (lanes.length === 0) return;
    this.#refuse(this.#lanes.waiting(lanes), () => this.#quotaSpentError());
  }

  #refuseTooLate(places: readonly Place<Waiter<Lease>>[]): void {
    if (this.#pausedUntilMs <= this.#options.clock.now()) return;
    const tooLate = places.filter(({ value }) => value.demand.deadlineMs <= this.#pausedUntilMs);
    this.#refuse(tooLate, () => this.#rateLimitedError());
  }

  #refuse(places: readonly Place<Waiter<Lease>>[], makeError: () => CatalogError): void {
    for (const place of places) place.value.refuse(makeError());
  }

  #rateLimitedError(): CatalogRateLimitedError {
    const seconds = Math.ceil((this.#pausedUntilMs - this.#options.clock.now()) / 1000);
    return new CatalogRateLimitedError(
      `The catalog's ${this.#options.name} interface asked us to slow down and lets us in again in ${seconds} s.`,
    );
  }

  #wakeAt(atMs: number): void {
    if (this.#alarm?.atMs === atMs) return;
    this.#alarm?.cancel.abort();
    this.#alarm = null;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const alarm = { atMs, cancel: new AbortController() };
    this.#alarm = alarm;
    const { clock } = this.#options;
    clock.sleep(atMs - clock.now(), alarm.cancel.signal).then(
      () => {
        if (this.#alarm === alarm) this.#alarm = null;
        this.#pump();
      },
      () => undefined,
    );
  }

  /** A new day has its whole quota but for what is on its way: the catalog may count that for either day. */
  #turnDay(nowMs: number): void {
    const today = dayOf(nowMs);
    if (today <= this.#day) return;
    this.#day = today;
    this.#spent = this.#held;
  }

  async #load(): Promise<void> {
    const { burst, clock } = this.#options;
    const record = await this.#spending.load();
    if (!record) return;
    const nowMs = clock.now();
    this.#bucket = refill(
      { tokens: Math.min(burst, record.tokens), atMs: record.tokensAtMs + SETTLE_MS },
      this.#options,
      nowMs,
    );
    // A record of a later day was written while the clock was wrong; what it says was spent all the same.
    if (parseDay(record.day) >= this.#day) this.#spent = record.spent;
  }

  #record(): SpentRecord {
    return {
      day: formatDay(this.#day),
      spent: this.#spent,
      tokens: this.#bucket.tokens - this.#held,
      tokensAtMs: this.#bucket.atMs,
    };
  }
}
