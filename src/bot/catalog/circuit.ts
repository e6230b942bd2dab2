const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 15_000;
const LONGEST_OPEN_MS = 300_000;

/**
 * A circuit breaker: stops requests to a catalog that keeps failing, which saves quota and people's time. While open,
 * no request passes; then it is half open: one request may probe. Where the probe fails, the next wait is twice as
 * long. All times are by the monotonic clock.
 */
export class Circuit {
  #failures = 0;
  #openMs = 0;
  #openUntilMs: number | null = null;

  /** When a request may pass again: monotonic milliseconds; null where it may now. */
  openUntilMs(nowMs: number): number | null {
    return this.#openUntilMs !== null && nowMs < this.#openUntilMs ? this.#openUntilMs : null;
  }

  /** Whether one request should probe the catalog before others are sent. */
  isHalfOpen(nowMs: number): boolean {
    return this.#openUntilMs !== null && nowMs >= this.#openUntilMs;
  }

  /** Returns true where this closed the circuit. */
  succeeded(): boolean {
    const wasOpen = this.#openUntilMs !== null;
    this.#failures = 0;
    this.#openMs = 0;
    this.#openUntilMs = null;
    return wasOpen;
  }

  /** Returns for how many milliseconds this opened the circuit, or null where it did not. */
  failed(nowMs: number): number | null {
    this.#failures += 1;
    if (this.#failures < FAILURES_TO_OPEN || this.openUntilMs(nowMs) !== null) return null;
    this.#openMs = this.#openMs === 0 ? FIRST_OPEN_MS : Math.min(LONGEST_OPEN_MS, this.#openMs * 2);
    this.#openUntilMs = nowMs + this.#openMs;
    return this.#openMs;
  }
}
