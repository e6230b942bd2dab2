/** The errors that this server answers with: HTTP status, Discord's error code and Discord's message. */
const ERRORS = {
  unauthorized: [401, 0, '401: Unauthorized'],
  notFound: [404, 0, '404: Not Found'],
  unknownApplication: [404, 10002, 'Unknown Application'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownRole: [404, 10011, 'Unknown Role'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownEmoji: [404, 10014, 'Unknown Emoji'],
  tooManyReactions: [400, 30010, 'Maximum number of reactions reached (20)'],
  tooOldToBulkDelete: [400, 50034, 'You can only bulk delete messages that are under 14 days old.'],
  unknownOverwrite: [404, 10009, 'Unknown Overwrite'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownEvent: [404, 10070, 'Unknown Guild Scheduled Event'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownCommand: [404, 10063, 'Unknown application command'],
  channelWriteLimit: [429, 20028, 'The write action you are performing on the channel has hit the write rate limit.'],
  oldEditLimit: [429, 30046, 'Maximum number of edits to messages older than 1 hour reached. Try again later.'],
  tooManyPins: [400, 30003, 'Maximum number of pins reached for the channel (250)'],
  tooManyRoles: [400, 30005, 'Maximum number of guild roles reached (250)'],
  tooManyChannels: [400, 30013, 'Maximum number of guild channels reached (500)'],
  tooManyCommands: [400, 30032, 'Maximum number of application commands reached (100).'],
  tooManyCommandCreations: [429, 30034, 'Max number of daily application command creates has been reached (200)'],
  tooManyWebhooks: [400, 30007, 'Maximum number of webhooks reached (15)'],
  tooManyEvents: [400, 30038, 'Maximum number of uncompleted guild scheduled events reached (100)'],
  requestTooLarge: [413, 40005, 'Request entity too large'],
  alreadyCrossposted: [400, 40033, 'This message has already been crossposted.'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  tagRequired: [400, 40067, 'A tag is required to create a forum post in this channel'],
  missingAccess: [403, 50001, 'Missing Access'],
  notAuthor: [403, 50005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  cannotMessageUser: [403, 50007, 'Cannot send messages to this user'],
  wrongChannelType: [400, 50024, 'Cannot execute action on this channel type'],
  notTextChannel: [400, 50008, 'Cannot send messages in a non-text channel'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  systemMessage: [403, 50021, 'Cannot execute action on a system message'],
  invalidWebhookToken: [401, 50027, 'Invalid Webhook Token'],
  invalidRole: [400, 50028, 'Invalid role'],
  invalidRecipients: [400, 50033, 'Invalid Recipient(s)'],
  invalidForm: [400, 50035, 'Invalid Form Body'],
  archivedThread: [400, 50083, 'Thread is archived'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
  messageHasThread: [400, 160004, 'A thread has already been created for this message'],
  lockedThread: [400, 160005, 'This thread is locked'],
  tooManyThreads: [400, 160006, 'Maximum number of active threads reached'],
  // Codes that no documentation names.
  unheardOf: [400, 199_998, 'Something is wrong'],
  unheardOfDenial: [403, 199_999, 'Something is not allowed'],
  forumNeedsThread: [400, 220001, 'Webhooks posted to forum channels must have a thread_name or thread_id'],
  threadNameElsewhere: [400, 220003, 'Webhooks can only create threads in forum channels'],
  pollExpired: [400, 520001, 'Poll expired'],
  finishedEvent: [400, 180000, 'Cannot update a finished event'],
} as const satisfies Record<string, readonly [status: number, code: number, message: string]>;

export type DiscordErrorName = keyof typeof ERRORS;

/** An error for a refused request; the REST API turns it into a response. */
export class DiscordError extends Error {
  readonly status: number;
  readonly code: number;
  /** The tree of complaints by field, for an invalid form. */
  readonly errors: object | undefined;
  /** Milliseconds until the next try, for a 429. */
  readonly retryAfterMs: number | undefined;
  /** Whether others use up the limit too; then Discord's header says one second, whatever the body says. */
  readonly isShared: boolean;

  constructor(name: DiscordErrorName, details: { errors?: object; retryAfterMs?: number; isShared?: boolean } = {}) {
    const [status, code, message] = ERRORS[name];
    super(message);
    this.name = 'DiscordError';
    this.status = status;
    this.code = code;
    this.errors = details.errors;
    this.retryAfterMs = details.retryAfterMs;
    this.isShared = details.isShared ?? false;
  }

  /** https://discord.com/developers/docs/reference#error-messages */
  toJSON(): object {
    const retry = this.retryAfterMs === undefined ? {} : { retry_after: this.retryAfterMs / 1000, global: false };
    return { message: this.message, code: this.code, ...(this.errors && { errors: this.errors }), ...retry };
  }
}
