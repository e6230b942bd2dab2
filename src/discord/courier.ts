import { hash, randomBytes } from 'node:crypto';
import { type Client, DiscordAPIError, PermissionFlagsBits, type REST, type RouteLike } from 'discord.js';
import {
  type APIChannel,
  type APIDMChannel,
  type APIGuildForumChannel,
  type APIMessage,
  type APIThreadChannel,
  ChannelType,
  MessageFlags,
  RESTJSONErrorCodes,
  type RESTPatchAPIChannelMessageJSONBody,
  type RESTPostAPIChannelMessageJSONBody,
  type RESTPostAPIGuildForumThreadsJSONBody,
  Routes,
} from 'discord-api-types/v10';
import { personAt } from '../deals/person.ts';
import { type Card, type CardFile, factsOf, fitting, noticeCard, text } from './cards/parts.ts';
import {
  type FoundPosts,
  findForumPosts,
  findMessages,
  type Get,
  type IdOf,
  type ReadLimits,
  rolesInReplies,
} from './find-posted.ts';
import { clamp, LIMITS } from './limits.ts';
import {
  CANNOT_READ,
  directFailureOf,
  type Failure,
  failureOf,
  isError,
  type MessagePlace,
  NOT_ANNOUNCEMENT,
  SERVER_GONE,
  THREAD_LOCKED,
} from './outcome.ts';
import { mayPin, roleTrouble } from './permissions.ts';

/** The content of a message, and the roles of its server that it mentions. */
export interface Message {
  guildId: string;
  card: Card;
  mentionRoleIds: readonly string[];
  /** What of the message concerns each role, as safe Markdown: a line for each. Empty where the roles share one line. */
  concerns?: ReadonlyMap<string, string>;
}

export interface NewMessage extends Message {
  channelId: string;
  /**
   * Is part of a button of the card too, by which the bot finds the message in the channel later. At most 25
   * characters.
   */
  deliveryId: string;
  /** The title of a forum post; foreign text. */
  title: string;
  /** Tags of a forum post. */
  tagIds: readonly string[];
  /** Whether it arrives without a notification. */
  isSilent: boolean;
  /** Whether it is of use only once it is published: `blocked` where nothing can be. */
  isForFollowers: boolean;
}

export type PostOutcome = { kind: 'sent'; place: MessagePlace } | Failure;
export type ChangeOutcome = { kind: 'done' } | Failure;
export type FindOutcome = ({ kind: 'found' } & FoundPosts) | Failure;

/** A reply that mentions roles. */
export interface RoleReply {
  guildId: string;
  roleIds: readonly string[];
  mayStand: boolean;
}

/** Posts messages to Discord and finds those already posted. Outcomes are values; nothing is thrown. */
export interface Courier {
  /** Posts a message in a text or announcement channel or a thread; in a forum, a new post. */
  post(message: NewMessage): Promise<PostOutcome>;
  edit(place: MessagePlace, message: Message): Promise<ChangeOutcome>;
  /**
   * Replies to a post with nothing but mentions of roles.
   * @param mayStand whether an earlier try may have arrived: then roles that such a reply mentions already are left out
   */
  reply(place: MessagePlace, reply: RoleReply): Promise<ChangeOutcome>;
  /** Whether the bot rings a role: it is there, and not one that is refused as a ping. */
  mayRing(guildId: string, roleId: string): boolean;
  /**
   * Deletes a message of the bot; in a forum, the post with its thread, unless somebody has replied. `refused` where
   * people's replies or a missing permission keep it.
   */
  remove(place: MessagePlace, guildId: string): Promise<ChangeOutcome>;
  /**
   * Publishes to the servers that follow the announcement channel. A message that is published already counts as done.
   */
  publish(place: MessagePlace): Promise<ChangeOutcome>;
  /** Whether the bot may pin messages in a channel, as far as the gateway has said. */
  mayPin(channelId: string): boolean;
  /** Pins a message, or takes its pin away. `refused` where the channel has the most pins that it can have. */
  pin(place: MessagePlace, isPinned: boolean): Promise<ChangeOutcome>;
  /**
   * The bot's posts in a channel after a message, by delivery id.
   * @param afterId null where none is known: then the newest messages are read
   * @param limits where less is to be read than is possible
   * @param idOf by what else posts outside of forums are found: see `findMessages`
   */
  findPosted(channelId: string, afterId: string | null, limits?: ReadLimits, idOf?: IdOf): Promise<FindOutcome>;
  /**
   * Asks for a channel itself, after Discord has answered something else with `unfound`: `gone` where it is. A person's is
   * opened anew, without which one that was closed takes no messages.
   * @see https://discord.com/developers/docs/resources/user#create-dm
   */
  confirm(channelId: string, guildId: string): Promise<ChangeOutcome>;
  /**
   * Whether Discord answers a repeated post in a server's channel with the message that exists: not in a forum, and not
   * for sure where the gateway has not said that the channel exists.
   */
  hasNonces(channelId: string): boolean;
  /** Sends a person a direct message, if they accept it from the bot. Takes Markdown that is already safe. */
  sendDirectMessage(userId: string, sentence: string): Promise<void>;
}

