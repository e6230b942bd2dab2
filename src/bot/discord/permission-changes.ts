import { type Client, Events, type Guild } from 'discord.js';

/** Who is told what the gateway says of servers and channels. */
export interface ChannelWatcher {
  /** The bot may be allowed more in the channel than before. */
  retry(channelId: string): void;
  /** The bot is no longer in the server, or (with ids) these channels of it no longer exist. */
  left(guildId: string, channelIds: readonly string[] | null): void;
  /** The bot is in the server. @param isVisible whether the gateway has told of a channel */
  joined(guildId: string, isVisible: (channelId: string) => boolean): void;
  /** The servers that the watcher knows. */
  guildIds(): Iterable<string>;
}

/**
 * Tells the watcher of each channel where the bot may be allowed more than before (permissions, roles or a thread have
 * changed, or a server is back), of servers and channels that are gone and of those that are back. Compares what the watcher
 * knows with what the gateway has told so far. An outage of Discord's makes a server unavailable, not gone.
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
  // Only of the bot itself, without the privileged intent: its roles have changed.
  client.on(Events.GuildMemberUpdate, (_, member) => retryAll(member.guild));
  client.on(Events.GuildAvailable, enter);
  client.on(Events.GuildCreate, enter);
  client.on(Events.ThreadCreate, (thread) => join(thread.guild));

  client.on(Events.GuildDelete, (guild) => watcher.left(guild.id, null));
  client.on(Events.ChannelDelete, (channel) => {
    if (!('guild' in channel)) return;
    // Neither Discord tells of a thread that goes with its channel, nor does discord.js forget one that only the server lists.
    const threadIds = threadsIn(channel);
    for (const threadId of threadIds) {
      client.channels.cache.delete(threadId);
      channel.guild.channels.cache.delete(threadId);
    }
    watcher.left(channel.guildId, [channel.id, ...threadIds]);
  });
  client.on(Events.ThreadDelete, (thread) => watcher.left(thread.guildId, [thread.id]));

  // Until the gateway is ready, no server is missing.
  if (!client.isReady()) return;
  for (const guildId of watcher.guildIds()) if (!client.guilds.cache.has(guildId)) watcher.left(guildId, null);
  for (const guild of client.guilds.cache.values()) if (guild.available) join(guild);
}

/** The threads of a channel that the gateway has told of. */
function threadsIn({ id, guild }: { id: string; guild: Guild }): string[] {
  return [...guild.channels.cache.filter((thread) => thread.isThread() && thread.parentId === id).keys()];
}
