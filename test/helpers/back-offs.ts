import { RETRY } from '../../src/announcements/deliver/channel.ts';
import { MAX_ATTEMPTS, PASSING } from '../../src/catalog/failure.ts';
import { BLOCKED } from '../../src/discord/pause.ts';
import { backOffMs } from '../../src/shared/backoff.ts';

/** The wait of a channel that has given no answer so many times in a row: milliseconds. */
export const retryMs = (failures = 1): number => backOffMs(failures, RETRY);

/** The wait of a channel where the bot was not allowed to post so many times in a row: milliseconds. */
export const blockedMs = (failures = 1): number => backOffMs(failures, BLOCKED);

/** Whether a wait is the one after the first try without an answer. */
export const isFirstRetry = (ms: number): boolean => ms === retryMs();

/** Whether a wait is the one after the first try that was not allowed. */
export const isFirstBlocked = (ms: number): boolean => ms === blockedMs();

/** The wait after so many failures of a request to the catalog that pass by themselves, where chance is in the middle: milliseconds. */
export const passingMs = (failures = 1): number => backOffMs(failures, PASSING, () => 0.5);

/** All waits of such a request until it is given up. */
export const PASSING_WAITS_MS: readonly number[] = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) =>
  passingMs(index + 1),
);
