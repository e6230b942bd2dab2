import { setImmediate } from 'node:timers/promises';
import { type Clock, sleepBy } from '../../src/shared/clock.ts';
import { whenIdle } from './idle.ts';

interface Sleeper {
  ms: number;
  /** The moment on the monotonic clock. */
  atMs: number;
  wake(): void;
}

/** A clock that stands still until it is advanced. */
export class ManualClock implements Clock {
  /** The lead of the wall clock over the monotonic one: only `set` and `jump` change it. */
  #offsetMs: number;
  #monotonicMs = 0;
  readonly #sleepers = new Set<Sleeper>();
  readonly #watchers = new Set<() => void>();

  readonly #whenIdle: typeof whenIdle;

  /**
   * @param start an ISO 8601 time
   * @param idle tells when this process does nothing any more
   */
  constructor(start = '2026-11-21T12:00:00Z', idle = whenIdle) {
    this.#offsetMs = Date.parse(start);
    this.#whenIdle = idle;
  }

  now(): number {
    return this.#offsetMs + this.#monotonicMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepBy(this, ms, signal);
  }

  after(ms: number, ring: () => void): () => void {
    const callOff = () => this.#sleepers.delete(sleeper);
    const wake = () => {
      callOff();
      ring();
    };
    const sleeper = { ms, atMs: this.#monotonicMs + Math.max(0, ms), wake };
    this.#sleepers.add(sleeper);
    for (const watch of this.#watchers) watch();
    return callOff;
  }

  /** Lets `ms` milliseconds pass: whoever wakes meanwhile does so at its own time, the earliest first. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#monotonicMs + ms;
    await setImmediate();
    for (;;) {
      const next = this.#next();
      if (!next || next.atMs > untilMs) break;
      this.#monotonicMs = Math.max(this.#monotonicMs, next.atMs);
      next.wake();
      // The sleeper may sleep again next.
      await setImmediate();
    }
    this.#monotonicMs = Math.max(this.#monotonicMs, untilMs);
  }

  /** Sets the wall clock without waking anybody, as when a machine's clock is set. */
  set(time: string): void {
    this.#offsetMs = Date.parse(time) - this.#monotonicMs;
  }

  /** Moves the wall clock by `ms`, forward or back, without waking anybody. */
  jump(ms: number): void {
    this.#offsetMs += ms;
  }

  /**
   * Resolves as soon as somebody sleeps for a time that `matches`: the way to wait for work that is not in this process.
   * Rejects where nobody does and nothing happens any more: nobody ever would.
   */
  untilSleeping(matches: (ms: number) => boolean): Promise<void> {
    // Who waits sees the error at this line.
    const error = new Error();
    const sleeping = new Promise<void>((resolve, reject) => {
      const watch = () => {
        if (![...this.#sleepers].some(({ ms }) => matches(ms))) return;
        end();
        resolve();
      };
      const callOff = this.#whenIdle(() => {
        end();
        error.message = `Nobody sleeps for such a time, and nothing happens any more. There are: ${this.#sleeps()}.`;
        reject(error);
      });
      const end = () => {
        this.#watchers.delete(watch);
        callOff();
      };
      this.#watchers.add(watch);
      watch();
    });
    // It may have lost a race, and then waits for ever rightly.
    sleeping.catch(() => undefined);
    return sleeping;
  }

  /** How long each sleeps, in words. */
  #sleeps(): string {
    const each = [...this.#sleepers].map(({ ms, atMs }) => `${ms} ms (until ${atMs} ms)`);
    return `${each.join(', ') || 'none'}, at ${this.#monotonicMs} ms`;
  }

  #next(): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (!next || sleeper.atMs < next.atMs) next = sleeper;
    return next;
  }
}
