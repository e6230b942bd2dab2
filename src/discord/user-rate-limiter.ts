import { type Clock, wallMsOf } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import { timestamp } from './format.ts';
import { message } from './i18n/translator.ts';

/** Requests that one person may cause at once, and how often one more after that: at most 300 of a day's 1,000. */
const AT_ONCE = 12;
const ONE_MORE_MS = 5 * 60_000;
/** Above this many people, those with a full allowance are dropped. */
const MOST_KEPT = 1_000;

/** Limits the catalog requests of each person, so that nobody spends everybody's daily quota. */
export interface UserRateLimiter {
  /** Counts one request. @throws UserError that names the time of the next one, where none is left */
  spend(personId: string): void;
}

export function createUserRateLimiter(clock: Clock): UserRateLimiter {
  /** When each person's allowance is full again, on the monotonic clock: a token bucket stored as one number. */
  const fullAgainMs = new Map<string, number>();

  function forgetFull(nowMs: number): void {
    for (const [personId, atMs] of fullAgainMs) if (atMs <= nowMs) fullAgainMs.delete(personId);
  }

  return {
    spend(personId) {
      const nowMs = clock.monotonicMs();
      const afterMs = Math.max(nowMs, fullAgainMs.get(personId) ?? nowMs) + ONE_MORE_MS;
      const nextMs = afterMs - AT_ONCE * ONE_MORE_MS;
      if (nextMs > nowMs) {
        throw new UserError(message('failure.askedALot', { at: timestamp(wallMsOf(nextMs, clock), 'R') }));
      }
      fullAgainMs.set(personId, afterMs);
      if (fullAgainMs.size > MOST_KEPT) forgetFull(nowMs);
    },
  };
}
