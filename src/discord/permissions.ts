import {
  ChannelFlags,
  ChannelType,
  type Client,
  Events,
  type ForumChannel,
  type Guild,
  type GuildBasedChannel,
  GuildMember,
  PermissionFlagsBits,
  type PermissionsString,
  type Role,
  Routes,
  type User,
} from 'discord.js';
import { type APIApplication, type APIUser, TeamMemberMembershipState, TeamMemberRole } from 'discord-api-types/v10';
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

/** Whether the bot may attach files to its posts in a channel of a server, as far as the gateway has said. */
export function mayAttachFiles(client: Client<true>, channelId: string): boolean {
  return mayIn(client, channelId, 'AttachFiles');
}

/** The same of pinning messages. */
export function mayPin(client: Client<true>, channelId: string): boolean {
  return mayIn(client, channelId, 'PinMessages');
}

function mayIn(client: Client<true>, channelId: string, permission: PermissionsString): boolean {
  const known = client.channels.cache.get(channelId);
  if (!known || known.isDMBased()) return false;
  return known.permissionsFor(client.user)?.has(permission) === true;
}

/** Whether the bot can pin a message in a channel; a forum has no pins of messages. @public for features */
export async function canPin({ channel, target }: TargetChannel): Promise<boolean> {
  return target === 'forum' || channel.permissionsFor(await ownMember(channel.guild)).has('PinMessages');
}

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

/** Permissions over a server, its members or their messages. A role that has one is for those who run the server. */
const DANGEROUS = [
  'Administrator',
  'ManageGuild',
  'ManageRoles',
  'ManageChannels',
  'ManageWebhooks',
  'ManageMessages',
  'ManageThreads',
  'ManageNicknames',
  'ManageGuildExpressions',
  'ManageEvents',
  'BanMembers',
  'KickMembers',
  'ModerateMembers',
  'MuteMembers',
  'DeafenMembers',
  'MoveMembers',
  'MentionEveryone',
  'ViewAuditLog',
] as const satisfies PermissionsString[];

/** The names of permissions as a role's settings show them; all that the library doesn't know share one. @public for features */
export function permissionNames(bits: bigint): LocalizedText[] {
  const known = NAMED.filter(([, bit]) => (bits & bit) !== 0n);
  const isAll = known.reduce((rest, [, bit]) => rest & ~bit, bits) === 0n;
  const names = known.map(([name]) =>
    message(name === 'ViewChannel' ? 'permission.ViewChannels' : `permission.${name}`),
  );
  return isAll ? names : [...names, message('permission.unknown')];
}

/** The former name of a permission that the library keeps beside the present one. */
const FORMER = 'ManageEmojisAndStickers';
const NAMED = Object.entries(PermissionFlagsBits).filter(
  (entry): entry is [Exclude<PermissionsString, typeof FORMER>, bigint] => entry[0] !== FORMER,
);

/**
 * Why the bot never rings a role, whether somebody asks for it or it became so later; null where it does. By the gateway's
 * cache. The role is none of the server's, is @everyone, is an app's or Discord's own, has a permission over the server, or
 * stands above the bot's.
 */
export function roleTrouble(guild: Guild | null, roleId: string): LocalizedText | null {
  const role = guild?.roles.cache.get(roleId);
  if (!role) return message('role.unknown');
  if (role.id === role.guild.id) return message('role.everyone');
  const values = { role: `<@&${role.id}>` };
  if (role.tags?.botId) return message('role.ofBot', values);
  if (role.managed) return message('role.managed', values);
  const dangerous = DANGEROUS.filter((name) => role.permissions.has(name, false));
  if (dangerous.length > 0) {
    return message('role.dangerous', {
      ...values,
      permissions: dangerous.map((name) => message(`permission.${name}`)),
    });
  }
  const own = role.guild.members.me?.roles.highest;
  return own && role.comparePositionTo(own) > 0 ? message('role.above', values) : null;
}

/**
 * @throws UserError with the reason for which the bot doesn't ring the role
 * @public for features
 */
export function requireRole(guild: Guild | null, roleId: string): void {
  const trouble = roleTrouble(guild, roleId);
  if (trouble) throw new UserError(trouble);
}

/**
 * What keeps each of these roles from being rung in a channel, by the role's id. A role that was deleted has the sentence
 * `panel.roleGone`.
 * @param where null for a channel that is not known
 */
export async function roleTroubles(
  guild: Guild | null,
  roleIds: readonly string[],
  where: TargetChannel | null,
): Promise<Map<string, LocalizedText>> {
  const troubles = new Map<string, LocalizedText>();
  for (const roleId of roleIds) {
    const role = guild?.roles.cache.get(roleId);
    const trouble = role ? roleTrouble(guild, roleId) : message('panel.roleGone');
    if (trouble) troubles.set(roleId, trouble);
    else if (role && where && !(await isCallable(role, where))) {
      troubles.set(roleId, message('panel.notCallable', { role: `<@&${roleId}>` }));
    }
  }
  return troubles;
}

/** Whether a person may make roles, and change one that is below theirs, or any in their own server. @public for features */
export function mayManageRole(guild: Guild | null, member: unknown, roleId: string | null): boolean {
  if (!guild || !(member instanceof GuildMember)) return false;
  if (guild.ownerId === member.id) return true;
  if (!member.permissions.has(PermissionFlagsBits.ManageRoles)) return false;
  const role = roleId === null ? undefined : guild.roles.cache.get(roleId);
  return role === undefined || role.comparePositionTo(member.roles.highest) < 0;
}

/** The sentences, each once: several roles that were deleted have the same one. */
export function eachOnce(sentences: Iterable<LocalizedText>): LocalizedText[] {
  return [...new Map([...sentences].map((one) => [JSON.stringify(one), one])).values()];
}

/** Whether mentioning the role there pings its members: Discord requires a permission of bots for some roles. */
async function isCallable(role: Role, { channel }: TargetChannel): Promise<boolean> {
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

/** A person's rights over the bot itself: a team's read-only members may look. */
export type OperatorRight = 'read' | 'act';

/**
 * Asks Discord who owns the application.
 * @throws UserError where the person is neither the owner nor in the owning team, may only look, or Discord doesn't say
 */
export async function requireOperator(
  { client, person }: { client: Client; person: User },
  right: OperatorRight,
): Promise<void> {
  const application = (await client.rest.get(Routes.currentApplication()).catch((cause: unknown) => {
    throw new UserError(message('owner.unknown'), { cause });
  })) as Pick<APIApplication, 'team'> & { owner?: Pick<APIUser, 'id'> };
  const rights = rightsOf(application, person.id);
  if (!rights.includes('read')) throw new UserError(message('owner.others'));
  if (!rights.includes(right)) throw new UserError(message('owner.readOnly'));
}

/** An application belongs to a person or to a team, for which Discord names a placeholder as the owner. */
function rightsOf(
  { owner, team }: Pick<APIApplication, 'team'> & { owner?: Pick<APIUser, 'id'> },
  personId: string,
): readonly OperatorRight[] {
  if (!team) return owner?.id === personId ? ['read', 'act'] : [];
  if (team.owner_user_id === personId) return ['read', 'act'];
  const member = team.members.find(({ user }) => user.id === personId);
  if (member?.membership_state !== TeamMemberMembershipState.Accepted) return [];
  return member.role === TeamMemberRole.ReadOnly ? ['read'] : ['read', 'act'];
}