/** @see https://discord.com/developers/docs/resources/channel#start-thread-in-forum-or-media-channel */
const FORUMS: readonly ChannelType[] = [ChannelType.GuildForum, ChannelType.GuildMedia];

/** The post can still be edited, so no delivery waits until its removal is allowed. */
const FORBIDDEN_REMOVALS = [RESTJSONErrorCodes.MissingPermissions, RESTJSONErrorCodes.ThreadLocked] as const;

/** A forum post's thread has the id of its first message. */
function isForumPost({ channelId, messageId }: MessagePlace): boolean {
  return channelId === messageId;
}

/** The message's state by the error of its removal; null where the error says no more than any other. */
function unremoved(error: unknown): ChangeOutcome | null {
  const isForbidden = error instanceof LockedThread || FORBIDDEN_REMOVALS.some((code) => isError(error, code));
  return isForbidden ? { kind: 'refused', reason: 'cannot-delete' } : null;
}

/** Without permission to read the history, Discord returns an empty one, as if the bot had posted nothing. */
function isHistoryHidden(client: Client<true>, channelId: string): boolean {
  const known = client.channels.cache.get(channelId);
  if (!known || known.isDMBased()) return false;
  return known.permissionsFor(client.user)?.has(PermissionFlagsBits.ReadMessageHistory) === false;
}

/** Whether messages of a channel can be published, as far as the gateway has said. */
function mayPublish(client: Client<true>, channelId: string): boolean {
  const known = client.channels.cache.get(channelId);
  return known === undefined || known.type === ChannelType.GuildAnnouncement;
}

/** A stored record is not enough: a server's subscription never posts in another server, or to a person. */
function isElsewhere(client: Client<true>, { channelId, guildId }: NewMessage): boolean {
  const known = client.channels.cache.get(channelId);
  if (!known) return false;
  return 'guildId' in known ? known.guildId !== guildId : personAt(guildId) === null;
}

/** Counts as gone, with its server, what Discord hides or denies in a server that the bot has left, as the gateway tells. */
function failureIn(client: Client<true>, guildId: string, error: unknown): Failure {
  if (personAt(guildId) !== null) return directFailureOf(error);
  const failure = failureOf(error);
  const isOut = client.isReady() && !client.guilds.cache.has(guildId);
  if (isOut && isError(error, RESTJSONErrorCodes.MissingAccess)) return SERVER_GONE;
  return isOut && failure.kind === 'unfound' ? { ...failure, kind: 'gone' } : failure;
}

/**
 * Creates a courier over the REST client of a logged-in client.
 * @param signal cancels pending requests
 */
