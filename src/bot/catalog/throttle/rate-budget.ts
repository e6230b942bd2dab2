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

/** A setting that the wall clock has had, with the UTC day that it shows and the requests spent in that day. */
interface ClockSetting {
  /** The wall clock minus the monotonic clock: milliseconds. */
  offsetMs: number;
  day: number;
  spent: number;
}

/** Requests that were sent within a minute. */
interface Departures {
  /** When the first and the last of them were sent: monotonic milliseconds. */
  firstMs: number;
  lastMs: number;
  count: number;
}

/**
 * Counts the tokens and the daily quota that one interface has spent. The throttle does the saving and waiting, and
 * calls `advanceTo` before each query. The bucket and the pauses use the monotonic clock.
 *
 * A wall clock that jumps was wrong before or is wrong now, and nothing here can tell which. So each setting that it
 * has had continues by monotonic time, with its own day and its own count of the requests in that day, and the highest
 * count is taken as spent. Thus a jump over midnight gives no second quota, and no wrong setting closes the quota for
 * longer than the day that it shows.
 */
export class RateBudget {
  readonly #limits: Limits;
  /** The most recently left setting comes right after the present one. */
  #settings: [present: ClockSetting, ...others: ClockSetting[]];
  /** The requests sent within a day, oldest first: they give the count for the day of a new setting. */
  #departures: Departures[] = [];
  /** The tokens in the bucket at `#at`, those held by `#held` included. */
  #tokens: number;
  #at: Moment;
  /** Requests that were sent and are not answered yet: each holds a token. */
  #held = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: Limits, at: Moment) {
    this.#limits = limits;
    this.#settings = [{ offsetMs: at.nowMs - at.monotonicMs, day: dayOf(at.nowMs), spent: 0 }];
    this.#tokens = limits.burst;
    this.#at = at;
  }

  /** The UTC day whose quota is spent now. */
  get day(): number {
    return this.#settings[0].day;
  }

  /** Until when the catalog has asked for a pause: monotonic milliseconds. */
  get pausedUntilMs(): number {
    return this.#pausedUntilMs;
  }

  /** Returns true where the wall clock has jumped, which has to be saved. */
  advanceTo(at: Moment): boolean {
    this.#tokens = refill(this.#tokens, this.#limits, at.monotonicMs - this.#at.monotonicMs);
    this.#at = at;
    const hasJumped = this.#follow(at.nowMs - at.monotonicMs);
    this.#startNewDays();
    return hasJumped;
  }

  /** The requests that a lane may still make today. */
  remaining(lane: Lane): number {
    return remainingFor(lane, this.#spent, this.#limits.quota);
  }

  /**
   * Milliseconds until the next request may be sent: 0 or less for now, Infinity where only an answer can make room.
   */
  waitMs(): number {
    return Math.max(this.#pausedUntilMs - this.#at.monotonicMs, waitForTokenMs(this.#tokens, this.#limits, this.#held));
  }

  /** Counts a request that is sent. */
  spend(): void {
    for (const setting of this.#settings) setting.spent += 1;
    this.#remember(1);
    this.#held += 1;
  }

  /** Counts a request as answered, or as one that would have been answered by now. */
  settle(): void {
    this.#held -= 1;
    this.#tokens -= 1;
  }

  /**
   * Takes back a request that was not sent. It is in every count, because each day begins with the held requests; a
   * full count stays full.
   */
  refund(): void {
    this.#held -= 1;
    for (const setting of this.#settings) if (setting.spent < this.#limits.quota) setting.spent -= 1;
  }

  /** Empties the bucket until then, as the catalog said: monotonic milliseconds. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#tokens = Math.min(this.#tokens, this.#held);
  }

  /** Uses up the day's quota, as the catalog said. */
  exhaust(): void {
    for (const setting of this.#settings) setting.spent = this.#limits.quota;
    this.#departures = [];
    this.#remember(this.#limits.quota);
  }

  status(): QuotaStatus {
    const [present] = this.#settings;
    const days = this.#settings
      .map(({ day, offsetMs, spent }) => ({ spent, resetsAtMs: startOfDayMs(day + 1) - offsetMs + present.offsetMs }))
      .toSorted((one, other) => other.spent - one.spent || other.resetsAtMs - one.resetsAtMs);
    // A day that ends before one of which more is spent limits nothing.
    const limiting = days.filter(({ resetsAtMs }, index) =>
      days.slice(0, index).every((more) => more.resetsAtMs < resetsAtMs),
    );
    const [{ spent, resetsAtMs } = { spent: 0, resetsAtMs: startOfDayMs(present.day + 1) }, ...otherDays] = limiting;
    return { limit: this.#limits.quota, spent, resetsAtMs, ...(otherDays.length > 0 && { otherDays }) };
  }

  /** The state to keep across restarts. */
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

  /** Continues from the stored state. Returns true where the wall clock was set back since, which has to be saved. */
  restore({ day, spent, tokens, tokensAtMs, otherClocks = [] }: SpentRecord): boolean {
    // The age of a record from the future is not known.
    const elapsedMs = Math.max(0, this.#at.nowMs - tokensAtMs);
    this.#tokens = refill(tokens, this.#limits, elapsedMs - SETTLE_MS);
    const settingOf = (atMs: number, count: number, shown = dayOf(atMs)): ClockSetting => ({
      offsetMs: atMs + elapsedMs - this.#at.monotonicMs,
      day: shown,
      spent: count,
    });
    // After a small step back, the day that had begun continues; a day further ahead was written by a wrong clock.
    const earliest = dayOf(tokensAtMs);
    const shown = Math.max(earliest, Math.min(parseDay(day), earliest + 1));
    const others = otherClocks.map((other) => settingOf(other.atMs, other.spent));
    this.#settings = [settingOf(tokensAtMs, spent, shown), ...others];
    // Requests of past days say nothing about any other day.
    this.#startNewDays();
    // Their times are not stored, so they count as sent now, the latest possible moment.
    this.#remember(this.#spent);
    return this.advanceTo(this.#at);
  }

  #startNewDays(): void {
    for (const setting of this.#settings) {
      const today = dayOf(setting.offsetMs + this.#at.monotonicMs);
      // The catalog may count requests in flight for the old day or for the new one.
      if (today > setting.day) Object.assign(setting, { day: today, spent: this.#held });
    }
  }

  /** The highest count of all settings. */
  get #spent(): number {
    return Math.max(...this.#settings.map(({ spent }) => spent));
  }

  /** Makes a setting of the wall clock the present one. Returns true where it differs from the previous one. */
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

  /** The requests sent after a monotonic moment, and slightly before it, because close settings count as the same. */
  #departedSince(monotonicMs: number): number {
    const recent = this.#departures.filter(({ lastMs }) => lastMs > monotonicMs - SMALL_STEP_MS);
    return recent.reduce((sum, { count }) => sum + count, 0);
  }
}
