import type { Lane, QuotaStatus, SpentRecord } from '../catalog.ts';
import { type BucketLimits, refill, waitForTokenMs } from './bucket.ts';
import { dayOf, formatDay, parseDay, remainingFor, startOfDayMs } from './quota.ts';

export interface Limits extends BucketLimits {
  /** Requests per UTC day. */
  quota: number;
}

/** A moment on both clocks: epoch milliseconds, and monotonic milliseconds. */
export interface Moment {
  nowMs: number;
  monotonicMs: number;
}

/**
 * The time within which a request that is no longer awaited (given up, or sent by a process that died) reaches the
 * catalog.
 */
export const SETTLE_MS = 2_000;
/** A correction of the wall clock up to this size does not start another day. */
const SMALL_STEP_MS = 60_000;
/** The most remembered clock settings; beyond it, the one that was left first is forgotten. */
const MAX_SETTINGS = 24;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Requests that were answered within one minute. */
interface Answered {
  /** The minute of the wall clock. */
  minute: number;
  /** When the last of them was answered: monotonic milliseconds. */
  atMs: number;
  count: number;
}

/**
 * Counts the tokens and the daily quota that one interface has spent. The throttle does the saving and waiting, and
 * calls `advanceTo` before each query. The bucket and the pauses use the monotonic clock.
 *
 * A wall clock that jumps was wrong before or is wrong now, and nothing here can tell which. So a day is counted for
 * each setting that it has had, as if it had stayed, and the highest count is taken as spent. Thus a jump over midnight
 * gives no second quota, and no wrong setting closes the quota for longer than the day that it shows.
 */
