import type { Client } from 'discord.js';

/** What people call a channel or a server that the gateway has told of; null for any other id. */
export function nameOf(client: Client, id: string): string | null {
  const channel = client.channels.cache.get(id);
  if (channel && 'name' in channel && channel.name) return `#${channel.name}`;
  return client.guilds.cache.get(id)?.name ?? null;
}
