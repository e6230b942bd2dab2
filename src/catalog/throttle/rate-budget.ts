import { ageMs } from '../../shared/clock.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { Lane, QuotaStatus, SpentRecord } from '../catalog.ts';

/** The requests that an interface permits (specification: "Portal throttling (token bucket)"). */
export interface Limits {
  /** Tokens per second. */
  rate: number;
  /** The most tokens that the bucket holds. */
  burst: number;
  /** Requests per UTC day. */
  quota: number;
}

/** A moment on both clocks: epoch milliseconds, and monotonic milliseconds. */
interface Moment {
  nowMs: number;
  monotonicMs: number;
}

/**
 * The time within which a request that is no longer awaited (given up, or sent by a process that died) reaches the
 * catalog.
 */
export const SETTLE_MS = 2_000;
/** Our bucket refills slightly more slowly than the catalog's, whose clock may be slower than this machine's. */
const REFILL_SHARE = 0.99;
/** A difference between the clocks up to this size is one of reading them, and no setting. */
const SAME_MS = 1_000;

/** The UTC day of a moment, by its first millisecond: the quota "resets at 00:00:00 UTC each day" (specification). */
export function dayOf(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS) * DAY_MS;
}

/** The daily requests that are reserved for people: a tenth and at least 20, but never more than half. */
export function reserveOf(limit: number): number {
  return Math.min(Math.floor(limit / 2), Math.max(20, Math.ceil(limit / 10)));
}

/** The requests that a lane may still make today; only people may spend the reserve. */
export function remainingFor(lane: Lane, spent: number, limit: number): number {
  return Math.max(0, limit - spent - (lane === 'interactive' ? 0 : reserveOf(limit)));
}

/**
 * Counts the tokens and the daily quota that one interface has spent. The throttle does the saving and waiting, and
 * calls `advanceTo` before each query. A request holds its token until it is answered and counts then, because that is
 * the latest moment at which the catalog can have counted it. So however unevenly the network delays requests, the
 * catalog's bucket never holds fewer tokens than this one assumes.
 *
 * The one rule for clocks: an interval is a difference of monotonic times, a stored date in the future counts as now
 * (`ageMs`), and a day's count never falls before its day is over, whatever the wall clock is set to. The day is over
 * once both clocks say so: the wall clock shows a later day, and by the monotonic clock the midnight has passed that the
 * wall clock showed before it was set. What is counted in between belongs to both days. So a clock that is set over
 * midnight, forward or back, gives no second day, and costs at most what is left of one. While nothing runs only the
 * wall clock tells time: a stored day that is later than the wall clock's goes on for 24 hours at most.
 */
