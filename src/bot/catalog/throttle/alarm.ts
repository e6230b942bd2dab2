import type { Clock } from '../../../shared/clock.ts';

/** Rings at a time, or earlier: whoever hears it looks what is due and sets it anew. One timer, however many wait. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  /** Infinity where it is not set. */
  #atMs = Number.POSITIVE_INFINITY;
  #callOff: () => void = () => undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = () => {
      this.#atMs = Number.POSITIVE_INFINITY;
      ring();
    };
  }

  /** Makes sure that it rings by then: on the monotonic clock, Infinity for never mind. */
  setBy(atMs: number): void {
    if (atMs >= this.#atMs) return;
    this.stop();
    this.#atMs = atMs;
    this.#callOff = this.#clock.after(atMs - this.#clock.monotonicMs(), this.#ring);
  }

  stop(): void {
    if (this.#atMs === Number.POSITIVE_INFINITY) return;
    this.#atMs = Number.POSITIVE_INFINITY;
    this.#callOff();
  }
}
