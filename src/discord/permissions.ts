import {
  ChannelType,
  type GuildBasedChannel,
  type Interaction,
  PermissionFlagsBits,
  type PermissionsString,
} from 'discord.js';
import { UserError } from '../errors.ts';

/** What the bot needs in a channel: to post, and to read what it posted so that it never repeats itself. */
const NEEDED: readonly [bigint, PermissionsString, string][] = [
  [PermissionFlagsBits.ViewChannel, 'ViewChannel', 'View Channel'],
  [PermissionFlagsBits.SendMessages, 'SendMessages', 'Send Messages'],
  [PermissionFlagsBits.ReadMessageHistory, 'ReadMessageHistory', 'Read Message History'],
];

/** Channels that announcements can go to. */
export const ANNOUNCEABLE_CHANNELS = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

/**
 * The server that the person may manage.
 * @throws UserError outside of a server, and for people without Manage Server
 */
export function requireManager(interaction: Interaction): { guildId: string } {
  if (!interaction.guildId) throw new UserError('This works in a server only.');
  if (!interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) {
    throw new UserError('Managing subscriptions needs the permission Manage Server.');
  }
  return { guildId: interaction.guildId };
}

/**
 * The channel, if it is one of the interaction's own server and the bot can post there.
 * @throws UserError that names what is missing
 */
export async function requirePostableChannel(interaction: Interaction, channelId: string): Promise<GuildBasedChannel> {
  const channel = await interaction.guild?.channels.fetch(channelId).catch(() => null);
  if (!channel) throw new UserError('That channel is not in this server, or the bot can’t see it.');
  if (!ANNOUNCEABLE_CHANNELS.some((type) => type === channel.type)) {
    throw new UserError('Announcements can go to text and announcement channels.');
  }
  const own = interaction.guild?.members.me ?? (await interaction.guild?.members.fetchMe());
  const permissions = own && channel.permissionsFor(own);
  const missing = NEEDED.filter(([flag]) => !permissions?.has(flag)).map(([, , name]) => name);
  if (missing.length > 0) {
    throw new UserError(`The bot can’t post in <#${channel.id}> yet. Give it there: ${missing.join(', ')}.`);
  }
  return channel;
}