export class RateBudget {
  readonly #limits: Limits;
  /** The settings of the wall clock: by how many milliseconds it was ahead of the monotonic one, the latest first. */
  #offsets: [present: number, ...others: number[]];
  /** The last day's requests, oldest first. A request counts when it is answered, the latest possible moment. */
  #answered: Answered[] = [];
  /** The tokens in the bucket at `#at`, those held by `#held` included. */
  #tokens: number;
  #at: Moment;
  /** Requests that were sent and are not answered yet: each holds a token, and counts in any day. */
  #held = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits, at: Moment) {
    this.#limits = limits;
    this.#offsets = [at.nowMs - at.monotonicMs];
    this.#tokens = limits.burst;
    this.#at = at;
  }

  /** The UTC day whose quota is spent now. */
  get day(): number {
    return this.#dayBy(this.#offsets[0]);
  }

  /** Until when the catalog has asked for a pause: monotonic milliseconds. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** Returns true where the wall clock has jumped, which has to be saved. */
  advanceTo(at: Moment): boolean {
    this.#tokens = refill(this.#tokens, this.#limits, at.monotonicMs - this.#at.monotonicMs);
    this.#at = at;
    this.#answered = this.#answered.filter(({ atMs }) => at.monotonicMs - atMs <= DAY_MS);
    return this.#follow(at.nowMs - at.monotonicMs);
  }

  /** The requests that a lane may still make today. */
  remaining(lane: Lane): number {
    const spent = Math.max(...this.#offsets.map((offsetMs) => this.#spentBy(offsetMs)));
    return remainingFor(lane, spent, this.#limits.quota);
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
    const [present] = this.#offsets;
    const resetsAtMs = (offsetMs: number) => startOfDayMs(this.#dayBy(offsetMs) + 1) - offsetMs + present;
    const days = this.#offsets
      .map((offsetMs) => ({ spent: this.#spentBy(offsetMs), resetsAtMs: resetsAtMs(offsetMs) }))
      .toSorted((one, other) => other.spent - one.spent || other.resetsAtMs - one.resetsAtMs);
    // A day that ends before one of which more is spent limits nothing.
    const limiting = days.filter((day, index) =>
      days.slice(0, index).every((more) => more.resetsAtMs < day.resetsAtMs),
    );
    const [first = { spent: 0, resetsAtMs: resetsAtMs(present) }, ...otherDays] = limiting;
    return { limit: this.#limits.quota, ...first, ...(otherDays.length > 0 && { otherDays }) };
  }

  /** The state to keep across restarts. */
  record(): SpentRecord {
    const { nowMs, monotonicMs } = this.#at;
    const [present, ...others] = this.#offsets;
    const otherClocks = others.map((offsetMs) => ({ atMs: offsetMs + monotonicMs, spent: this.#spentBy(offsetMs) }));
    return {
      day: formatDay(this.day),
      spent: this.#spentBy(present),
      tokens: this.#tokens - this.#held,
      tokensAtMs: nowMs,
      ...(otherClocks.length > 0 && { otherClocks }),
    };
  }

  /** Continues from the stored state. Returns true where the wall clock was set back since, which has to be saved. */
  restore({ day, spent, tokens, tokensAtMs, otherClocks = [] }: SpentRecord): boolean {
    // The age of a record from the future is not known.
    const elapsedMs = Math.max(0, this.#at.nowMs - tokensAtMs);
    this.#tokens = refill(tokens, this.#limits, elapsedMs - SETTLE_MS);
    const savedAtMs = this.#at.monotonicMs - elapsedMs;
    const clocks = [{ atMs: tokensAtMs, spent }, ...otherClocks];
    // Earlier releases kept a day that had begun before the clock was set back slightly.
    if (parseDay(day) === dayOf(tokensAtMs) + 1) clocks.push({ atMs: startOfDayMs(parseDay(day)), spent });
    const [present, ...others] = clocks.map(({ atMs }) => atMs - savedAtMs);
    this.#offsets = [present ?? 0, ...others];
    // The times of the requests are not stored. They count at the latest moment that fits each clock's count.
    let counted = 0;
    let atMs = savedAtMs;
    for (const clock of clocks.toSorted((one, other) => (one.atMs % DAY_MS) - (other.atMs % DAY_MS))) {
      const dayBeganMs = savedAtMs - (clock.atMs % DAY_MS);
      const count = Math.max(0, clock.spent - counted);
      this.#answered.unshift({ minute: Number.NaN, atMs: Math.max(dayBeganMs, atMs), count });
      counted += count;
      atMs = dayBeganMs - 1;
    }
    return this.advanceTo(this.#at);
  }

  /** The UTC day that a setting of the wall clock shows now. */
  #dayBy(offsetMs: number): number {
    return dayOf(offsetMs + this.#at.monotonicMs);
  }

  /** The requests spent of the day that a setting of the wall clock shows. */
  #spentBy(offsetMs: number): number {
    const beganMs = startOfDayMs(this.#dayBy(offsetMs)) - offsetMs;
    const today = this.#answered.filter(({ atMs }) => atMs >= beganMs);
    return Math.min(
      this.#limits.quota,
      today.reduce((sum, { count }) => sum + count, this.#held),
    );
  }

  /** Makes a setting of the wall clock the present one. Returns true where it differs from the previous one. */
  #follow(offsetMs: number): boolean {
    // A small step back over midnight starts no former day anew.
    const isSame = (other: number) =>
      Math.abs(other - offsetMs) <= SMALL_STEP_MS && this.#dayBy(other) <= this.#dayBy(offsetMs);
    const [present, ...others] = this.#offsets;
    const hasJumped = !isSame(present);
    const kept = hasJumped ? this.#offsets.filter((other) => !isSame(other)) : others;
    this.#offsets = [offsetMs, ...kept.slice(0, MAX_SETTINGS - 1)];
    return hasJumped;
  }

  #count(count: number): void {
    const minute = Math.floor(this.#at.nowMs / MINUTE_MS);
    const last = this.#answered.at(-1);
    const atMs = this.#at.monotonicMs;
    if (last?.minute === minute) Object.assign(last, { atMs, count: last.count + count });
    else this.#answered.push({ minute, atMs, count });
  }
}
