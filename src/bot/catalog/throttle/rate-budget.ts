import type { Lane, QuotaStatus, SpentRecord } from '../catalog.ts';
import { type BucketLimits, refill, waitForTokenMs } from './bucket.ts';
import { dayOf, formatDay, parseDay, remainingFor, startOfDayMs } from './quota.ts';

export interface Limits extends BucketLimits {
  /** Requests per UTC day. */
  quota: number;
}

/** A moment on both clocks: epoch milliseconds, and milliseconds that never go back. */
export interface Moment {
  nowMs: number;
  monotonicMs: number;
}

/** A request that nobody waits for any more (given up, or this process died) reaches the catalog within this time. */
export const SETTLE_MS = 2_000;
/** A wall clock that is corrected by no more than this has the same day as before. */
const SMALL_STEP_MS = 60_000;
/** Settings beyond these are forgotten, the one that was left first. */
const MAX_SETTINGS = 24;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A setting that the wall clock has had, with the UTC day that it shows and what is spent of that. */
interface ClockSetting {
  /** How far it is ahead of the monotonic clock: milliseconds. */
  offsetMs: number;
  day: number;
  spent: number;
}

/** Requests that left within a minute. */
interface Departures {
  /** When the first and the last of them did, on the monotonic clock. */
  firstMs: number;
  lastMs: number;
  count: number;
}

/**
 * Counts what one interface has spent of its bucket and of its day. Saving and waiting are the throttle's, which calls
 * `advanceTo` before it asks. The bucket and the pauses go by the monotonic clock.
 *
 * A wall clock that jumps was wrong before or is wrong now, and nothing here tells which: each setting that it has had
 * goes on by monotonic time, with a day of its own and a count of what left in that day, and the highest count is what is
 * spent. So a jump over
 * midnight gives no second quota, and no wrong setting closes the quota for longer than the day that it shows.
 */
