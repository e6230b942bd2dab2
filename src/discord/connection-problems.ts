import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { type RetryOptions, retry } from '../shared/backoff.ts';
import { DiscordRefusedError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { HOUR_MS } from '../shared/time.ts';

/** The parts of the connection to Discord that can fail separately. */
type Part = 'gateway' | 'commands';

/** The problems that separate the bot from Discord, for the health check. */
export interface ConnectionProblems {
  /** Records why a part does not work, in a sentence, or null once it does. A change is logged once. */
  report(part: Part, problem: string | null): void;
  all(): string[];
  /** Resolves when the first one is reported. */
  readonly first: Promise<void>;
}

export function createConnectionProblems(log: Log): ConnectionProblems {
  const problems = new Map<Part, string>();
  let resolveFirst: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    resolveFirst = resolve;
  });
  return {
    first,
    all: () => [...problems.values()],
    report(part, problem) {
      if ((problems.get(part) ?? null) === problem) return;
      if (problem === null) {
        problems.delete(part);
        log.info({ part }, 'Discord is working again');
      } else {
        problems.set(part, problem);
        log.warn({ part }, `${problem} Dealbell keeps trying.`);
        resolveFirst();
      }
    },
  };
}

/**
 * The longest wait that Discord can impose: its rate limits last a day at most, and a proxy's number may be wrong, so a
 * longer one is tried again after an hour.
 */
const LONGEST_ASKED_MS = HOUR_MS;

/**
 * Retries until success. Waits between attempts for as long as Discord asks, at least for the back-off.
 * @throws DiscordRefusedError where Discord allows no further attempt; the signal's reason
 */
export function retryUnlessRefused<T>(
  attempt: () => Promise<T>,
  options: Omit<RetryOptions, 'onFailure'> & { onFailure: (error: unknown) => void },
): Promise<T> {
  return retry(attempt, {
    ...options,
    onFailure(error) {
      if (error instanceof DiscordRefusedError) throw error;
      options.onFailure(error);
      return error instanceof RateLimitError ? Math.min(error.retryAfter, LONGEST_ASKED_MS) : 0;
    },
  });
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