export function createCourier(client: Client<true>, signal: AbortSignal): Courier {
  const requests = createRequests(client.rest, signal);
  const { get, post } = requests;
  const messages = createMessages(client, requests);

  /**
   * The id of the channel's server if it is a forum, else null. Makes a request only where the gateway cache lacks the
   * channel.
   */
  async function forumGuildOf(channelId: string): Promise<string | null> {
    const known = client.channels.cache.get(channelId);
    if (known) return FORUMS.includes(known.type) && 'guildId' in known ? known.guildId : null;
    const channel = (await get(Routes.channel(channelId))) as APIChannel;
    return FORUMS.includes(channel.type) && 'guild_id' in channel ? (channel.guild_id ?? null) : null;
  }

  return {
    async post(message) {
      if (isElsewhere(client, message)) return { kind: 'gone', reason: 'channel-gone' };
      if (message.isForFollowers && !mayPublish(client, message.channelId)) return NOT_ANNOUNCEMENT;
      try {
        const isForum = personAt(message.guildId) === null && (await forumGuildOf(message.channelId)) !== null;
        return { kind: 'sent', place: await (isForum ? messages.postInForum(message) : messages.post(message)) };
      } catch (error) {
        return error instanceof LockedThread ? THREAD_LOCKED : failureIn(client, message.guildId, error);
      }
    },

    remove: (place, guildId) =>
      messages.remove(place).catch((error: unknown) => unremoved(error) ?? failureIn(client, guildId, error)),

    async edit(place, message) {
      try {
        await messages.edit(place, message);
        return { kind: 'done' };
      } catch (error) {
        const isLocked = error instanceof LockedThread || isError(error, RESTJSONErrorCodes.ThreadLocked);
        return isLocked ? { kind: 'refused', reason: THREAD_LOCKED.reason } : failureIn(client, message.guildId, error);
      }
    },

    async reply(place, reply) {
      try {
        await messages.reply(place, reply);
        return { kind: 'done' };
      } catch (error) {
        return error instanceof LockedThread ? THREAD_LOCKED : failureIn(client, reply.guildId, error);
      }
    },

    mayRing: (guildId, roleId) => roleTrouble(client.guilds.cache.get(guildId) ?? null, roleId) === null,

    async publish({ channelId, messageId }) {
      try {
        await post(Routes.channelMessageCrosspost(channelId, messageId));
        return { kind: 'done' };
      } catch (error) {
        if (isError(error, RESTJSONErrorCodes.ThisMessageWasAlreadyCrossposted)) return { kind: 'done' };
        // A text channel can become an announcement channel again.
        return isError(error, RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType)
          ? NOT_ANNOUNCEMENT
          : failureOf(error);
      }
    },

    mayPin: (channelId) => mayPin(client, channelId),

    async pin({ channelId, messageId }, isPinned) {
      const route = Routes.channelMessagesPin(channelId, messageId);
      try {
        await (isPinned ? requests.put(route) : requests.remove(route));
        return { kind: 'done' };
      } catch (error) {
        return failureOf(error);
      }
    },

    async findPosted(channelId, afterId, limits, idOf) {
      if (isHistoryHidden(client, channelId)) return CANNOT_READ;
      try {
        const guildId = await forumGuildOf(channelId);
        const found =
          guildId === null
            ? await findMessages(get, client.user.id, channelId, afterId, limits, idOf)
            : await findForumPosts(get, client.user.id, { id: channelId, guildId }, afterId, limits);
        return { kind: 'found', ...found };
      } catch (error) {
        return isError(error, RESTJSONErrorCodes.MissingPermissions) ? CANNOT_READ : failureOf(error);
      }
    },

    async confirm(channelId, guildId) {
      const personId = personAt(guildId);
      try {
        if (personId === null) await get(Routes.channel(channelId));
        else await post(Routes.userChannels(), { recipient_id: personId });
        return { kind: 'done' };
      } catch (error) {
        const failure = failureIn(client, guildId, error);
        return failure.kind === 'unfound' ? { ...failure, kind: 'gone' } : failure;
      }
    },

    hasNonces(channelId) {
      const known = client.channels.cache.get(channelId);
      return known !== undefined && !FORUMS.includes(known.type);
    },

    async sendDirectMessage(userId, sentence) {
      try {
        const channel = (await post(Routes.userChannels(), { recipient_id: userId })) as APIDMChannel;
        const { components } = noticeCard(sentence);
        const body = { flags: MessageFlags.IsComponentsV2, components, nonce: randomNonce(), enforce_nonce: true };
        await post(Routes.channelMessages(channel.id), body);
      } catch {
        // Many people accept no messages from bots. The list of subscriptions shows the same information.
      }
    },
  };
}

