import type { Client } from 'discord.js';

/** The name of a channel or server in the gateway cache; null for any other id. */
export function nameOf(client: Client, id: string): string | null {
  const channel = client.channels.cache.get(id);
  if (channel && 'name' in channel && channel.name) return `#${channel.name}`;
  return client.guilds.cache.get(id)?.name ?? null;
}
