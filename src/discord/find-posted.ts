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

/** Most that one request brings. */
const PAGE = 100;
/** Clocks differ: reading starts this much earlier. */
const CLOCK_SKEW_MS = 10 * 60_000;
/** The first moment of Discord's ids. @see https://discord.com/developers/docs/reference#snowflakes */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** A GET that gives up when the bot stops. */
export type Get = (route: Parameters<REST['get']>[0], query?: URLSearchParams) => Promise<unknown>;

/** Where the bot's own posts since `sinceMs` are in a text channel or thread, by delivery id. Rejects as `get` does. */
export async function findMessages(
  get: Get,
  ownId: string,
  channelId: string,
  sinceMs: number,
): Promise<Map<string, MessagePlace>> {
  const posted = new Map<string, MessagePlace>();
  let after = firstIdAfter(sinceMs);
  for (;;) {
    const query = new URLSearchParams({ limit: String(PAGE), after: String(after) });
    const page = (await get(Routes.channelMessages(channelId), query)) as APIMessage[];
    for (const message of page) {
      if (BigInt(message.id) > after) after = BigInt(message.id);
      note(posted, ownId, message);
    }
    if (page.length < PAGE) return posted;
  }
}

/** The same for a forum, whose posts are threads: the message that each begins with has the thread's id. */
export async function findForumPosts(
  get: Get,
  ownId: string,
  forum: { id: string; guildId: string },
  sinceMs: number,
): Promise<Map<string, MessagePlace>> {
  const posted = new Map<string, MessagePlace>();
  const first = firstIdAfter(sinceMs);
  const active = (await get(Routes.guildActiveThreads(forum.guildId))) as APIThreadList;
  const threads = [...active.threads, ...(await archivedThreads(get, forum.id, sinceMs))] as APIThreadChannel[];
  const own = threads.filter(
    ({ id, parent_id, owner_id }) => parent_id === forum.id && owner_id === ownId && BigInt(id) > first,
  );
  for (const id of new Set(own.map((thread) => thread.id))) {
    try {
      note(posted, ownId, (await get(Routes.channelMessage(id, id))) as APIMessage);
    } catch (error) {
      // Somebody has deleted it: then it was posted, but nobody can say as what.
      if (!isError(error, RESTJSONErrorCodes.UnknownMessage) && !isError(error, RESTJSONErrorCodes.UnknownChannel)) {
        throw error;
      }
    }
  }
  return posted;
}

async function archivedThreads(get: Get, forumId: string, sinceMs: number): Promise<APIChannel[]> {
  const threads: APIChannel[] = [];
  let before: string | null = null;
  for (;;) {
    const query = new URLSearchParams({ limit: String(PAGE), ...(before !== null && { before }) });
    const page = (await get(Routes.channelThreads(forumId, 'public'), query)) as APIThreadList & { has_more: boolean };
    threads.push(...page.threads);
    // They come in the order in which they were archived, the last one first; none is archived before it is made.
    const last = page.threads.at(-1) as APIThreadChannel | undefined;
    before = last?.thread_metadata?.archive_timestamp ?? null;
    if (!page.has_more || before === null || Date.parse(before) < sinceMs - CLOCK_SKEW_MS) return threads;
  }
}

function firstIdAfter(sinceMs: number): bigint {
  return BigInt(Math.max(0, sinceMs - CLOCK_SKEW_MS - DISCORD_EPOCH_MS)) << 22n;
}

function note(posted: Map<string, MessagePlace>, ownId: string, message: APIMessage): void {
  if (message.author.id !== ownId) return;
  const place = { channelId: message.channel_id, messageId: message.id };
  for (const deliveryId of deliveryIdsIn(message.components)) posted.set(deliveryId, place);
}

/** Every delivery id that stands in a component, however deep. */
function deliveryIdsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(deliveryIdsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    if (name !== 'custom_id' || typeof child !== 'string') return deliveryIdsIn(child);
    const id = deliveryIdOf(child);
    return id === null ? [] : [id];
  });
}
