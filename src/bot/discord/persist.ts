import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import type { Clock } from '../../shared/clock.ts';
import { DiscordRefusedError } from '../../shared/errors.ts';

export interface BackOff {
  /** Wait after the first failure, in milliseconds; each failure after it doubles the wait. */
  firstMs: number;
  longestMs: number;
}

export interface PersistOptions extends BackOff {
  clock: Clock;
  /** Cancels the attempts at once, with its reason. */
  signal: AbortSignal;
  onFailure: (error: unknown) => void;
}

/**
 * The longest wait that Discord can impose: its rate limits last a day at most, and a proxy's number may be wrong, so a
 * longer one is tried again after an hour.
 */
const LONGEST_ASKED_MS = 3_600_000;

/** The wait after `failures` failures in a row (1 or more), in milliseconds. */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOff): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

/**
 * Retries until success. Waits between attempts for as long as Discord asks, at least for the back-off.
 * @throws DiscordRefusedError where Discord allows no further attempt; the signal's reason
 */
export async function persist<T>(attempt: () => Promise<T>, options: PersistOptions): Promise<T> {
  const { clock, signal, onFailure } = options;
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DiscordRefusedError) throw error;
      onFailure(error);
      const askedMs = error instanceof RateLimitError ? error.retryAfter : 0;
      await clock.sleep(Math.max(backOffMs(failures, options), Math.min(askedMs, LONGEST_ASKED_MS)), signal);
    }
  }
}

/** Why a request to Discord failed, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof RateLimitError) return `it takes no such request for ${Math.ceil(error.retryAfter / 1000)} s`;
  if (error instanceof DiscordAPIError) return `it answered ${error.status} (${firstLine(error.message)})`;
  if (error instanceof HTTPError) return `it answered ${error.status}`;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return NETWORK_REASONS.get(code) ?? (firstLine(error.message) || code);
}

/** @see https://nodejs.org/api/errors.html#common-system-errors */
const NETWORK_REASONS = new Map([
  ['ENOTFOUND', 'its address was not found (DNS)'],
  ['EAI_AGAIN', 'the name server did not answer (DNS)'],
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection broke'],
  ['UND_ERR_SOCKET', 'the connection broke'],
]);

const firstLine = (text: string) => (text.split('\n')[0] ?? '').slice(0, 200);
