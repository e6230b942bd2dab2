import type { Lane, QuotaStatus, SpentRecord } from '../catalog.ts';
import { type BucketLimits, refill, waitForTokenMs } from './bucket.ts';
import { dayOf, formatDay, parseDay, remainingFor, reserveOf, startOfDayMs } from './quota.ts';

export interface Limits extends BucketLimits {
  /** Requests per UTC day. */
  quota: number;
}

/** A request that nobody waits for any more (given up, or this process died) reaches the catalog within this time. */
export const SETTLE_MS = 2_000;

/**
 * What one interface has spent of its bucket and of its day. Only counts: saving what it says, and waiting for what it
 * says, are the throttle's. `turn` comes before every question about a moment.
 */
export class Account {
  readonly #limits: Limits;
  readonly #reserve: number;
  /** What the bucket holds, those of `#held` included, at `#atMs`. */
  #tokens: number;
  #atMs: number;
  #day: number;
  #dayText: string;
  #spent = 0;
  /** Requests that have left and are not answered yet: each holds a token. */
  #held = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits, nowMs: number) {
    this.#limits = limits;
    this.#reserve = reserveOf(limits.quota);
    this.#tokens = limits.burst;
    this.#atMs = nowMs;
    this.#day = dayOf(nowMs);
    this.#dayText = formatDay(this.#day);
  }

  /** The UTC day that pays now. */
  get day(): number {
    return this.#day;
  }

  /** Until when nothing may leave, because the catalog said so: epoch milliseconds. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /**
   * Goes on to `nowMs`. A new day has its whole quota but for what is on its way: the catalog may count that for either
   * day.
   */
  turn(nowMs: number): void {
    if (nowMs === this.#atMs) return;
    this.#tokens = refill(this.#tokens, this.#limits, nowMs - this.#atMs);
    this.#atMs = nowMs;
    const today = dayOf(nowMs);
    if (today <= this.#day) return;
    this.#day = today;
    this.#dayText = formatDay(today);
    this.#spent = this.#held;
  }

  /** How many more requests a lane may make today. */
  remaining(lane: Lane): number {
    return remainingFor(lane, this.#spent, this.#limits.quota, this.#reserve);
  }

  /** How long from `nowMs` until one more request may leave: 0 for now, Infinity where only an answer can make room. */
  waitMs(nowMs: number): number {
    return Math.max(this.#pausedUntilMs - nowMs, waitForTokenMs(this.#tokens, this.#limits, this.#held));
  }

  /** A request leaves. */
  spend(): void {
    this.#spent += 1;
    this.#held += 1;
  }

  /** A request has been answered, or would have been by now. */
  release(): void {
    this.#held -= 1;
    this.#tokens -= 1;
  }

  /** A request that a day was to pay for did not leave: its token and its share of the day are free again. */
  refund(day: number): void {
    this.#held -= 1;
    const isClosed = this.#spent >= this.#limits.quota;
    if (day === this.#day && !isClosed) this.#spent -= 1;
  }

  /** The catalog says that its bucket is empty and stays so until then. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#tokens = Math.min(this.#tokens, this.#held);
  }

  /** The catalog says that nothing is left of the day. */
  close(): void {
    this.#spent = this.#limits.quota;
  }

  status(): QuotaStatus {
    return { limit: this.#limits.quota, spent: this.#spent, resetsAtMs: startOfDayMs(this.#day + 1) };
  }

  /** What has to be remembered across restarts. */
  record(): SpentRecord {
    return {
      day: this.#dayText,
      spent: this.#spent,
      tokens: this.#tokens - this.#held,
      tokensAtMs: this.#atMs,
    };
  }

  /** Goes on from what was remembered. */
  restore(record: SpentRecord, nowMs: number): void {
    this.#tokens = refill(record.tokens, this.#limits, nowMs - record.tokensAtMs - SETTLE_MS);
    this.#atMs = nowMs;
    // A record of a later day was written while the clock was wrong; what it says was spent all the same.
    if (parseDay(record.day) >= this.#day) this.#spent = record.spent;
  }
}
