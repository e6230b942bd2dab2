import { DiscordAPIError, RateLimitError } from 'discord.js';
import { CannotSendMessagesToThisUserErrorCodes, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { DAY_MS } from '../shared/time.ts';

/** The location of a message. */
export interface MessagePlace {
  channelId: string;
  messageId: string;
}

/**
 * Why a request failed, or may have failed. A retry makes sense for all but `gone` and `refused`. The reason of `gone`,
 * `unfound` and `blocked` is the key of a message without its `problem.` prefix; the others' are for the log.
 */
export type Failure =
  /** The channel no longer exists: Discord has said so twice, or the gateway agrees. */
  | { kind: 'gone'; reason: string }
  /** Discord has answered once that the channel does not exist. */
  | { kind: 'unfound'; reason: string }
  /** Discord has answered once that the message, or the entry of the Events list, does not exist. */
  | { kind: 'missing'; reason: string }
  /** The bot lacks permission now; a change of permissions or settings can help. */
  | { kind: 'blocked'; reason: string }
  /**
   * Discord never accepts this request: a retry changes nothing. `isUnexplained`: so it says, with a code that is not
   * known to mean that.
   */
  | { kind: 'refused'; reason: string; isUnexplained?: true }
  /** Not executed because of a rate limit, which ends after `afterMs` milliseconds. */
  | { kind: 'later'; reason: string; afterMs: number }
  /** It is unknown whether the request was executed. */
  | { kind: 'unknown'; reason: string };

/** A failure that says of the channel that it takes no requests, for now or never again. */
export type ChannelFailure = Extract<Failure, { kind: 'gone' | 'unfound' | 'blocked' | 'later' }>;

const ABOUT_CHANNELS: readonly Failure['kind'][] = ['gone', 'unfound', 'blocked', 'later'];

/** Whether an outcome is about the channel: any other request there would have had the same. */
export function isAboutChannel(outcome: { kind: string }): outcome is ChannelFailure {
  return ABOUT_CHANNELS.some((kind) => kind === outcome.kind);
}

export const CANNOT_READ: Failure = { kind: 'blocked', reason: 'cannot-read' };
export const SERVER_GONE: Failure = { kind: 'gone', reason: 'server-gone' };
/** The person takes no direct messages, has blocked the bot, or shares no server with it any more. */
const MESSAGES_CLOSED: Failure = { kind: 'blocked', reason: 'messages-closed' };
/** A server's Events list holds as many that aren't over as Discord allows. */
export const EVENTS_FULL: Failure & { reason: string } = { kind: 'blocked', reason: 'events-full' };
/** What stands in the channel could not be published. */
export const NOT_ANNOUNCEMENT: Failure = { kind: 'blocked', reason: 'not-announcement' };
export const THREAD_LOCKED: Failure = { kind: 'blocked', reason: 'thread-locked' };

/** The longest wait for a rate limit: after a day, a longer one is tried again. */
const LONGEST_LATER_MS = DAY_MS;

/** @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const KNOWN = new Map<number | string, Failure>([
  [RESTJSONErrorCodes.UnknownChannel, { kind: 'unfound', reason: 'channel-gone' }],
  [RESTJSONErrorCodes.UnknownGuild, { kind: 'unfound', reason: 'server-gone' }],
  [RESTJSONErrorCodes.UnknownMessage, { kind: 'missing', reason: 'unknown-message' }],
  [RESTJSONErrorCodes.UnknownGuildScheduledEvent, { kind: 'missing', reason: 'unknown-event' }],
  [RESTJSONErrorCodes.CannotUpdateAFinishedEvent, { kind: 'missing', reason: 'finished-event' }],
  [RESTJSONErrorCodes.MaximumNumberOfUncompletedGuildScheduledEventsReached, EVENTS_FULL],
  [RESTJSONErrorCodes.MissingAccess, { kind: 'blocked', reason: 'cannot-see' }],
  [RESTJSONErrorCodes.MissingPermissions, { kind: 'blocked', reason: 'cannot-post' }],
  [RESTJSONErrorCodes.InvalidActionOnArchivedThread, THREAD_LOCKED],
  [RESTJSONErrorCodes.ThreadLocked, THREAD_LOCKED],
  [RESTJSONErrorCodes.TagRequiredToCreateAForumPostInThisChannel, { kind: 'blocked', reason: 'tag-required' }],
  [RESTJSONErrorCodes.MaximumActiveThreads, { kind: 'blocked', reason: 'too-many-threads' }],
  [RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel, { kind: 'blocked', reason: 'wrong-kind' }],
]);

/** What is wrong with a request itself, so that it is refused whenever it is sent. */
const ABOUT_THE_FORM: readonly (number | string)[] = [
  RESTJSONErrorCodes.InvalidFormBodyOrContentType,
  RESTJSONErrorCodes.CannotSendAnEmptyMessage,
  RESTJSONErrorCodes.RequestBodyContainsInvalidJSON,
  RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType,
];

/** Classifies an error of the REST client. */
export function failureOf(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof RateLimitError) {
    return { kind: 'later', reason: 'rate-limit', afterMs: Math.min(error.retryAfter, LONGEST_LATER_MS) };
  }
  if (!(error instanceof DiscordAPIError) || error.status >= 500) return { kind: 'unknown', reason };
  const known = KNOWN.get(error.code);
  if (known) return known;
  if (error.status !== 400) return { kind: 'unknown', reason };
  return { kind: 'refused', reason, ...(!ABOUT_THE_FORM.includes(error.code) && { isUnexplained: true }) };
}

/** Takes a refusal that is unexplained for no last word: for one as unknown as that of a failing server. */
export function unlessUnexplained<Outcome extends { kind: string }>(outcome: Outcome | Failure): Outcome | Failure {
  const isUnexplained = outcome.kind === 'refused' && 'isUnexplained' in outcome && 'reason' in outcome;
  return isUnexplained ? { kind: 'unknown', reason: outcome.reason } : outcome;
}

/** Discord lets a bot write to nobody while it takes it for spam; no documentation names the code. */
const TAKEN_FOR_SPAM = 20_026;
/** What says of a person that they take no messages from the bot. */
const ABOUT_PEOPLE: readonly (number | string)[] = [...CannotSendMessagesToThisUserErrorCodes, TAKEN_FOR_SPAM];

/**
 * The same of a request to a person's direct messages. Discord does not tell an account that is gone from messages that
 * are closed, so both may open again.
 */
export function directFailureOf(error: unknown): Failure {
  const failure = failureOf(error);
  const isClosed = error instanceof DiscordAPIError && ABOUT_PEOPLE.includes(error.code);
  return isClosed || failure.kind === 'unfound' || failure.kind === 'blocked' ? MESSAGES_CLOSED : failure;
}

export function isError(error: unknown, code: RESTJSONErrorCodes): boolean {
  return error instanceof DiscordAPIError && error.code === code;
}