/** Discord takes a nonce of 25 characters at most. */
const NONCE_LENGTH = 25;

function randomNonce(): string {
  return randomBytes(16).toString('base64url');
}

interface Requests {
  get: Get;
  post: (route: RouteLike, body?: object, files?: readonly CardFile[]) => Promise<unknown>;
  put: (route: RouteLike) => Promise<unknown>;
  patch: (route: RouteLike, body: object, files?: readonly CardFile[]) => Promise<unknown>;
  remove: (route: RouteLike) => Promise<unknown>;
}

/** Requests that a signal cancels. */
export function createRequests(rest: REST, signal: AbortSignal): Requests {
  // The client never releases a signal that it was given, so each request has one of its own.
  const underWay = new Set<AbortController>();
  const giveUp = () => {
    for (const request of underWay) request.abort(signal.reason);
  };
  signal.addEventListener('abort', giveUp, { once: true });

  /** discord.js checks a signal only after the wait in its queue; shutdown does not wait that long. */
  async function orGivenUp(ask: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    signal.throwIfAborted();
    const request = new AbortController();
    underWay.add(request);
    const givenUp = new Promise<never>((_, reject) => {
      request.signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    try {
      return await Promise.race([ask(request.signal), givenUp]);
    } finally {
      underWay.delete(request);
    }
  }

  return {
    get: (route, query) => orGivenUp((signal) => rest.get(route, { ...(query && { query }), signal })),
    post: (route, body, files) =>
      orGivenUp((signal) => rest.post(route, { ...(body && { body }), ...withFiles(files), signal })),
    put: (route) => orGivenUp((signal) => rest.put(route, { signal })),
    patch: (route, body, files) => orGivenUp((signal) => rest.patch(route, { body, ...withFiles(files), signal })),
    remove: (route) => orGivenUp((signal) => rest.delete(route, { signal })),
  };
}

/** The files of a request; a request with none of them is JSON. */
function withFiles(files: readonly CardFile[] = []) {
  return files.length > 0 ? { files: files.map(({ name, content: data }) => ({ name, data })) } : {};
}

/** Sends messages, and rejects where Discord refuses. Reopens an archived thread first. */
function createMessages(client: Client<true>, { get, post, patch, remove }: Requests) {
  /** Mentions stand above the card; a deleted role is left out. */
  function bodyOf({ guildId, card, mentionRoleIds, concerns = new Map() }: Message) {
    const roles = client.guilds.cache.get(guildId)?.roles.cache;
    const called = mentionRoleIds.filter((id) => roles?.has(id)).slice(0, LIMITS.mentions);
    const parts = called.map((id) => factsOf([`<@&${id}>`, concerns.get(id)]));
    const calls = parts.join(concerns.size > 0 ? '\n' : ' ');
    const { components } = fitting(card, LIMITS.messageText - calls.length);
    return {
      flags: MessageFlags.IsComponentsV2,
      components: called.length > 0 ? [text(calls), ...components] : components,
      allowed_mentions: called.length > 0 ? { roles: called } : { parse: [] },
    } satisfies RESTPostAPIChannelMessageJSONBody;
  }

  /** Only a new message can be silent: Discord takes the flag in no edit. */
  function newBodyOf(message: NewMessage) {
    const body = bodyOf(message);
    return message.isSilent ? { ...body, flags: body.flags | MessageFlags.SuppressNotifications } : body;
  }

  /** Leaves out deleted tags, because Discord would refuse the post. */
  function tagsOf({ channelId, tagIds }: NewMessage): readonly string[] {
    const forum = client.channels.cache.get(channelId);
    if (!forum || !('availableTags' in forum)) return tagIds;
    return tagIds.filter((tagId) => forum.availableTags.some(({ id }) => id === tagId));
  }

  async function inOpenThread(threadId: string, write: () => Promise<unknown>): Promise<unknown> {
    try {
      return await write();
    } catch (error) {
      if (!isError(error, RESTJSONErrorCodes.InvalidActionOnArchivedThread)) throw error;
    }
    await patch(Routes.channel(threadId), { archived: false }).catch((error: unknown) => {
      // The person can fix the lock, whichever permission Discord's error names.
      throw error instanceof DiscordAPIError && error.status === 403 ? new LockedThread() : error;
    });
    return write();
  }

  return {
    async post(message: NewMessage): Promise<MessagePlace> {
      const body: RESTPostAPIChannelMessageJSONBody = {
        ...newBodyOf(message),
        // Discord itself rejects duplicates for some minutes, so that the client may repeat the request after a 5xx response.
        nonce: message.deliveryId,
        enforce_nonce: true,
      };
      const { channelId, card } = message;
      const send = () => post(Routes.channelMessages(channelId), body, card.files);
      const sent = (await inOpenThread(channelId, send)) as APIMessage;
      return { channelId: sent.channel_id, messageId: sent.id };
    },

    async postInForum(message: NewMessage): Promise<MessagePlace> {
      const { channelId, card } = message;
      const send = (tagIds: readonly string[]) => {
        const body: RESTPostAPIGuildForumThreadsJSONBody = {
          name: clamp(message.title, LIMITS.threadName),
          applied_tags: tagIds.slice(0, LIMITS.appliedTags),
          message: newBodyOf(message),
        };
        return post(Routes.threads(channelId), body, card.files);
      };
      const sent = await send(tagsOf(message)).catch(async (error: unknown) => {
        if (!isAboutTags(error)) throw error;
        // A tag was deleted of which the gateway has not said so yet.
        const forum = (await get(Routes.channel(channelId))) as APIGuildForumChannel;
        return send(message.tagIds.filter((tagId) => forum.available_tags.some(({ id }) => id === tagId)));
      });
      const { id } = sent as APIChannel;
      return { channelId: id, messageId: id };
    },

    async edit({ channelId, messageId }: MessagePlace, message: Message): Promise<void> {
      const { files = [] } = message.card;
      // The files of the card take the place of those that the message had.
      const body: RESTPatchAPIChannelMessageJSONBody = {
        ...bodyOf(message),
        allowed_mentions: { parse: [] },
        attachments: files.map(({ name: filename }, index) => ({ id: String(index), filename })),
      };
      await inOpenThread(channelId, () => patch(Routes.channelMessage(channelId, messageId), body, files));
    },

    /** @see https://discord.com/developers/docs/resources/message#create-message */
    async reply(place: MessagePlace, { roleIds: wanted, mayStand }: RoleReply): Promise<void> {
      const { channelId, messageId } = place;
      const mentioned = mayStand ? await rolesInReplies(get, client.user.id, place) : new Set();
      const roleIds = wanted.filter((roleId) => !mentioned.has(roleId));
      if (roleIds.length === 0) return;
      const body: RESTPostAPIChannelMessageJSONBody = {
        content: `🔔 ${roleIds.map((id) => `<@&${id}>`).join(' ')}`,
        allowed_mentions: { roles: roleIds, replied_user: false },
        message_reference: { message_id: messageId },
        nonce: hash('sha256', JSON.stringify(['reply', messageId, roleIds]), 'base64url').slice(0, NONCE_LENGTH),
        enforce_nonce: true,
      };
      await inOpenThread(channelId, () => post(Routes.channelMessages(channelId), body));
    },

    async remove(place: MessagePlace): Promise<ChangeOutcome> {
      const { channelId, messageId } = place;
      if (isForumPost(place)) {
        const thread = (await get(Routes.channel(channelId))) as APIThreadChannel;
        // The first message is not counted.
        if ((thread.message_count ?? 0) > 0) return { kind: 'refused', reason: 'has-replies' };
        await remove(Routes.channel(channelId));
      } else await inOpenThread(channelId, () => remove(Routes.channelMessage(channelId, messageId)));
      return { kind: 'done' };
    },
  };
}

/** Whether Discord refuses a forum post because of its tags. */
function isAboutTags(error: unknown): boolean {
  if (!(error instanceof DiscordAPIError)) return false;
  const { errors } = error.rawError as { errors?: object };
  return error.code === RESTJSONErrorCodes.UnknownTag || (errors !== undefined && 'applied_tags' in errors);
}

/** The thread is archived, and the bot may not open it again. */
class LockedThread extends Error {}
