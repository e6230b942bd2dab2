import { httpDateMs } from '../deals/date-time.ts';
import { type BackOff, backOffMs } from '../shared/backoff.ts';
import { DAY_MS } from '../shared/time.ts';
import { type CatalogError, CatalogHttpError, CatalogRateLimitedError, CatalogSchemaError } from './errors.ts';
import type { HttpReply, Target } from './http.ts';
import { parseAnswer } from './json.ts';

/** Why an attempt got no answer, as far as the reason decides the next action. */
export type FailureKind =
  /** 5xx, a timeout, a reset: the same request may succeed soon. */
  | 'passing'
  /** 429 "Too Many Requests": waiting for seconds helps. */
  | 'rate'
  /** 429 "Limit Exceeded": nothing helps until 00:00 UTC. */
  | 'quota'
  /** Everything else: the same request would fail again. */
  | 'final';

export interface Failure {
  kind: FailureKind;
  error: CatalogError;
  /** The `Retry-After` header as it came. */
  retryAfter?: string | undefined;
}

const LONGEST_QUOTE = 200;

/** Classifies an HTTP reply: its JSON, or a failure. An error quotes no text of the reply except a 400's message. */
export function classify(reply: HttpReply, target: Target): { json: unknown } | { failure: Failure } {
  const { status } = reply;
  if (status >= 200 && status < 300) {
    try {
      return { json: parseAnswer(reply.text) };
    } catch {
      return fail('final', new CatalogSchemaError(`${target.label} answered with something that is not JSON.`));
    }
  }
  if (status === 429) {
    const kind = /limit exceeded/i.test(messageOf(reply)) ? 'quota' : 'rate';
    return fail(kind, new CatalogRateLimitedError(`${target.label} answered that we ask too often.`), reply);
  }
  const error = new CatalogHttpError(`${target.label} answered ${status}${explain(reply, target)}.`, status);
  return fail(status >= 500 ? 'passing' : 'final', error, reply);
}

function fail(kind: FailureKind, error: CatalogError, reply?: HttpReply): { failure: Failure } {
  return { failure: { kind, error, retryAfter: reply?.retryAfter } };
}

function explain(reply: HttpReply, target: Target): string {
  if (reply.status >= 300 && reply.status < 400) return ': it redirects, which is not followed; check the address';
  if (reply.status === 401 || reply.status === 403) return ': check the key';
  const quoted = reply.status === 400 ? target.redact(messageOf(reply)).slice(0, LONGEST_QUOTE) : '';
  const message = quoted.trim().replace(/\.+$/, '');
  return message === '' ? '' : `: ${message}`;
}

/** Deployments send `{"message": …}` or `{"Message": …}`. */
function messageOf(reply: HttpReply): string {
  try {
    const body: unknown = JSON.parse(reply.text);
    if (typeof body !== 'object' || body === null) return '';
    const message = 'message' in body ? body.message : 'Message' in body ? body.Message : '';
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

/** The waits after failures that pass by themselves. */
export const PASSING: BackOff = { firstMs: 500, factor: 2, longestMs: 15_000, jitter: 0.5 };
const RATE: BackOff = { ...PASSING, firstMs: 2_000 };
/** A catalog that answers "retry at once" again and again would cost the day's quota. */
const LEAST_RATE: BackOff = { firstMs: 1_000, factor: 2, longestMs: 15_000 };
const LONGEST_RETRY_AFTER_MS = DAY_MS;

/** The attempts for a request that fails temporarily. Rate-limited attempts are limited by the call's deadline only. */
export const MAX_ATTEMPTS = 4;

/**
 * The milliseconds until the next attempt, or null where there should be none. A `Retry-After` is honoured.
 * @param attempt the one that failed: 1 for the first
 * @param random 0 to 1
 */
export function retryDelayMs(
  { kind, retryAfter }: Pick<Failure, 'kind' | 'retryAfter'>,
  attempt: number,
  nowMs: number,
  random: () => number,
): number | null {
  if (kind === 'final' || kind === 'quota' || (kind === 'passing' && attempt >= MAX_ATTEMPTS)) return null;
  const askedMs = parseRetryAfterMs(retryAfter, nowMs);
  if (askedMs === null) return backOffMs(attempt, kind === 'rate' ? RATE : PASSING, random);
  return kind === 'rate' ? Math.max(askedMs, backOffMs(attempt, LEAST_RATE)) : askedMs;
}

/** `Retry-After` in seconds or as an HTTP date (RFC 9110, 10.2.3); null where it says neither. At most a day. */
function parseRetryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const untilMs = /^\d+$/.test(text) ? nowMs + Number(text) * 1000 : httpDateMs(text);
  if (untilMs === null) return null;
  const askedMs = untilMs - nowMs;
  return Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, askedMs));
}
