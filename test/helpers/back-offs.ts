import { RETRY } from '../../src/announcements/deliver/channel.ts';
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
