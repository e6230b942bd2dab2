import { type BackOff, backOffMs } from '../../shared/backoff.ts';
import { httpDateMs } from '../deals/date-time.ts';
import type { FailureKind } from './classify.ts';

export interface FailedAttempt {
  kind: FailureKind;
  /** 1 for the first attempt. */
  attempt: number;
  /** The unparsed `Retry-After` header. */
  retryAfter?: string | undefined;
}

const PASSING: BackOff = { firstMs: 500, factor: 2, longestMs: 15_000, jitter: 0.5 };
const RATE: BackOff = { ...PASSING, firstMs: 2_000 };
/** A catalog that answers "retry at once" again and again would cost the day's quota. */
const LEAST_RATE: BackOff = { firstMs: 1_000, factor: 2, longestMs: 15_000 };
const LONGEST_RETRY_AFTER_MS = 86_400_000;

/** The attempts for a request that fails temporarily. Rate-limited attempts are limited by the call's deadline only. */
const MAX_ATTEMPTS = 4;

/**
 * The milliseconds until the next attempt, or null where there should be none. A `Retry-After` is honoured.
 * @param random 0 to 1
 */
export function retryDelayMs(failed: FailedAttempt, nowMs: number, random: () => number): number | null {
  const { kind, attempt } = failed;
  if (kind === 'final' || kind === 'quota' || (kind === 'passing' && attempt >= MAX_ATTEMPTS)) return null;
  const askedMs = parseRetryAfterMs(failed.retryAfter, nowMs);
  if (askedMs === null) return backOffMs(attempt, kind === 'rate' ? RATE : PASSING, random);
  return kind === 'rate' ? Math.max(askedMs, backOffMs(attempt, LEAST_RATE)) : askedMs;
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
