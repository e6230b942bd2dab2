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

/** A wall clock that is corrected by no more than this has the same day as before. */
const SMALL_STEP_MS = 60_000;

/** Settings beyond these are forgotten, the one that was left first. */
const MOST_SETTINGS = 24;

/**
 * Counts what is spent of the catalog's UTC day. A wall clock that jumps was wrong before or is wrong now, and nothing here
 * tells which: each setting that it has had goes on as a clock of its own, by monotonic time, and has a day and a count.
 * The highest count is what is spent. So a jump over midnight gives no second quota, whichever of them is right, and each
 * count ends with its own day: none closes the quota for longer than that.
 */
export class QuotaDays {
  /** The present setting of the wall clock comes last. */
  #days: CountedDay[];

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
    const hasJumped = this.#follow(nowMs, monotonicMs);
    for (const counted of this.#days) {
      const today = dayOf(counted.offsetMs + monotonicMs);
      if (today <= counted.day) continue;
      counted.day = today;
      counted.spent = held;
    }
    return hasJumped;
  }

  add(count: number): void {
    for (const counted of this.#days) counted.spent += count;
  }

  /** Takes back what `day` was to pay for, where it is certain that each count has it. */
  refund(day: number): void {
    const counted = this.#present();
    if (this.#days.length === 1 && counted.day === day) counted.spent -= 1;
  }

  /** Nothing is left of the quota, whichever the day is. */
  exhaust(quota: number): void {
    for (const counted of this.#days) counted.spent = quota;
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
  }

  #present(): CountedDay {
    const present = this.#days.at(-1);
    if (!present) throw new Error('There is always a present setting.');
    return present;
  }

  /** Makes the present setting the last one. Returns true where it is another than before. */
  #follow(nowMs: number, monotonicMs: number): boolean {
    const offsetMs = nowMs - monotonicMs;
    const present = this.#present();
    if (Math.abs(present.offsetMs - offsetMs) <= SMALL_STEP_MS) {
      present.offsetMs = offsetMs;
      return false;
    }
    const earlier = this.#days.find((counted) => Math.abs(counted.offsetMs - offsetMs) <= SMALL_STEP_MS);
    const { spent } = this;
    // All that is spent may have been spent in the day that a new setting shows.
    const counted = earlier ?? { offsetMs, day: dayOf(nowMs), spent };
    this.#days = [...this.#days.filter((other) => other !== counted), counted].slice(-MOST_SETTINGS);
    return true;
  }
}
