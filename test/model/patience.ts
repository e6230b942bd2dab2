import type { Seen } from './catalog.ts';
import { type Channel, type Debt, overFromMs } from './channel.ts';

/** How long what is due may take, while nothing is in its way: milliseconds. */
export interface Allowance {
  withinMs: number;
  /** So much longer for each that is due at the same time. */
  forEachMs: number;
}

/** The posts that a channel is owed by now, counted by entity. */
export interface Tally {
  posted: number;
  /** Due, and not to be expected yet. */
  waiting: number;
  /** Not due yet, or about what can't be told of now. */
  held: number;
  /** Skipped, as a person has chosen. */
  skipped: number;
  /** The posts that were not made in their time. One that comes late after all is posted. */
  lost: number;
}

interface Wait {
  /** For how long it could have been posted without an interruption: milliseconds. */
  calmMs: number;
  /** The most that were due at the same time as it. */
  mostDue: number;
}

/** Counts while time passes, for how long what is owed to a channel could have been posted. */
export class Patience {
  readonly #channel: Channel;
  readonly #allowance: Allowance;
  readonly #waits = new WeakMap<Debt, Wait>();
  #lost = 0;
  #skipped = 0;

  constructor(channel: Channel, allowance: Allowance) {
    this.#channel = channel;
    this.#allowance = allowance;
  }

  /**
   * Lets time pass. What ends before it could be posted is owed no more; what ends although it could is lost.
   * @param calmMs for how long of it nothing was in the way; 0 where something was: the time of what is due begins anew
   * @param nowMs by the right time
   */
  pass(calmMs: number, nowMs: number): void {
    const standings = this.#channel.standings(nowMs);
    const isDue = ({ sureDueAtMs }: Debt) => sureDueAtMs <= nowMs;
    const due = standings.filter(({ debt, is }) => (is === 'open' || is === 'over') && isDue(debt));
    for (const { debt } of due) {
      const wait = this.#waitOf(debt);
      // More time for what had its time already would hide a loss.
      if (!this.#isLate(wait)) wait.mostDue = Math.max(wait.mostDue, due.length);
    }
    const over = new Map<Seen, { isLost: boolean; isSkipped: boolean }>();
    for (const { debt, is } of standings) {
      const wait = this.#waitOf(debt);
      // What was lost before it was held or skipped stays lost.
      const isWaiting = is !== 'held' && is !== 'skipped';
      if (isWaiting || !this.#isLate(wait))
        wait.calmMs = calmMs > 0 && isDue(debt) && isWaiting ? wait.calmMs + calmMs : 0;
      if (overFromMs(debt) > nowMs) continue;
      const isLost = (is === 'over' || is === 'skipped') && this.#isLate(wait);
      const ends = over.get(debt.seen) ?? { isLost: false, isSkipped: false };
      over.set(debt.seen, { isLost: ends.isLost || isLost, isSkipped: ends.isSkipped || is === 'skipped' });
    }
    for (const [seen, { isLost, isSkipped }] of over) {
      this.#channel.forget(seen);
      if (isLost) this.#lost += 1;
      else if (isSkipped) this.#skipped += 1;
    }
  }

  tally(nowMs: number): Tally {
    const is = {
      late: new Set<Seen>(),
      waiting: new Set<Seen>(),
      held: new Set<Seen>(),
      skipped: new Set<Seen>(),
      told: new Set<Seen>(),
    };
    for (const { debt, is: standing } of this.#channel.standings(nowMs)) {
      if (standing === 'optional') continue;
      if (standing === 'told') is.told.add(debt.seen);
      else if (this.#isLate(this.#waitOf(debt))) is.late.add(debt.seen);
      else if (standing === 'skipped') is.skipped.add(debt.seen);
      else if (debt.sureDueAtMs > nowMs || standing === 'held') is.held.add(debt.seen);
      else is.waiting.add(debt.seen);
    }
    const posted = this.#channel.posted() + is.told.size;
    const skipped = this.#skipped + is.skipped.size;
    return { posted, waiting: is.waiting.size, held: is.held.size, skipped, lost: this.#lost + is.late.size };
  }

  #waitOf(debt: Debt): Wait {
    const known = this.#waits.get(debt) ?? { calmMs: 0, mostDue: 1 };
    this.#waits.set(debt, known);
    return known;
  }

  #isLate({ calmMs, mostDue }: Wait): boolean {
    return calmMs >= this.#allowance.withinMs + (mostDue - 1) * this.#allowance.forEachMs;
  }
}
