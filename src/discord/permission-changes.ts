import { type Client, Events, type Guild } from 'discord.js';

/**
 * Calls `retry` with each channel where the bot may be allowed more than before: permissions, roles or a thread have
 * changed, or a server is back.
 */
export function watchPermissions(client: Client, retry: (channelId: string) => void): void {
  const retryAll = (guild: Guild) => {
    for (const channelId of guild.channels.cache.keys()) retry(channelId);
  };
  client.on(Events.ChannelUpdate, (_, channel) => {
    retry(channel.id);
    if ('threads' in channel) for (const threadId of channel.threads.cache.keys()) retry(threadId);
  });
  client.on(Events.ThreadUpdate, (_, thread) => retry(thread.id));
  client.on(Events.GuildRoleUpdate, (_, role) => retryAll(role.guild));
  // Only of the bot itself, without the privileged intent: its roles have changed.
  client.on(Events.GuildMemberUpdate, (_, member) => retryAll(member.guild));
  client.on(Events.GuildAvailable, retryAll);
  client.on(Events.GuildCreate, retryAll);
}
