/** A token bucket's settings (specification: "Portal throttling (token bucket)"). */
export interface BucketLimits {
  /** Tokens per second. */
  rate: number;
  /** The most tokens that the bucket holds. */
  burst: number;
}

/** Our bucket refills slightly more slowly than the catalog's, whose clock may be slower than this machine's. */
const REFILL_SHARE = 0.99;

/** The tokens of a bucket after `elapsedMs`. A negative time adds none. */
export function refill(tokens: number, limits: BucketLimits, elapsedMs: number): number {
  const added = (Math.max(0, elapsedMs) / 1000) * limits.rate * REFILL_SHARE;
  return Math.min(limits.burst, tokens + added);
}

/**
 * Milliseconds until the next request may be sent: 0 for now, Infinity where only an answer can make room.
 *
 * A request holds its token until it is answered and spends it then, because that is the latest moment at which the
 * catalog can have counted it. So however unevenly the network delays requests, the catalog's bucket never holds fewer
 * tokens than this one assumes.
 * @param held requests that were sent and are not answered yet
 */
export function waitForTokenMs(tokens: number, limits: BucketLimits, held: number): number {
  const needed = held + 1;
  if (tokens >= needed) return 0;
  if (needed > limits.burst) return Number.POSITIVE_INFINITY;
  return Math.ceil(((needed - tokens) / (limits.rate * REFILL_SHARE)) * 1000);
}
