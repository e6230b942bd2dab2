import {
  ChannelType,
  type GuildBasedChannel,
  type Interaction,
  PermissionFlagsBits,
  type PermissionsString,
} from 'discord.js';
import { UserError } from '../errors.ts';
import { say } from './words/words.ts';

/** What the bot needs in a channel: to post, and to read what it posted so that it never repeats itself. */
const NEEDED = ['ViewChannel', 'SendMessages', 'ReadMessageHistory'] as const satisfies PermissionsString[];

/** Channels that announcements can go to. */
export const ANNOUNCEABLE_CHANNELS = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

/**
 * The server that the person may manage.
 * @throws UserError outside of a server, and for people without Manage Server
 */
export function requireManager(interaction: Interaction): { guildId: string } {
  if (!interaction.guildId) throw new UserError(say('permission.serverOnly'));
  if (!interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) {
    throw new UserError(say('permission.manager'));
  }
  return { guildId: interaction.guildId };
}

/**
 * The channel, if it is one of the interaction's own server and the bot can post there.
 * @throws UserError that names what is missing
 */
export async function requirePostableChannel(interaction: Interaction, channelId: string): Promise<GuildBasedChannel> {
  const channel = await interaction.guild?.channels.fetch(channelId).catch(() => null);
  if (!channel) throw new UserError(say('channel.notSeen'));
  if (!ANNOUNCEABLE_CHANNELS.some((type) => type === channel.type)) {
    throw new UserError(say('channel.wrongKind'));
  }
  const own = interaction.guild?.members.me ?? (await interaction.guild?.members.fetchMe());
  const permissions = own && channel.permissionsFor(own);
  const missing = NEEDED.filter((name) => !permissions?.has(name));
  if (missing.length > 0) {
    const permissionNames = missing.map((name) => say(`permission.${name}`));
    throw new UserError(say('channel.notPostable', { channel: `<#${channel.id}>`, permissions: permissionNames }));
  }
  return channel;
}
