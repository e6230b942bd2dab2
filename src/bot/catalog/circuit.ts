const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 15_000;
const LONGEST_OPEN_MS = 300_000;

/**
 * Stops asking a catalog that keeps failing: quota and people's time are too good for it. While open nothing passes;
 * then it is half open: one request may probe. Where it fails too, the next wait is twice as long. All times are of the
 * monotonic clock.
 */
export class Circuit {
  #failures = 0;
  #openMs = 0;
  #openUntilMs: number | null = null;

  /** When a request may pass again, or null where it may now. */
  openUntilMs(nowMs: number): number | null {
    return this.#openUntilMs !== null && nowMs < this.#openUntilMs ? this.#openUntilMs : null;
  }

  /** Whether one request should tell how the catalog is before others leave. */
  isHalfOpen(nowMs: number): boolean {
    return this.#openUntilMs !== null && nowMs >= this.#openUntilMs;
  }

  /** Returns true where that closed the circuit again. */
  succeeded(): boolean {
    const wasOpen = this.#openUntilMs !== null;
    this.#failures = 0;
    this.#openMs = 0;
    this.#openUntilMs = null;
    return wasOpen;
  }

  /** Returns for how many milliseconds that opened the circuit, or null where it did not. */
  failed(nowMs: number): number | null {
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || this.openUntilMs(nowMs) !== null) return null;
    this.#openMs = this.#openMs === 0 ? FIRST_OPEN_MS : Math.min(LONGEST_OPEN_MS, this.#openMs * 2);
    this.#openUntilMs = nowMs + this.#openMs;
    return this.#openMs;
  }
}