export class RateBudget {
  readonly #limits: Limits;
  /** The one that was left last comes right after the present one. */
  #settings: [present: ClockSetting, ...others: ClockSetting[]];
  /** What left within a day, oldest first: it tells what the day of a new setting has had. */
  #departures: Departures[] = [];
  /** In the bucket at `#at`, those of `#held` included. */
  #tokens: number;
  #at: Moment;
  /** Requests that have left and are not answered yet: each holds a token. */
  #held = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits, at: Moment) {
    this.#limits = limits;
    this.#settings = [{ offsetMs: at.nowMs - at.monotonicMs, day: dayOf(at.nowMs), spent: 0 }];
    this.#tokens = limits.burst;
    this.#at = at;
  }

  /** The UTC day that pays now. */
  get day(): number {
    return this.#settings[0].day;
  }

  /** Until when nothing may leave, because the catalog said so: on the monotonic clock. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** Returns true where the wall clock has jumped: that has to be remembered. */
  advanceTo(at: Moment): boolean {
    this.#tokens = refill(this.#tokens, this.#limits, at.monotonicMs - this.#at.monotonicMs);
    this.#at = at;
    const hasJumped = this.#follow(at.nowMs - at.monotonicMs);
    this.#startNewDays();
    return hasJumped;
  }

  /** How many more requests a lane may make today. */
  remaining(lane: Lane): number {
    return remainingFor(lane, this.#spent, this.#limits.quota);
  }

  /** Milliseconds until one more request may leave: 0 or less for now, Infinity where only an answer can make room. */
  waitMs(): number {
    return Math.max(this.#pausedUntilMs - this.#at.monotonicMs, waitForTokenMs(this.#tokens, this.#limits, this.#held));
  }

  /** A request leaves. */
  spend(): void {
    for (const setting of this.#settings) setting.spent += 1;
    this.#remember(1);
    this.#held += 1;
  }

  /** A request has been answered, or would have been by now. */
  settle(): void {
    this.#held -= 1;
    this.#tokens -= 1;
  }

  /** A request did not leave. Every count has it, as each day begins with what is held; one that is full stays so. */
  refund(): void {
    this.#held -= 1;
    for (const setting of this.#settings) if (setting.spent < this.#limits.quota) setting.spent -= 1;
  }

  /** The catalog says that its bucket is empty and stays so until then: on the monotonic clock. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#tokens = Math.min(this.#tokens, this.#held);
  }

  /** The catalog says that nothing is left of the day. */
  exhaust(): void {
    for (const setting of this.#settings) setting.spent = this.#limits.quota;
    this.#departures = [];
    this.#remember(this.#limits.quota);
  }

  status(): QuotaStatus {
    const spent = this.#spent;
    const resets = this.#settings
      .filter((setting) => setting.spent === spent)
      .map(({ day, offsetMs }) => startOfDayMs(day + 1) - offsetMs + this.#settings[0].offsetMs);
    return { limit: this.#limits.quota, spent, resetsAtMs: Math.max(...resets) };
  }

  /** The state to remember across restarts. */
  record(): SpentRecord {
    const { nowMs, monotonicMs } = this.#at;
    const [{ day, spent }, ...others] = this.#settings;
    const otherClocks = others.map((other) => ({ atMs: other.offsetMs + monotonicMs, spent: other.spent }));
    return {
      day: formatDay(day),
      spent,
      tokens: this.#tokens - this.#held,
      tokensAtMs: nowMs,
      ...(otherClocks.length > 0 && { otherClocks }),
    };
  }

  /** Goes on from what was remembered. Returns true where the wall clock was set back since: that has to be remembered. */
  restore({ day, spent, tokens, tokensAtMs, otherClocks = [] }: SpentRecord): boolean {
    // How long ago something was written that says it comes from the future is not known.
    const elapsedMs = Math.max(0, this.#at.nowMs - tokensAtMs);
    this.#tokens = refill(tokens, this.#limits, elapsedMs - SETTLE_MS);
    const settingOf = (atMs: number, count: number, shown = dayOf(atMs)): ClockSetting => ({
      offsetMs: atMs + elapsedMs - this.#at.monotonicMs,
      day: shown,
      spent: count,
    });
    // A day that had begun goes on after a small step back; one that is further ahead was written by a wrong clock.
    const earliest = dayOf(tokensAtMs);
    const shown = Math.max(earliest, Math.min(parseDay(day), earliest + 1));
    const others = otherClocks.map((other) => settingOf(other.atMs, other.spent));
    this.#settings = [settingOf(tokensAtMs, spent, shown), ...others];
    // What was spent of days that are over says nothing of any other day.
    this.#startNewDays();
    // When they left is not remembered: now at the latest.
    this.#remember(this.#spent);
    return this.advanceTo(this.#at);
  }

  #startNewDays(): void {
    for (const setting of this.#settings) {
      const today = dayOf(setting.offsetMs + this.#at.monotonicMs);
      // The catalog may count what is on its way for the old day or for the new one.
      if (today > setting.day) Object.assign(setting, { day: today, spent: this.#held });
    }
  }

  /** The highest count. */
  get #spent(): number {
    return Math.max(...this.#settings.map(({ spent }) => spent));
  }

  /** Makes a setting of the wall clock the present one. Returns true where it is another than before. */
  #follow(offsetMs: number): boolean {
    const isNear = (setting: ClockSetting) => Math.abs(setting.offsetMs - offsetMs) <= SMALL_STEP_MS;
    const [present] = this.#settings;
    if (isNear(present)) {
      present.offsetMs = offsetMs;
      return false;
    }
    const day = dayOf(this.#at.nowMs);
    const added = { offsetMs, day, spent: this.#held + this.#departedSince(startOfDayMs(day) - offsetMs) };
    const setting = this.#settings.find(isNear) ?? added;
    const others = this.#settings.filter((other) => other !== setting);
    this.#settings = [setting, ...others.slice(0, MAX_SETTINGS - 1)];
    return true;
  }

  #remember(count: number): void {
    const { monotonicMs } = this.#at;
    const last = this.#departures.at(-1);
    if (last && monotonicMs - last.firstMs < MINUTE_MS) {
      last.lastMs = monotonicMs;
      last.count += count;
      return;
    }
    this.#departures = this.#departures.filter(({ lastMs }) => monotonicMs - lastMs <= DAY_MS + SMALL_STEP_MS);
    this.#departures.push({ firstMs: monotonicMs, lastMs: monotonicMs, count });
  }

  /** How many left after a moment on the monotonic clock: a little before it too, as near settings count as the same. */
  #departedSince(monotonicMs: number): number {
    const recent = this.#departures.filter(({ lastMs }) => lastMs > monotonicMs - SMALL_STEP_MS);
    return recent.reduce((sum, { count }) => sum + count, 0);
  }
}
