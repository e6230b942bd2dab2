import { DiscordAPIError, RateLimitError } from 'discord.js';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';

/** Where a message is. */
export interface MessagePlace {
  channelId: string;
  messageId: string;
}

/** Why something was not done, or may not have been. Trying again makes sense for all but `gone`, `refused`, `missing`. */
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

/** @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const KNOWN = new Map<number | string, Failure>([
  [RESTJSONErrorCodes.UnknownChannel, { kind: 'gone', reason: 'The channel is gone.' }],
  [RESTJSONErrorCodes.UnknownGuild, { kind: 'gone', reason: 'The server is gone.' }],
  [RESTJSONErrorCodes.UnknownMessage, { kind: 'missing', reason: 'The message is gone.' }],
  [
    RESTJSONErrorCodes.MissingAccess,
    { kind: 'blocked', reason: 'The bot can’t see the channel. It needs View Channel.' },
  ],
  [
    RESTJSONErrorCodes.MissingPermissions,
    { kind: 'blocked', reason: 'The bot may not post in the channel. It needs Send Messages.' },
  ],
  [
    RESTJSONErrorCodes.InvalidActionOnArchivedThread,
    { kind: 'blocked', reason: 'The thread is locked. Unlock it, or give the bot Manage Threads.' },
  ],
  [
    RESTJSONErrorCodes.TagRequiredToCreateAForumPostInThisChannel,
    { kind: 'blocked', reason: 'The forum wants a tag on every post, and the subscription names none.' },
  ],
  [
    RESTJSONErrorCodes.MaximumActiveThreads,
    { kind: 'blocked', reason: 'The server has as many open threads as Discord allows. Close some.' },
  ],
  [
    RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel,
    { kind: 'blocked', reason: 'The channel has become one that the bot can’t post in.' },
  ],
]);

/** What an error of the REST client says about what was asked. */
export function failureOf(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof RateLimitError) return { kind: 'later', reason, afterMs: error.retryAfter };
  if (!(error instanceof DiscordAPIError) || error.status >= 500) return { kind: 'unknown', reason };
  return KNOWN.get(error.code) ?? { kind: error.status === 400 ? 'refused' : 'unknown', reason };
}

export function isError(error: unknown, code: RESTJSONErrorCodes): boolean {
  return error instanceof DiscordAPIError && error.code === code;
}
