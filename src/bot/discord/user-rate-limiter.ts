import { type Clock, wallMsOf } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { timestamp } from './format.ts';
import { message } from './i18n/translator.ts';

/** Requests that one person may cause at once, and how often one more after that: at most 300 of a day's 1,000. */
const AT_ONCE = 12;
const ONE_MORE_MS = 5 * 60_000;
/** Above this many people those who may spend everything again are forgotten. */
const MOST_KEPT = 1_000;

/** What each person may spend of the catalog's requests, so that nobody uses up everybody's day. */
export interface UserRateLimiter {
  /** Counts one request. @throws UserError that says when there is another, where there is none left */
  spend(personId: string): void;
}

export function createUserRateLimiter(clock: Clock): UserRateLimiter {
  /** When each person has everything again, on the monotonic clock: a token bucket that is one number. */
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
