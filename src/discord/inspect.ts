import { type Client, RESTEvents, RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Clock } from '../shared/clock.ts';
import type { LocalizedText } from '../shared/errors.ts';
import { message } from './i18n/translator.ts';
import { isError } from './outcome.ts';
import { lackInChannel } from './permissions.ts';

/** The bot as Discord describes it. */
export interface BotAccount {
  name: string;
  servers: number;
  /** By how many milliseconds this machine's clock is ahead of Discord's, to the second; null where it tells none. */
  aheadMs: number | null;
}

/** Asks Discord who the bot is, and what time it is there. */
export async function inspectAccount(client: Client<true>, clock: Clock): Promise<BotAccount> {
  let aheadMs: number | null = null;
  const note = (_: unknown, { headers }: { headers: { get(name: string): string | null } }) => {
    const toldMs = Date.parse(headers.get('date') ?? '');
    // A whole second: on average, half of one has passed since.
    if (Number.isFinite(toldMs)) aheadMs = clock.now() - toldMs - 500;
  };
  client.rest.on(RESTEvents.Response, note);
  try {
    await client.rest.get(Routes.user());
  } finally {
    client.rest.off(RESTEvents.Response, note);
  }
  return { name: client.user.tag, servers: client.guilds.cache.size, aheadMs };
}

/** Why the bot can't post in a channel of a server; null where it can. */
export async function problemOfChannel(
  client: Client<true>,
  { guildId, channelId }: { guildId: string; channelId: string },
): Promise<LocalizedText | null> {
  try {
    const channel = await client.channels.fetch(channelId);
    if (!channel || channel.isDMBased() || channel.guildId !== guildId) return message('channel.notSeen');
    return await lackInChannel(channel);
  } catch (error) {
    const isUnseen = [RESTJSONErrorCodes.UnknownChannel, RESTJSONErrorCodes.MissingAccess];
    if (isUnseen.some((code) => isError(error, code))) return message('channel.notSeen');
    throw error;
  }
}

/** The name of a channel or server in the gateway cache; null for any other id. */
export function nameOf(client: Client, id: string): string | null {
  const channel = client.channels.cache.get(id);
  if (channel && 'name' in channel && channel.name) return `#${channel.name}`;
  return client.guilds.cache.get(id)?.name ?? null;
}
