import { limitExceeded, tooManyRequests } from './refusal.ts';

/** Specification: "Portal throttling (token bucket)". */
export interface Limits {
  /** Tokens added per second. */
  rate: number;
  /** Most tokens that the bucket holds. */
  burst: number;
  /** Requests per day; a day begins at 00:00 UTC. */
  quota: number;
}

const DAY_MS = 86_400_000;

interface Account {
  tokens: number;
  filledAtMs: number;
  day: number;
  spent: number;
}

/**
 * Counts the requests of each key against a token bucket and a daily quota. A request that the bucket refuses does not
 * count against the quota; an admitted one does, whatever the answer to it is.
 */
export class Limiter {
  readonly #limits: Limits;
  readonly #accounts = new Map<string, Account>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Admits a request of that key. @throws Refusal 429, of one of the two kinds, with `Retry-After` in seconds */
  admit(key: string, nowMs: number): void {
    const { rate, burst, quota } = this.#limits;
    const day = Math.floor(nowMs / DAY_MS);
    const account = this.#accounts.get(key) ?? { tokens: burst, filledAtMs: nowMs, day, spent: 0 };
    this.#accounts.set(key, account);
    if (account.day !== day) {
      account.day = day;
      account.spent = 0;
    }
    const elapsedMs = Math.max(0, nowMs - account.filledAtMs);
    account.tokens = Math.min(burst, account.tokens + (elapsedMs / 1000) * rate);
    account.filledAtMs = nowMs;

    if (account.spent >= quota) throw limitExceeded(Math.ceil(((day + 1) * DAY_MS - nowMs) / 1000));
    if (account.tokens < 1) throw tooManyRequests(Math.max(1, Math.ceil((1 - account.tokens) / rate)));
    account.tokens -= 1;
    account.spent += 1;
  }
}
