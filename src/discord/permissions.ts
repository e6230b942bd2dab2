import {
  ChannelFlags,
  ChannelType,
  type ForumChannel,
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  PermissionFlagsBits,
  type PermissionsString,
  type Role,
} from 'discord.js';
import type { Subscription } from '../deals/subscription.ts';
import { type LocalizedText, UserError } from '../shared/errors.ts';
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
 * The channel, if it belongs to the server and can receive announcements.
 * @throws UserError with the reason why not
 */
export async function requireTarget(guild: Guild | null, channelId: string): Promise<TargetChannel> {
  const channel = await guild?.channels.fetch(channelId).catch(() => null);
  if (!channel) throw new UserError(message('channel.notSeen'));
  const found = targetOf(channel);
  if (!found) throw new UserError(message('channel.wrongKind'));
  return found;
}

/** The same from the gateway cache; null where that lacks the channel. */
export function knownTarget(guild: Guild | null, channelId: string): TargetChannel | null {
  const channel = guild?.channels.cache.get(channelId);
  return channel ? targetOf(channel) : null;
}

/**
 * The channel, if it belongs to the server and the bot can post in it.
 * @throws UserError with the reason why not, which names every permission that the bot lacks
 */
export async function requirePostable(guild: Guild | null, channelId: string): Promise<TargetChannel> {
  const target = await requireTarget(guild, channelId);
  const lack = await lackOf(target);
  if (lack) throw new UserError(lack);
  return target;
}

/** Why the bot can't post in a channel, in one sentence; null where it can. */
export async function lackInChannel(channel: GuildBasedChannel): Promise<LocalizedText | null> {
  const target = targetOf(channel);
  return target ? lackOf(target) : message('channel.wrongKind');
}

/** The permissions that the bot lacks to post there, in one sentence; null where it has all. */
export async function lackOf({ channel, target }: TargetChannel): Promise<LocalizedText | null> {
  const permissions = channel.permissionsFor(await ownMember(channel.guild));
  const missing = NEEDED[target].filter((name) => !permissions.has(name));
  const isLocked = channel.isThread() && channel.locked === true && !permissions.has(PermissionFlagsBits.ManageThreads);
  const names = [...missing, ...(isLocked ? (['ManageThreads'] as const) : [])];
  if (names.length === 0) return null;
  const permissionNames = names.map((name) => message(`permission.${name}`));
  return message('channel.notPostable', { channel: `<#${channel.id}>`, permissions: permissionNames });
}

/**
 * The role, if it belongs to the server and people can be given it: neither @everyone nor a bot's own.
 * @throws UserError
 */
export function requireRole(guild: Guild | null, roleId: string): Role {
  const role = guild?.roles.cache.get(roleId);
  if (!role) throw new UserError(message('role.unknown'));
  if (role.id === role.guild.id) throw new UserError(message('role.everyone'));
  if (role.tags?.botId) throw new UserError(message('role.ofBot', { role: `<@&${role.id}>` }));
  return role;
}

/** Whether mentioning the role there pings its members: Discord requires a permission of bots for some roles. */
export async function isCallable(role: Role, { channel }: TargetChannel): Promise<boolean> {
  if (role.mentionable) return true;
  return channel.permissionsFor(await ownMember(channel.guild)).has(PermissionFlagsBits.MentionEveryone);
}

async function ownMember({ members }: Guild): Promise<GuildMember> {
  return members.me ?? (await members.fetchMe());
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
