import type { Lane, QuotaStatus, SpentRecord } from '../catalog.ts';
import { type BucketLimits, refill, waitForTokenMs } from './bucket.ts';
import { formatDay, parseDay, remainingFor, reserveOf } from './quota.ts';
import { QuotaDays } from './quota-days.ts';

export interface Limits extends BucketLimits {
  /** Requests per UTC day. */
  quota: number;
}

/** A request that nobody waits for any more (given up, or this process died) reaches the catalog within this time. */
export const SETTLE_MS = 2_000;

/** A moment on both clocks: epoch milliseconds, and milliseconds that never go back. */
export interface Moment {
  nowMs: number;
  monotonicMs: number;
}

/**
 * What one interface has spent of its bucket and of its day. Only counts: saving what it says, and waiting for what it
 * says, are the throttle's. `turn` comes before every question about a moment. The bucket and the pauses go by the monotonic
 * clock.
 */
export class Account {
  readonly #limits: Limits;
  readonly #reserve: number;
  readonly #days: QuotaDays;
  /** What the bucket holds, those of `#held` included, at `#at`. */
  #tokens: number;
  #at: Moment;
  /** Requests that have left and are not answered yet: each holds a token. */
  #held = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits, at: Moment) {
    this.#limits = limits;
    this.#reserve = reserveOf(limits.quota);
    this.#days = new QuotaDays(at.nowMs, at.monotonicMs);
    this.#tokens = limits.burst;
    this.#at = at;
  }

  /** The UTC day that pays now. */
  get day(): number {
    return this.#days.day;
  }

  /** Until when nothing may leave, because the catalog said so: on the monotonic clock. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /**
   * Goes on to a moment. A new day has its whole quota but for what is on its way: the catalog may count that for either
   * day. Returns true where the wall clock has jumped: that has to be remembered.
   */
  turn(at: Moment): boolean {
    if (at.nowMs === this.#at.nowMs && at.monotonicMs === this.#at.monotonicMs) return false;
    this.#tokens = refill(this.#tokens, this.#limits, at.monotonicMs - this.#at.monotonicMs);
    this.#at = at;
    return this.#days.advance(at.nowMs, at.monotonicMs, this.#held);
  }

  /** How many more requests a lane may make today. */
  remaining(lane: Lane): number {
    return remainingFor(lane, this.#days.spent, this.#limits.quota, this.#reserve);
  }

  /** How long from a moment on the monotonic clock until one more request may leave: 0 for now, Infinity where only an answer can make room. */
  waitMs(monotonicMs: number): number {
    return Math.max(this.#pausedUntilMs - monotonicMs, waitForTokenMs(this.#tokens, this.#limits, this.#held));
  }

  /** A request leaves. */
  spend(): void {
    this.#days.add(1, this.#at.monotonicMs);
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
    const isClosed = this.#days.spent >= this.#limits.quota;
    if (!isClosed) this.#days.refund(day);
  }

  /** The catalog says that its bucket is empty and stays so until then: on the monotonic clock. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#tokens = Math.min(this.#tokens, this.#held);
  }

  /** The catalog says that nothing is left of the day. */
  close(): void {
    this.#days.exhaust(this.#limits.quota, this.#at.monotonicMs);
  }

  status(): QuotaStatus {
    return { limit: this.#limits.quota, spent: this.#days.spent, resetsAtMs: this.#days.resetsAtMs() };
  }

  /** What has to be remembered across restarts. */
  record(): SpentRecord {
    const others = this.#days.others(this.#at.monotonicMs);
    return {
      day: formatDay(this.#days.day),
      spent: this.#days.presentSpent,
      tokens: this.#tokens - this.#held,
      tokensAtMs: this.#at.nowMs,
      ...(others.length > 0 && { otherClocks: others }),
    };
  }

  /** Goes on from what was remembered. Returns true where the wall clock was set back since: that has to be remembered. */
  restore({ day, spent, tokens, tokensAtMs, otherClocks = [] }: SpentRecord): boolean {
    const { nowMs, monotonicMs } = this.#at;
    // How long ago something was written that says it comes from the future is not known.
    const elapsedMs = Math.max(0, nowMs - tokensAtMs);
    this.#tokens = refill(tokens, this.#limits, elapsedMs - SETTLE_MS);
    this.#days.restore({ atMs: tokensAtMs, spent, day: parseDay(day) }, otherClocks, elapsedMs, monotonicMs);
    return this.#days.advance(nowMs, monotonicMs, this.#held);
  }
}
