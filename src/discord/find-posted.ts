import type { REST } from 'discord.js';
import {
  type APIChannel,
  type APIMessage,
  type APIThreadChannel,
  type APIThreadList,
  RESTJSONErrorCodes,
  Routes,
} from 'discord-api-types/v10';
import { deliveryIdOf } from './custom-id.ts';
import { isError, type MessagePlace } from './outcome.ts';

/** The page size of a request, Discord's maximum. */
const PAGE = 100;
/** How much of a channel is read at most. */
export interface ReadLimits {
  /** Pages of 100 messages, or of a forum's archived threads. */
  pages: number;
  /** Threads of a forum; each takes a request of its own. */
  threads: number;
  /** Whether the messages' texts are wanted, too. */
  withTexts?: boolean;
}
/** After a known message, and where none is known. */
const LIMITS = { after: { pages: 100, threads: 1_000 }, newest: { pages: 10, threads: 100 } };
/** The epoch of Discord's ids. @see https://discord.com/developers/docs/reference#snowflakes */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** A GET request that is cancelled when the bot stops. */
export type Get = (route: Parameters<REST['get']>[0], query?: URLSearchParams) => Promise<unknown>;

/** A message of the bot. */
export interface OwnMessage extends MessagePlace {
  /** The ids of the deliveries that it is for; none where it is an answer, or something else. */
  ids: readonly string[];
  /** Its texts, in their order; none unless they were asked for. */
  texts: readonly string[];
  /** Whether it answers somebody's command, button or form. */
  isAnswer: boolean;
}

/** The bot's posts in a channel. */
export interface FoundPosts {
  /** The location of each post, by delivery id. */
  posted: ReadonlyMap<string, MessagePlace>;
  /** All messages of the bot that were read. */
  messages: readonly OwnMessage[];
  /** Whether the read limit was reached, so that the oldest posts are missing. */
  isCutOff: boolean;
}

/**
 * Finds the bot's own posts in a text channel or thread after a message: in the newest 10,000 messages at most, and in
 * 1,000 where no message is known. The order is that of the ids, independent of any clock. Rejects as `get` does.
 * @param idOf by what posts are found
 */
export async function findMessages(
  get: Get,
  ownId: string,
  channelId: string,
  afterId: string | null,
  limits: ReadLimits = LIMITS[afterId === null ? 'newest' : 'after'],
  idOf: IdOf = deliveryIdOf,
): Promise<FoundPosts> {
  const found = new Found(ownId, idOf, limits.withTexts);
  const after = BigInt(afterId ?? 0);
  let before: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(before !== null && { before }) });
    const page = (await get(Routes.channelMessages(channelId), query)) as APIMessage[];
    for (const message of page) if (BigInt(message.id) > after) found.note(message);
    const oldest = page
      .map(({ id }) => id)
      .reduce((one, id) => (BigInt(id) < BigInt(one) ? id : one), page[0]?.id ?? '0');
    if (page.length < PAGE || BigInt(oldest) <= after) return found.posts(false);
    if (pages === limits.pages) return found.posts(true);
    before = oldest;
  }
}

/** How much is read after a message for replies to it: pages. */
const REPLY_PAGES = 10;

/**
 * The roles that the bot's replies to a message mention, among the 1,000 messages after it. Rejects as `get` does.
 * @see https://discord.com/developers/docs/resources/message#get-channel-messages
 */
export async function rolesInReplies(
  get: Get,
  ownId: string,
  { channelId, messageId }: MessagePlace,
): Promise<Set<string>> {
  const mentioned = new Set<string>();
  let after = messageId;
  for (let pages = 0; pages < REPLY_PAGES; pages += 1) {
    const query = new URLSearchParams({ after, limit: String(PAGE) });
    const page = (await get(Routes.channelMessages(channelId), query)) as APIMessage[];
    for (const { author, message_reference: to, content } of page) {
      if (author.id !== ownId || to?.message_id !== messageId) continue;
      // `mention_roles` lacks those that the reply could not ring.
      for (const [, roleId = ''] of content.matchAll(/<@&(\d+)>/g)) mentioned.add(roleId);
    }
    if (page.length < PAGE) break;
    after = page.reduce((newest, { id }) => (BigInt(id) > BigInt(newest) ? id : newest), after);
  }
  return mentioned;
}

/**
 * Like `findMessages` for a forum, whose posts are threads: a thread's first message has the thread's id. Reads the newest 100
 * threads where no id is known, else 1,000 at most.
 */