export class RateBudget {
  readonly #limits: Limits;
  #at: Moment;
  /** The tokens in the bucket at `#at`, those held by `#held` included. */
  #tokens: number;
  /** Requests that were sent and are not answered yet: each holds a token, and counts in any day. */
  #held = 0;
  /** The UTC day that the wall clock shows, and the answered requests that count in it. */
  #day: number;
  #count = 0;
  /** The day by the wall clock as it was before it was set, until its midnight; its count is never below `#count`. */
  #former: { count: number; endsAtMonotonicMs: number } | null = null;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits, at: Moment) {
    this.#limits = limits;
    this.#at = at;
    this.#tokens = limits.burst;
    this.#day = dayOf(at.nowMs);
  }

  /** The UTC day that the wall clock shows, as `dayOf` makes it. */
  get day(): number {
    return this.#day;
  }

  /** Until when the catalog has asked for a pause: monotonic milliseconds. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** Returns true where the wall clock was set, which has to be saved. */
  advanceTo(at: Moment): boolean {
    const passedMs = at.monotonicMs - this.#at.monotonicMs;
    /** The time that the wall clock would show if it had not been set. */
    const unsetMs = this.#at.nowMs + passedMs;
    const isSet = Math.abs(at.nowMs - unsetMs) > SAME_MS;
    this.#refill(passedMs);
    if (this.#former && at.monotonicMs >= this.#former.endsAtMonotonicMs) this.#former = null;
    const today = dayOf(isSet ? unsetMs : at.nowMs);
    if (today > this.#day) [this.#day, this.#count] = [today, 0];
    if (isSet) {
      const count = this.#former?.count ?? this.#count;
      const day = dayOf(at.nowMs);
      this.#former ??= { count, endsAtMonotonicMs: at.monotonicMs + this.#day + DAY_MS - unsetMs };
      this.#count = day > this.#day ? 0 : count;
      this.#day = day;
    }
    this.#at = at;
    return isSet;
  }

  /** The requests that a lane may still make today. */
  remaining(lane: Lane): number {
    return remainingFor(lane, this.#spent(), this.#limits.quota);
  }

  /**
   * Milliseconds until the next request may be sent: 0 or less for now, Infinity where only an answer can make room.
   */
  waitMs(): number {
    const { rate, burst } = this.#limits;
    const pausedMs = this.#pausedUntilMs - this.#at.monotonicMs;
    const needed = this.#held + 1;
    if (this.#tokens >= needed) return pausedMs;
    if (needed > burst) return Number.POSITIVE_INFINITY;
    return Math.max(pausedMs, Math.ceil(((needed - this.#tokens) / (rate * REFILL_SHARE)) * 1000));
  }

  /** Counts a request that is sent. */
  spend(): void {
    this.#held += 1;
  }

  /** Counts a request as answered, or as one that would have been answered by now. */
  settle(): void {
    this.#held -= 1;
    this.#tokens -= 1;
    this.#add(1);
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
    this.#add(this.#limits.quota);
  }

  status(): QuotaStatus {
    const endsAtMs = this.#day + DAY_MS;
    const formerEndsAtMs = this.#formerEndsAtMs() ?? endsAtMs;
    const isFormerFuller = (this.#former?.count ?? 0) > this.#count;
    return {
      limit: this.#limits.quota,
      spent: this.#spent(),
      resetsAtMs: isFormerFuller ? formerEndsAtMs : Math.max(formerEndsAtMs, endsAtMs),
    };
  }

  /** The state to keep across restarts. Dates are by the wall clock as it is now. */
  record(): SpentRecord {
    const endsAtMs = this.#formerEndsAtMs();
    return {
      day: new Date(this.#day).toISOString().slice(0, 10),
      spent: this.#count + this.#held,
      ...(this.#former && endsAtMs !== null && { formerDay: { spent: this.#former.count + this.#held, endsAtMs } }),
      tokens: this.#tokens - this.#held,
      tokensAtMs: this.#at.nowMs,
    };
  }

  /**
   * Continues from the stored state, by the wall clock as it is now: it may have been set since. Returns true where the
   * state is of a later day, which has to be saved.
   */
  restore({ day, spent, formerDay, tokens, tokensAtMs }: SpentRecord): boolean {
    const { nowMs, monotonicMs } = this.#at;
    this.#tokens = tokens;
    this.#refill(ageMs(tokensAtMs, nowMs) - SETTLE_MS);
    const stored = Date.parse(day);
    const isLater = stored > this.#day;
    const count = formerDay?.spent ?? spent;
    const endsAtMs = isLater ? stored + DAY_MS : (formerDay?.endsAtMs ?? nowMs);
    const lastsMs = Math.min(DAY_MS, endsAtMs - nowMs);
    this.#former = lastsMs > 0 ? { count, endsAtMonotonicMs: monotonicMs + lastsMs } : null;
    if (isLater) this.#count = count;
    else this.#count = stored === this.#day ? spent : 0;
    return isLater;
  }

  /** A negative time adds no tokens. */
  #refill(elapsedMs: number): void {
    const { rate, burst } = this.#limits;
    const added = (Math.max(0, elapsedMs) / 1000) * rate * REFILL_SHARE;
    this.#tokens = Math.min(burst, this.#tokens + added);
  }

  /** Counts requests in every day that is not over, up to the quota. */
  #add(requests: number): void {
    const sum = (count: number) => Math.min(this.#limits.quota, count + requests);
    this.#count = sum(this.#count);
    if (this.#former) this.#former = { ...this.#former, count: sum(this.#former.count) };
  }

  /** The requests that count in the day that is not over, at most the quota. */
  #spent(): number {
    return Math.min(this.#limits.quota, (this.#former?.count ?? this.#count) + this.#held);
  }

  /** Epoch milliseconds, by the wall clock as it is now. */
  #formerEndsAtMs(): number | null {
    const { nowMs, monotonicMs } = this.#at;
    return this.#former && Math.round(this.#former.endsAtMonotonicMs + nowMs - monotonicMs);
  }
}
