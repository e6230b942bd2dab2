import { type BackOff, backOffMs } from '../shared/backoff.ts';
import { type Clock, wallMsOf } from '../shared/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../shared/time.ts';

/** Why work in Discord is paused: no answer, a missing permission, or a limit of Discord's. */
export type Setback = { kind: 'unknown' } | { kind: 'blocked' } | { kind: 'later'; afterMs: number };

/**
 * The back-off where the bot isn't allowed to do something. Discord bans an address for 10,000 refused requests in ten
 * minutes.
 */
export const BLOCKED: BackOff = { firstMs: MINUTE_MS, factor: 4, longestMs: HOUR_MS };

/**
 * The pause of one kind of work in one place. Each is longer than the one before, and depends on failures of its own kind
 * alone: a connection that was reset makes no block longer.
 */
export class Pause {
  readonly #clock: Clock;
  /** The back-off where Discord doesn't answer. */
  readonly #retry: BackOff;
  #failures: Record<Setback['kind'], number> = { unknown: 0, blocked: 0, later: 0 };
  /** Monotonic milliseconds. */
  #untilMs = Number.NEGATIVE_INFINITY;
  #because: Setback['kind'] | null = null;

  constructor(clock: Clock, retry: BackOff) {
    this.#clock = clock;
    this.#retry = retry;
  }

  /** The failure that caused the last one, whether that is over or not; null since the last success. */
  get because(): Setback['kind'] | null {
    return this.#because;
  }

  /** The end in epoch milliseconds, by the wall clock as it is set now; in the past where there is none. */
  get untilMs(): number {
    return wallMsOf(this.#untilMs, this.#clock);
  }

  begin(setback: Setback): void {
    const { kind } = setback;
    this.#failures[kind] += 1;
    const count = this.#failures[kind];
    const ms = kind === 'later' ? setback.afterMs : backOffMs(count, kind === 'unknown' ? this.#retry : BLOCKED);
    this.#untilMs = this.#clock.monotonicMs() + ms;
    this.#because = kind;
  }

  /** Ends it where a missing permission caused it. Failures stay counted, so the next one is longer. */
  endBlocked(): void {
    if (this.#because === 'blocked') this.#untilMs = Number.NEGATIVE_INFINITY;
  }

  /** Work has succeeded: the next failure is the first again. */
  reset(): void {
    this.#failures = { unknown: 0, blocked: 0, later: 0 };
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#because = null;
  }
}
