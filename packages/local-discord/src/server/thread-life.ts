import type { APIThreadChannel, APIThreadMetadata } from 'discord-api-types/v10';
import type { Clock } from '../clock.ts';
import { DiscordError } from './discord-error.ts';
import { CHANNEL, PERMISSION } from './numbers.ts';
import { isAllowed } from './permissions.ts';
import { type GuildChannel, IDS, NO_FLAGS } from './seed.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import { isThread, type World } from './world.ts';

/** https://discord.com/developers/docs/topics/threads#active-archived-threads */
const MOST_ACTIVE = 1000;

/** An open thread without messages, which the bot has started. */
export function newThread(
  { world, clock }: { world: World; clock: Pick<Clock, 'now'> },
  parent: GuildChannel,
  { id, name, archiveAfter }: { id: string; name: string; archiveAfter: APIThreadMetadata['auto_archive_duration'] },
): APIThreadChannel {
  const now = new Date(clock.now()).toISOString();
  return {
    id,
    type: parent.type === CHANNEL.announcement ? CHANNEL.announcementThread : CHANNEL.publicThread,
    guild_id: world.guildAt(parent).guild.id,
    parent_id: parent.id,
    owner_id: IDS.application,
    name,
    last_message_id: null,
    flags: NO_FLAGS,
    message_count: 0,
    member_count: 1,
    total_message_sent: 0,
    rate_limit_per_user: 0,
    thread_metadata: {
      archived: false,
      auto_archive_duration: archiveAfter,
      archive_timestamp: now,
      locked: false,
      create_timestamp: now,
    },
  } as APIThreadChannel;
}

/** The thread in another state. A change of `archived` sets the archive timestamp. */
export function withState(
  thread: APIThreadChannel,
  state: { archived?: boolean | undefined; locked?: boolean | undefined },
  nowMs: number,
): APIThreadChannel {
  const metadata = thread.thread_metadata;
  if (!metadata) return thread;
  const { archived = metadata.archived, locked = metadata.locked ?? false } = state;
  const archive_timestamp = archived === metadata.archived ? metadata.archive_timestamp : new Date(nowMs).toISOString();
  return { ...thread, thread_metadata: { ...metadata, archived, locked, archive_timestamp } };
}

/**
 * Opens an archived thread again because of a message. @throws DiscordError 50083, 160005 where it is locked for the
 * bot
 */
export function openForMessage(world: World, thread: APIThreadChannel): void {
  const { archived, locked } = thread.thread_metadata ?? {};
  if (locked && !isAllowed(world, IDS.application, thread, PERMISSION.manageThreads)) {
    throw new DiscordError(archived ? 'archivedThread' : 'lockedThread');
  }
  if (archived && thread.thread_metadata) {
    world.setChannel({ ...thread, thread_metadata: { ...thread.thread_metadata, archived: false } });
  }
}

/** Archives the threads that have been inactive for their auto-archive duration. */
export function archiveIdle(world: World, clock: Clock): void {
  const nowMs = clock.now();
  for (const thread of world.channels().filter(isThread)) {
    const metadata = thread.thread_metadata;
    if (!metadata || metadata.archived) continue;
    const lastMs = Math.max(
      snowflakeTimeMs(thread.last_message_id ?? thread.id),
      // Opening the thread again counts as activity.
      Date.parse(metadata.archive_timestamp),
    );
    const idleMs = metadata.auto_archive_duration * 60_000;
    if (nowMs - lastMs >= idleMs) world.setChannel(withState(thread, { archived: true }, nowMs));
  }
}

/** @throws DiscordError 160006 when the server has its maximum of active threads */
export function requireRoom(world: World): void {
  const active = world.channels().filter((channel) => isThread(channel) && !channel.thread_metadata?.archived);
  if (active.length >= MOST_ACTIVE) throw new DiscordError('tooManyThreads');
}
