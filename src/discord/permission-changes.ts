import { type Client, Events, type Guild } from 'discord.js';

/** Receives changes to servers and channels that the gateway reports. */
export interface ChannelWatcher {
  /** The bot's permissions in the channel may have grown. */
  retry(channelId: string): void;
  /** The bot is no longer in the server, or (with ids) these channels of it no longer exist. */
  left(guildId: string, channelIds: readonly string[] | null): void;
  /** The bot is in the server. @param isVisible whether the gateway has reported a channel */
  joined(guildId: string, isVisible: (channelId: string) => boolean): void;
  /** The servers that the watcher has records of. */
  guildIds(): Iterable<string>;
}

/**
 * Notifies the watcher of channels where the bot's permissions may have grown (permissions, roles or a thread changed,
 * or a server came back), of servers and channels that were deleted or left, and of those that came back. On start,
 * compares the watcher's records with the gateway's data. A Discord outage makes a server unavailable, not gone.
 */
export function watchPermissions(client: Client, watcher: ChannelWatcher): void {
  const retryAll = (guild: Guild) => {
    for (const channelId of guild.channels.cache.keys()) watcher.retry(channelId);
  };
  const join = (guild: Guild) => watcher.joined(guild.id, (channelId) => guild.channels.cache.has(channelId));
  const enter = (guild: Guild) => {
    join(guild);
    retryAll(guild);
  };
  client.on(Events.ChannelUpdate, (_, channel) => {
    watcher.retry(channel.id);
    if (!('guild' in channel)) return;
    join(channel.guild);
    for (const threadId of threadsIn(channel)) watcher.retry(threadId);
  });
  client.on(Events.ThreadUpdate, (_, thread) => watcher.retry(thread.id));
  client.on(Events.GuildRoleUpdate, (_, role) => retryAll(role.guild));
  // Without the privileged intent, this event concerns the bot itself only: its roles have changed.
  client.on(Events.GuildMemberUpdate, (_, member) => retryAll(member.guild));
  client.on(Events.GuildAvailable, enter);
  client.on(Events.GuildCreate, enter);
  client.on(Events.ThreadCreate, (thread) => join(thread.guild));

  client.on(Events.GuildDelete, (guild) => watcher.left(guild.id, null));
  client.on(Events.ChannelDelete, (channel) => {
    if (!('guild' in channel)) return;
    // Discord reports no deletion of threads when their channel is deleted, and discord.js keeps threads that only the
    // server's cache lists.
    const threadIds = threadsIn(channel);
    for (const threadId of threadIds) {
      client.channels.cache.delete(threadId);
      channel.guild.channels.cache.delete(threadId);
    }
    watcher.left(channel.guildId, [channel.id, ...threadIds]);
  });
  client.on(Events.ThreadDelete, (thread) => watcher.left(thread.guildId, [thread.id]));

  // Before the gateway is ready, an absent server is not known to be missing.
  if (!client.isReady()) return;
  for (const guildId of watcher.guildIds()) if (!client.guilds.cache.has(guildId)) watcher.left(guildId, null);
  for (const guild of client.guilds.cache.values()) if (guild.available) join(guild);
}

/** The channel's threads in the gateway cache. */
function threadsIn({ id, guild }: { id: string; guild: Guild }): string[] {
  return [...guild.channels.cache.filter((thread) => thread.isThread() && thread.parentId === id).keys()];
}
