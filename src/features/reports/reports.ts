import type { Clock } from '../../shared/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';

/** The same offer is asked about once in this time: milliseconds. */
export const ASKED_EVERY_MS = 5 * MINUTE_MS;
/** The most offers that one person has asked about in an hour. */
export const MOST_IN_AN_HOUR = 10;

/** What people have had the catalog asked about. Kept in memory: after a restart, everybody may ask again. */
export class Reports {
  readonly #clock: Clock;
  /** When each offer was asked about last: epoch milliseconds. */
  readonly #askedMs = new Map<string, number>();
  /** When each person has asked in the last hour: epoch milliseconds, oldest first. */
  readonly #byPerson = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When the offer was asked about within `ASKED_EVERY_MS`; null where it wasn't. */
  askedMs(offerId: string): number | null {
    this.#forget();
    return this.#askedMs.get(offerId) ?? null;
  }

  /** When the person may ask again: epoch milliseconds; null for now. */
  againMs(personId: string): number | null {
    this.#forget();
    const all = this.#byPerson.get(personId) ?? [];
    return all.length < MOST_IN_AN_HOUR ? null : (all[0] ?? 0) + HOUR_MS;
  }

  /** Notes that a person has an offer asked about. */
  noteAsking(personId: string): void {
    this.#byPerson.set(personId, [...(this.#byPerson.get(personId) ?? []), this.#clock.now()]);
  }

  /** Notes that the catalog has answered. */
  noteAnswer(offerId: string): void {
    this.#askedMs.set(offerId, this.#clock.now());
  }

  /** A time of the future, by a clock that was set back since, holds nobody back. */
  #forget(): void {
    const nowMs = this.#clock.now();
    const isWithin = (ms: number, spanMs: number) => ms <= nowMs && nowMs - ms < spanMs;
    for (const [id, ms] of this.#askedMs) if (!isWithin(ms, ASKED_EVERY_MS)) this.#askedMs.delete(id);
    for (const [id, all] of this.#byPerson) {
      const left = all.filter((ms) => isWithin(ms, HOUR_MS));
      if (left.length === 0) this.#byPerson.delete(id);
      else this.#byPerson.set(id, left);
    }
  }
}
