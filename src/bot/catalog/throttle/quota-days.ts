import { dayOf, startOfDayMs } from './quota.ts';

/** The UTC day as one setting of the wall clock has it. */
interface CountedDay {
  /** What this setting is ahead of the monotonic clock: milliseconds. */
  offsetMs: number;
  day: number;
  spent: number;
}

/** What is remembered of a setting of the wall clock that is not the present one. */
export interface OtherClock {
  /** What it showed when it was remembered: epoch milliseconds. */
  atMs: number;
  spent: number;
}

/** Requests that left within a minute. */
interface Spent {
  /** When the first and the last of them did, on the monotonic clock. */
  firstMs: number;
  lastMs: number;
  count: number;
}

/** A wall clock that is corrected by no more than this has the same day as before. */
const SMALL_STEP_MS = 60_000;

/** Settings beyond these are forgotten, the one that was left first. */
const MOST_SETTINGS = 24;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Counts what is spent of the catalog's UTC day. A wall clock that jumps was wrong before or is wrong now, and nothing here
 * tells which: each setting that it has had goes on as a clock of its own, by monotonic time, and has a day and a count of
 * what left in that day. The highest count is what is spent. So a jump over midnight gives no second quota, whichever of
 * them is right, and each count ends with its own day: none closes the quota for longer than that.
 */
export class QuotaDays {
  /** The present setting of the wall clock comes last. */
  #days: CountedDay[];
  /** What left within a day, oldest first: it tells what a new setting's day has had. */
  #spent: Spent[] = [];

  constructor(nowMs: number, monotonicMs: number) {
    this.#days = [{ offsetMs: nowMs - monotonicMs, day: dayOf(nowMs), spent: 0 }];
  }

  /** The UTC day by the present wall clock. */
  get day(): number {
    return this.#present().day;
  }

  /** The highest count. */
  get spent(): number {
    return Math.max(...this.#days.map(({ spent }) => spent));
  }

  /** The count of the present setting. */
  get presentSpent(): number {
    return this.#present().spent;
  }

  /**
   * Goes on to the present. Returns true where the wall clock has jumped.
   * @param held what is on its way: the catalog may count it for the old day or for the new one
   */
  advance(nowMs: number, monotonicMs: number, held: number): boolean {
    const hasJumped = this.#follow(nowMs, monotonicMs, held);
    for (const counted of this.#days) {
      const today = dayOf(counted.offsetMs + monotonicMs);
      if (today <= counted.day) continue;
      counted.day = today;
      counted.spent = held;
    }
    return hasJumped;
  }

  /** Requests leave. */
  add(count: number, monotonicMs: number): void {
    for (const counted of this.#days) counted.spent += count;
    const last = this.#spent.at(-1);
    if (last && monotonicMs - last.firstMs < MINUTE_MS) {
      last.lastMs = monotonicMs;
      last.count += count;
      return;
    }
    this.#spent = this.#spent.filter(({ lastMs }) => monotonicMs - lastMs <= DAY_MS + SMALL_STEP_MS);
    this.#spent.push({ firstMs: monotonicMs, lastMs: monotonicMs, count });
  }

  /** Takes back what `day` was to pay for, where it is certain that each count has it. */
  refund(day: number): void {
    const counted = this.#present();
    if (this.#days.length === 1 && counted.day === day) counted.spent -= 1;
  }

  /** Nothing is left of the quota, whichever the day is. */
  exhaust(quota: number, monotonicMs: number): void {
    for (const counted of this.#days) counted.spent = quota;
    this.#spent = [{ firstMs: monotonicMs, lastMs: monotonicMs, count: quota }];
  }

  /** When what is spent returns, by the present wall clock: epoch milliseconds. */
  resetsAtMs(): number {
    const { spent } = this;
    const { offsetMs } = this.#present();
    const resets = this.#days
      .filter((counted) => counted.spent === spent)
      .map((counted) => startOfDayMs(counted.day + 1) - counted.offsetMs + offsetMs);
    return Math.max(...resets);
  }

  /** The other settings, for a record; empty where the wall clock has never jumped. */
  others(monotonicMs: number): OtherClock[] {
    return this.#days.slice(0, -1).map(({ offsetMs, spent }) => ({ atMs: offsetMs + monotonicMs, spent }));
  }

  /**
   * Goes on from what was remembered.
   * @param remembered the setting that was the present one then
   * @param elapsedMs how long ago that was
   */
  restore(
    remembered: OtherClock & { day: number },
    others: readonly OtherClock[],
    elapsedMs: number,
    monotonicMs: number,
  ): void {
    const toCounted = ({ atMs, spent }: OtherClock, day: number): CountedDay => ({
      offsetMs: atMs + elapsedMs - monotonicMs,
      day,
      spent,
    });
    // A day that had begun goes on after a small step back; one that is further ahead was written by a wrong clock.
    const day = Math.min(remembered.day, dayOf(remembered.atMs) + 1);
    this.#days = [
      ...others.map((other) => toCounted(other, dayOf(other.atMs))),
      toCounted(remembered, Math.max(day, dayOf(remembered.atMs))),
    ];
    // When they left is not remembered: now at the latest.
    this.#spent = [{ firstMs: monotonicMs, lastMs: monotonicMs, count: this.spent }];
  }

  /** How many left after a moment on the monotonic clock: a little before it too, as settings count as the same that nearly are. */
  #spentSince(monotonicMs: number): number {
    const recent = this.#spent.filter(({ lastMs }) => lastMs > monotonicMs - SMALL_STEP_MS);
    return recent.reduce((sum, { count }) => sum + count, 0);
  }

  #present(): CountedDay {
    const present = this.#days.at(-1);
    if (!present) throw new Error('There is always a present setting.');
    return present;
  }

  /** Makes the present setting the last one. Returns true where it is another than before. */
  #follow(nowMs: number, monotonicMs: number, held: number): boolean {
    const offsetMs = nowMs - monotonicMs;
    const present = this.#present();
    if (Math.abs(present.offsetMs - offsetMs) <= SMALL_STEP_MS) {
      present.offsetMs = offsetMs;
      return false;
    }
    const earlier = this.#days.find((counted) => Math.abs(counted.offsetMs - offsetMs) <= SMALL_STEP_MS);
    const day = dayOf(nowMs);
    const counted = earlier ?? { offsetMs, day, spent: held + this.#spentSince(startOfDayMs(day) - offsetMs) };
    this.#days = [...this.#days.filter((other) => other !== counted), counted].slice(-MOST_SETTINGS);
    return true;
  }
}