export async function findForumPosts(
  get: Get,
  ownId: string,
  forum: { id: string; guildId: string },
  afterId: string | null,
  limits: ReadLimits = LIMITS[afterId === null ? 'newest' : 'after'],
): Promise<FoundPosts> {
  const found = new Found(ownId, deliveryIdOf, limits.withTexts);
  const after = BigInt(afterId ?? 0);
  const active = (await get(Routes.guildActiveThreads(forum.guildId))) as APIThreadList;
  const archived = await archivedThreads(get, forum.id, after, limits.pages);
  const threads = [...active.threads, ...archived.threads] as APIThreadChannel[];
  const own = threads.filter(
    ({ id, parent_id, owner_id }) => parent_id === forum.id && owner_id === ownId && BigInt(id) > after,
  );
  const newestFirst = [...new Set(own.map(({ id }) => id))].sort((one, other) =>
    BigInt(one) < BigInt(other) ? 1 : -1,
  );
  const denied: string[] = [];
  for (const id of newestFirst.slice(0, limits.threads)) if (!(await noteFirst(get, id, found))) denied.push(id);
  // One such answer proves nothing. After a second, somebody deleted the first message: the announcement was posted, but
  // which one it was is unknown.
  for (const id of denied) await noteFirst(get, id, found);
  return found.posts(archived.isCutOff || newestFirst.length > limits.threads);
}

/** Notes a thread's first message. Returns whether Discord has it. */
async function noteFirst(get: Get, threadId: string, found: Found): Promise<boolean> {
  try {
    found.note((await get(Routes.channelMessage(threadId, threadId))) as APIMessage);
    return true;
  } catch (error) {
    if (isError(error, RESTJSONErrorCodes.UnknownMessage) || isError(error, RESTJSONErrorCodes.UnknownChannel)) {
      return false;
    }
    throw error;
  }
}

async function archivedThreads(
  get: Get,
  forumId: string,
  after: bigint,
  mostPages: number,
): Promise<{ threads: APIChannel[]; isCutOff: boolean }> {
  const threads: APIChannel[] = [];
  let before: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(before !== null && { before }) });
    const page = (await get(Routes.channelThreads(forumId, 'public'), query)) as APIThreadList & { has_more: boolean };
    threads.push(...page.threads);
    // Discord lists threads by archive time, latest first; no thread is archived before it is created.
    const last = page.threads.at(-1) as APIThreadChannel | undefined;
    before = last?.thread_metadata?.archive_timestamp ?? null;
    const isRead = !page.has_more || before === null || Date.parse(before) < momentOf(after);
    if (isRead || pages === mostPages) return { threads, isCutOff: !isRead };
  }
}

/** The creation time of an id by Discord's clock: epoch milliseconds. */
function momentOf(id: bigint): number {
  return Number(id >> 22n) + DISCORD_EPOCH_MS;
}

/** The id in a `custom_id`; null for none. */
export type IdOf = (customId: string) => string | null;

/** The posts that are found while a channel is read. */
class Found {
  readonly #ownId: string;
  readonly #idOf: IdOf;
  readonly #withTexts: boolean;
  readonly #posted = new Map<string, MessagePlace>();
  readonly #messages = new Map<string, OwnMessage>();

  constructor(ownId: string, idOf: IdOf, withTexts = false) {
    this.#ownId = ownId;
    this.#idOf = idOf;
    this.#withTexts = withTexts;
  }

  note(message: APIMessage): void {
    if (message.author.id !== this.#ownId) return;
    const place = { channelId: message.channel_id, messageId: message.id };
    const ids = [...new Set(valuesOf('custom_id', message.components).flatMap((id) => this.#idOf(id) ?? []))];
    for (const deliveryId of ids) this.#posted.set(deliveryId, place);
    const isAnswer = message.interaction_metadata !== undefined;
    this.#messages.set(message.id, {
      ...place,
      ids,
      texts: this.#withTexts ? textsOf(message.components) : [],
      isAnswer,
    });
  }

  posts(isCutOff: boolean): FoundPosts {
    return { posted: this.#posted, messages: [...this.#messages.values()], isCutOff };
  }
}

/** The texts of components, as they stand in a message or in a card, in their order. */
export function textsOf(components: unknown): string[] {
  return valuesOf('content', components);
}

/** All texts of this name in a component, at any depth. */
function valuesOf(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesOf(name, one));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === name && typeof child === 'string' ? [child] : valuesOf(name, child),
  );
}
