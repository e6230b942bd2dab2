import { DiscordAPIError, RateLimitError } from 'discord.js';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';

/** Where a message is. */
export interface MessagePlace {
  channelId: string;
  messageId: string;
}

/**
 * Why something was not done, or may not have been. Trying again makes sense for all but `gone`, `missing` and `refused`.
 * The reason of `gone` and `blocked` is the key of a sentence without its `problem.`; the others' are for the log.
 */
export type Failure =
  /** The channel is no more. */
  | { kind: 'gone'; reason: string }
  /** The message is no more. */
  | { kind: 'missing'; reason: string }
  /** The bot may not do it there now; a permission or a setting can change that. */
  | { kind: 'blocked'; reason: string }
  /** Discord takes this from nobody: trying again changes nothing. */
  | { kind: 'refused'; reason: string }
  /** It was not done: Discord's limit lets it through after that time. */
  | { kind: 'later'; reason: string; afterMs: number }
  /** Nobody knows whether it was done. */
  | { kind: 'unknown'; reason: string };

export const CANNOT_READ: Failure = { kind: 'blocked', reason: 'cannot-read' };
export const SERVER_GONE: Failure = { kind: 'gone', reason: 'server-gone' };
export const THREAD_LOCKED: Failure = { kind: 'blocked', reason: 'thread-locked' };

/** A limit that is said to last longer is looked at again after a day. */
const LONGEST_LATER_MS = 86_400_000;

/** @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const KNOWN = new Map<number | string, Failure>([
  [RESTJSONErrorCodes.UnknownChannel, { kind: 'gone', reason: 'channel-gone' }],
  [RESTJSONErrorCodes.UnknownGuild, SERVER_GONE],
  [RESTJSONErrorCodes.UnknownMessage, { kind: 'missing', reason: 'unknown-message' }],
  [RESTJSONErrorCodes.MissingAccess, { kind: 'blocked', reason: 'cannot-see' }],
  [RESTJSONErrorCodes.MissingPermissions, { kind: 'blocked', reason: 'cannot-post' }],
  [RESTJSONErrorCodes.InvalidActionOnArchivedThread, THREAD_LOCKED],
  [RESTJSONErrorCodes.ThreadLocked, THREAD_LOCKED],
  [RESTJSONErrorCodes.TagRequiredToCreateAForumPostInThisChannel, { kind: 'blocked', reason: 'tag-required' }],
  [RESTJSONErrorCodes.MaximumActiveThreads, { kind: 'blocked', reason: 'too-many-threads' }],
  [RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel, { kind: 'blocked', reason: 'wrong-kind' }],
]);

/** What an error of the REST client says about what was asked. */
export function failureOf(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof RateLimitError) {
    return { kind: 'later', reason, afterMs: Math.min(error.retryAfter, LONGEST_LATER_MS) };
  }
  if (!(error instanceof DiscordAPIError) || error.status >= 500) return { kind: 'unknown', reason };
  return KNOWN.get(error.code) ?? { kind: error.status === 400 ? 'refused' : 'unknown', reason };
}

export function isError(error: unknown, code: RESTJSONErrorCodes): boolean {
  return error instanceof DiscordAPIError && error.code === code;
}
