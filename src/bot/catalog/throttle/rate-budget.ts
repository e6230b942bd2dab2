import { ageMs } from '../../../shared/clock.ts';
import type { Lane, QuotaStatus, SpentRecord } from '../catalog.ts';
import { type BucketLimits, refill, waitForTokenMs } from './bucket.ts';
import {
  add,
  type DayCount,
  fromStored,
  isSet,
  type Moment,
  returnsAtMs,
  startCount,
  toStored,
  totalOf,
  turn,
} from './day-count.ts';
import { parseDay, remainingFor } from './quota.ts';

export interface Limits extends BucketLimits {
  /** Requests per UTC day. */
  quota: number;
}

/**
 * The time within which a request that is no longer awaited (given up, or sent by a process that died) reaches the
 * catalog.
 */
export const SETTLE_MS = 2_000;

/**
 * Counts the tokens and the daily quota that one interface has spent. The throttle does the saving and waiting, and
 * calls `advanceTo` before each query. A request counts when it is answered, the latest possible moment.
 */
export class RateBudget {
  readonly #limits: Limits;
  #answered: DayCount;
  /** The tokens in the bucket at `#at`, those held by `#held` included. */
  #tokens: number;
  #at: Moment;
  /** Requests that were sent and are not answered yet: each holds a token, and counts in any day. */
  #held = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits, at: Moment) {
    this.#limits = limits;
    this.#answered = startCount(at);
    this.#tokens = limits.burst;
    this.#at = at;
  }

  /** The UTC day that the wall clock shows. */
  get day(): number {
    return this.#answered.day;
  }

  /** Until when the catalog has asked for a pause: monotonic milliseconds. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** Returns true where the wall clock was set, which has to be saved. */
  advanceTo(at: Moment): boolean {
    const wasSet = isSet(this.#answered, at);
    this.#tokens = refill(this.#tokens, this.#limits, at.monotonicMs - this.#at.monotonicMs);
    this.#at = at;
    this.#answered = turn(this.#answered, at);
    return wasSet;
  }

  /** The requests that a lane may still make today. */
  remaining(lane: Lane): number {
    return remainingFor(lane, this.#spent(), this.#limits.quota);
  }

  /**
   * Milliseconds until the next request may be sent: 0 or less for now, Infinity where only an answer can make room.
   */
  waitMs(): number {
    return Math.max(this.#pausedUntilMs - this.#at.monotonicMs, waitForTokenMs(this.#tokens, this.#limits, this.#held));
  }

  /** Counts a request that is sent. */
  spend(): void {
    this.#held += 1;
  }

  /** Counts a request as answered, or as one that would have been answered by now. */
  settle(): void {
    this.#held -= 1;
    this.#tokens -= 1;
    this.#count(1);
  }

  /** Takes back a request that was not sent. */
  refund(): void {
    this.#held -= 1;
  }

  /** Empties the bucket until then, as the catalog said: monotonic milliseconds. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#tokens = Math.min(this.#tokens, this.#held);
  }

  /** Uses up the day's quota, as the catalog said. */
  exhaust(): void {
    this.#count(this.#limits.quota);
  }

  status(): QuotaStatus {
    return { limit: this.#limits.quota, spent: this.#spent(), resetsAtMs: returnsAtMs(this.#answered) };
  }

  /** The state to keep across restarts. */
  record(): SpentRecord {
    return {
      ...toStored(this.#answered, this.#held),
      tokens: this.#tokens - this.#held,
      tokensAtMs: this.#at.nowMs,
    };
  }

  /** Continues from the stored state. Returns true where that is of a later day, which has to be saved. */
  restore(record: SpentRecord): boolean {
    const elapsedMs = ageMs(record.tokensAtMs, this.#at.nowMs);
    this.#tokens = refill(record.tokens, this.#limits, elapsedMs - SETTLE_MS);
    this.#answered = fromStored(record, this.#at);
    return parseDay(record.day) > this.day;
  }

  #count(requests: number): void {
    this.#answered = add(this.#answered, requests, this.#limits.quota);
  }

  #spent(): number {
    return Math.min(this.#limits.quota, totalOf(this.#answered) + this.#held);
  }
}
