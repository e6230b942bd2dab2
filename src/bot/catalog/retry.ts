import { httpDateMs } from '../deals/date-time.ts';
import type { FailureKind } from './classify.ts';

export interface FailedAttempt {
  kind: FailureKind;
  /** 1 for the first attempt. */
  attempt: number;
  /** The unparsed `Retry-After` header. */
  retryAfter?: string | undefined;
}

const LONGEST_BACKOFF_MS = 15_000;
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/** The attempts for a request that fails temporarily. Rate-limited attempts are limited by the call's deadline only. */
const MAX_ATTEMPTS = 4;

/**
 * The milliseconds until the next attempt, or null where there should be none. A `Retry-After` is honoured; without one
 * the back-off doubles with every attempt and half of it is random, so that many callers do not retry at once.
 * @param random 0 to 1
 */
export function retryDelayMs(failed: FailedAttempt, nowMs: number, random: () => number): number | null {
  const { kind, attempt } = failed;
  if (kind === 'final' || kind === 'quota' || (kind === 'passing' && attempt >= MAX_ATTEMPTS)) return null;
  const askedMs = parseRetryAfterMs(failed.retryAfter, nowMs);
  // A catalog that answers "retry at once" again and again would cost the day's quota.
  if (askedMs !== null) return kind === 'rate' ? Math.max(askedMs, backoffMs(1_000, attempt)) : askedMs;
  const longestMs = backoffMs(kind === 'rate' ? 2_000 : 500, attempt);
  return Math.round(longestMs / 2 + (random() * longestMs) / 2);
}

function backoffMs(firstMs: number, attempt: number): number {
  return Math.min(LONGEST_BACKOFF_MS, firstMs * 2 ** (attempt - 1));
}

/** `Retry-After` in seconds or as an HTTP date (RFC 9110, 10.2.3); null where it says neither. At most a day. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const untilMs = /^\d+$/.test(text) ? nowMs + Number(text) * 1000 : httpDateMs(text);
  if (untilMs === null) return null;
  const askedMs = untilMs - nowMs;
  return Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, askedMs));
}
