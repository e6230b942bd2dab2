import {
  ChannelFlags,
  ChannelType,
  type ForumChannel,
  type GuildBasedChannel,
  GuildMember,
  type Interaction,
  PermissionFlagsBits,
  type PermissionsString,
  type Role,
} from 'discord.js';
import { type LocalizedText, UserError } from '../../shared/errors.ts';
import type { Subscription } from '../deals/subscription.ts';
import { message } from './i18n/translator.ts';

type Target = Subscription['target'];

/** The form of an announcement in each kind of channel. */
const TARGETS = new Map<ChannelType, Target>([
  [ChannelType.GuildText, 'channel'],
  [ChannelType.GuildAnnouncement, 'channel'],
  [ChannelType.PublicThread, 'thread'],
  [ChannelType.PrivateThread, 'thread'],
  [ChannelType.AnnouncementThread, 'thread'],
  [ChannelType.GuildForum, 'forum'],
]);

/** The kinds of channel that can receive announcements. */
export const ANNOUNCEABLE_CHANNELS = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
  ChannelType.GuildForum,
] as const;

/**
 * The permissions that the bot needs in each: to post, to read its own posts so that it never repeats itself, and in a
 * forum to reopen an old post for an edit.
 */
const NEEDED = {
  channel: ['ViewChannel', 'SendMessages', 'ReadMessageHistory'],
  thread: ['ViewChannel', 'SendMessagesInThreads', 'ReadMessageHistory'],
  forum: ['ViewChannel', 'SendMessages', 'SendMessagesInThreads', 'ReadMessageHistory'],
} as const satisfies Record<Target, PermissionsString[]>;

/** A channel that can receive announcements. */
export interface TargetChannel {
  channel: GuildBasedChannel;
  target: Target;
  /** The tags that the bot may use; none where it is not a forum. */
  tags: readonly { id: string; name: string }[];
  isTagRequired: boolean;
  /** Whether its posts can be published to other servers. */
  isPublishable: boolean;
}

/**
 * The server of the interaction, if the person may manage it.
 * @throws UserError outside of a server, and for people without Manage Server
 */
export function requireManager(interaction: Interaction): { guildId: string } {
  if (!interaction.guildId) throw new UserError(message('permission.serverOnly'));
  if (!interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) {
    throw new UserError(message('permission.manager'));
  }
  return { guildId: interaction.guildId };
}

/** Whether the interaction comes from a server that the person may manage. */
export function canManage({ guildId, memberPermissions }: Interaction): boolean {
  return guildId !== null && memberPermissions?.has(PermissionFlagsBits.ManageGuild) === true;
}

/**
 * Whether the person sees the channel. One that the gateway cache lacks and private threads, whose members are not
 * known, are taken for hidden from those who don't manage the server.
 */
export function canSee({ guild, member, memberPermissions }: Interaction, channelId: string): boolean {
  if (memberPermissions?.has(PermissionFlagsBits.ManageGuild)) return true;
  const channel = guild?.channels.cache.get(channelId);
  if (!channel || !(member instanceof GuildMember) || channel.type === ChannelType.PrivateThread) return false;
  return channel.permissionsFor(member).has(PermissionFlagsBits.ViewChannel);
}

/**
 * The channel, if it belongs to the interaction's server and can receive announcements.
 * @throws UserError with the reason why not
 */
export async function requireTarget(interaction: Interaction, channelId: string): Promise<TargetChannel> {
  const channel = await interaction.guild?.channels.fetch(channelId).catch(() => null);
  if (!channel) throw new UserError(message('channel.notSeen'));
  const found = targetOf(channel);
  if (!found) throw new UserError(message('channel.wrongKind'));
  return found;
}

/** The same from the gateway cache; null where that lacks the channel. */
export function knownTarget(interaction: Interaction, channelId: string): TargetChannel | null {
  const channel = interaction.guild?.channels.cache.get(channelId);
  return channel ? targetOf(channel) : null;
}

/** @throws UserError that names every missing permission of the bot there */
export async function requirePostable(interaction: Interaction, target: TargetChannel): Promise<void> {
  const lack = lackingIn(await ownMember(interaction), target);
  if (lack) throw new UserError(lack);
}

/** The permissions that the bot lacks to post there, in one sentence; null where it has all. */
export async function lackOf(interaction: Interaction, target: TargetChannel): Promise<LocalizedText | null> {
  return lackingIn(await ownMember(interaction), target);
}

/** Why the bot can't post in a channel, in one sentence; null where it can. */
export async function lackInChannel(channel: GuildBasedChannel): Promise<LocalizedText | null> {
  const target = targetOf(channel);
  return target ? lackingIn(await ownMember(channel), target) : message('channel.wrongKind');
}

/**
 * The role, if it belongs to the interaction's server and people can be given it: neither @everyone nor a bot's own.
 * @throws UserError
 */
export function requireRole(interaction: Interaction, roleId: string): Role {
  const role = interaction.guild?.roles.cache.get(roleId);
  if (!role) throw new UserError(message('role.unknown'));
  if (role.id === interaction.guildId) throw new UserError(message('role.everyone'));
  if (role.tags?.botId) throw new UserError(message('role.ofBot', { role: `<@&${role.id}>` }));
  return role;
}

/** Whether the role exists in the gateway cache. */
export function hasRole({ guild }: Interaction, roleId: string): boolean {
  return guild?.roles.cache.has(roleId) ?? false;
}

/** Whether mentioning the role there pings its members: Discord requires a permission of bots for some roles. */
export async function isCallable(
  interaction: Interaction,
  roleId: string,
  { channel }: TargetChannel,
): Promise<boolean> {
  const role = interaction.guild?.roles.cache.get(roleId);
  if (!role) return false;
  const own = await ownMember(interaction);
  return role.mentionable || (own ? channel.permissionsFor(own).has(PermissionFlagsBits.MentionEveryone) : false);
}

async function ownMember({ guild }: Pick<Interaction, 'guild'>): Promise<GuildMember | null> {
  return guild?.members.me ?? (await guild?.members.fetchMe()) ?? null;
}

function targetOf(channel: GuildBasedChannel): TargetChannel | null {
  const target = TARGETS.get(channel.type);
  if (target === undefined) return null;
  const isForum = channel.type === ChannelType.GuildForum;
  return {
    channel,
    target,
    tags: isForum ? usableTags(channel) : [],
    isTagRequired: isForum && channel.flags.has(ChannelFlags.RequireTag),
    isPublishable: channel.type === ChannelType.GuildAnnouncement,
  };
}

/** Leaves out tags that only moderators may use. */
function usableTags(forum: ForumChannel): TargetChannel['tags'] {
  const own = forum.guild.members.me;
  const isModerator = own !== null && forum.permissionsFor(own).has(PermissionFlagsBits.ManageThreads);
  return forum.availableTags.filter(({ moderated }) => isModerator || !moderated).map(({ id, name }) => ({ id, name }));
}

function lackingIn(own: GuildMember | null, { channel, target }: TargetChannel): LocalizedText | null {
  const permissions = own && channel.permissionsFor(own);
  const missing = NEEDED[target].filter((name) => !permissions?.has(name));
  const isLocked =
    channel.isThread() && channel.locked === true && !permissions?.has(PermissionFlagsBits.ManageThreads);
  const names = [...missing, ...(isLocked ? (['ManageThreads'] as const) : [])];
  if (names.length === 0) return null;
  const permissionNames = names.map((name) => message(`permission.${name}`));
  return message('channel.notPostable', { channel: `<#${channel.id}>`, permissions: permissionNames });
}
