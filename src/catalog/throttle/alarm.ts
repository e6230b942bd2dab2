import type { Clock } from '../../clock.ts';

/** Ends a sleep that is not needed any more. Made once: an error costs more than the rest here. */
const STOPPED = new Error('Stopped.');

/** Rings at a time, or earlier: whoever hears it looks what is due and sets it anew. One sleep, however many wait. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #set: { atMs: number; cancel: AbortController } | null = null;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Makes sure that it rings by then: epoch milliseconds, Infinity for never mind. */
  setBy(atMs: number): void {
    if (atMs === Number.POSITIVE_INFINITY || (this.#set && this.#set.atMs <= atMs)) return;
    this.stop();
    this.#sleepUntil(atMs);
  }

  stop(): void {
    this.#set?.cancel.abort(STOPPED);
    this.#set = null;
  }

  #sleepUntil(atMs: number): void {
    const set = { atMs, cancel: new AbortController() };
    this.#set = set;
    this.#clock.sleep(atMs - this.#clock.now(), set.cancel.signal).then(
      () => {
        if (this.#set === set) this.#set = null;
        this.#ring();
      },
      () => undefined,
    );
  }
}
