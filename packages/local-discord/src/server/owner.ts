import type { APIRole, APIThreadChannel } from 'discord-api-types/v10';
import type { Clock } from '../clock.ts';
import { follow } from './following.ts';
import type { Messages } from './messages.ts';
import { CHANNEL, PERMISSION, REQUIRE_TAG } from './numbers.ts';
import {
  ADA,
  type Guild,
  type GuildChannel,
  IDS,
  newChannel,
  newForum,
  newGuild,
  role,
  type WorldChannel,
} from './seed.ts';
import type { Snowflakes } from './snowflake.ts';
import { newThread, withState } from './thread-life.ts';
import { isDirect, isThread, type Membership, openDirectChannel, type World } from './world.ts';

type PermissionName = keyof typeof PERMISSION;

/** The actions of the servers' owner, and changes of people's own settings. What names no server is done in the first one. */
export interface Owner {
  /** Sets the overwrite of a channel for a role, a person or (by default) the bot; an empty overwrite is removed. */
  setPermissions(
    channelId: string,
    overwrite: { allow?: readonly (PermissionName | bigint)[]; deny?: readonly (PermissionName | bigint)[] },
    targetId?: string,
  ): void;
  /**
   * Makes another server, of the same people, and invites the bot. It is gone after a restart, and the page doesn't show it.
   * Returns its id.
   */
  createGuild(name: string): string;
  /**
   * Makes servers that the bot is not in, with one channel each, which follows an announcement channel. Returns these
   * channels. They are gone after a restart.
   */
  createFollowers(announcementId: string, number: number): GuildChannel[];
  /** @param more for a forum: the names of its tags, and whether a post needs one */
  createChannel(
    name: string,
    type?: 'text' | 'announcement' | 'forum',
    more?: { tags?: readonly string[]; requiresTag?: boolean; guildId?: string },
  ): GuildChannel;
  /** Deletes a forum's tag; posts keep the tags they have. */
  deleteTag(forumId: string, tagId: string): void;
  /** Turns a text channel into an announcement channel, or back, as moderators can. */
  convertChannel(channelId: string, to: 'text' | 'announcement'): void;
  /** Sets whether a post in a forum needs a tag. */
  requireTag(forumId: string, isRequired: boolean): void;
  /** Creates a thread in a text channel, without a message. */
  createThread(parentId: string, name: string): APIThreadChannel;
  /** Deletes a channel with its threads and messages. */
  deleteChannel(channelId: string): void;
  /** Makes a deleted channel anew, under its id and without its messages: Discord itself can't. */
  restoreChannel(channel: GuildChannel): void;
  deleteMessage(messageId: string): void;
  /** Archives, opens or locks a thread, as a moderator does. */
  setThread(threadId: string, state: { archived?: boolean; locked?: boolean }): void;
  /**
   * Removes the bot from the server, invites it again, or starts an outage of the server. A restart makes the bot a
   * member again.
   */
  setMembership(membership: Membership): void;
  /** Creates a role below all others. `managed`: as an integration's or the boosters' role is. */
  createRole(
    name: string,
    options?: {
      mentionable?: boolean;
      managed?: boolean;
      tags?: NonNullable<APIRole['tags']>;
      permissions?: readonly (PermissionName | bigint)[];
      guildId?: string;
    },
  ): APIRole;
  /** Renames a role, gives it other permissions in place of all it has, or moves it; the highest position is the top. */
  editRole(
    roleId: string,
    change: {
      name?: string;
      mentionable?: boolean;
      permissions?: readonly (PermissionName | bigint)[];
      position?: number;
    },
  ): APIRole;
  giveRole(personId: string, roleId: string): void;
  takeRole(personId: string, roleId: string): void;
  deleteRole(roleId: string): void;
  /** Sets the server's language, which interactions carry as `guild_locale`. */
  setGuildLocale(locale: string): void;
  /** Sets the language of a person's app, which their interactions carry as `locale`. A restart resets it. */
  setLocale(personId: string, locale: string): void;
  /** Sets whether a person accepts direct messages; everybody does at first. A restart resets it. */
  setDirectMessages(personId: string, open: boolean): void;
  /** Returns the channel between the bot and a person, and creates it if it does not exist. */
  directChannel(personId: string): WorldChannel;
}

interface Dependencies {
  world: World;
  snowflakes: Snowflakes;
  clock: Clock;
  messages: Messages;
}

export function createOwner({ world, snowflakes, clock, messages }: Dependencies): Owner {
  return {
    setPermissions(channelId, { allow = [], deny = [] }, targetId = IDS.application) {
      const channel = world.channel(channelId);
      if (isDirect(channel) || isThread(channel)) throw new Error('Only channels of the server have permissions.');
      const others = (channel.permission_overwrites ?? []).filter(({ id }) => id !== targetId);
      const type = world.guildAt(channel).roles.has(targetId) ? 0 : 1;
      const own = { id: targetId, type, allow: bitsOf(allow), deny: bitsOf(deny) } as const;
      const isNothing = allow.length + deny.length === 0;
      world.setChannel({ ...channel, permission_overwrites: isNothing ? others : [...others, own] });
    },

    createGuild(name) {
      const added = newGuild(snowflakes.next(), name, world.bot, snowflakes.next());
      world.addGuild(added);
      return added.guild.id;
    },

    createFollowers(announcementId, number) {
      return Array.from({ length: number }, (_, index) => {
        const at = newGuild(snowflakes.next(), `Follower ${index + 1}`, world.bot, null);
        const place = { guild_id: at.guild.id, name: 'news', position: 0 };
        const channel = newChannel({ ...place, id: snowflakes.next(), type: CHANNEL.text });
        world.addGuild(at);
        world.addChannel(channel);
        follow({ world, messages, snowflakes }, world.channel(announcementId), channel, ADA);
        return channel;
      });
    },

    createChannel(name, type = 'text', { guildId = IDS.guild, ...forum } = {}) {
      const position = world.guildChannels(guildId).length;
      const common = { id: snowflakes.next(), name, position, guild_id: guildId };
      const tags = forum.tags?.map((tag) => ({ id: snowflakes.next(), name: tag })) ?? [];
      const channel =
        type === 'forum' ? newForum(common, tags, forum.requiresTag) : newChannel({ ...common, type: CHANNEL[type] });
      world.addChannel(channel);
      return channel;
    },

    deleteTag(forumId, tagId) {
      const forum = world.channel(forumId);
      if (forum.type !== CHANNEL.forum) throw new Error(`${forumId} is no forum.`);
      world.setChannel({ ...forum, available_tags: forum.available_tags.filter(({ id }) => id !== tagId) });
    },

    convertChannel(channelId, to) {
      const channel = world.channel(channelId);
      if (channel.type !== CHANNEL.text && channel.type !== CHANNEL.announcement) {
        throw new Error(`${channelId} can’t be converted.`);
      }
      world.setChannel({ ...channel, type: CHANNEL[to] } as typeof channel);
    },

    requireTag(forumId, isRequired) {
      const forum = world.channel(forumId);
      if (forum.type !== CHANNEL.forum) throw new Error(`${forumId} is no forum.`);
      const others = (forum.flags ?? 0) & ~REQUIRE_TAG;
      world.setChannel({ ...forum, flags: isRequired ? others | REQUIRE_TAG : others });
    },

    createThread(parentId, name) {
      const parent = world.channel(parentId);
      if (isDirect(parent) || isThread(parent)) throw new Error('Only channels of the server have threads.');
      const thread = newThread({ world, clock }, parent, { id: snowflakes.next(), name, archiveAfter: 10_080 });
      world.addChannel(thread);
      return thread;
    },

    deleteChannel: (channelId) => world.deleteChannel(channelId),
    restoreChannel: (channel) => world.addChannel({ ...channel, last_message_id: null }),

    deleteMessage(messageId) {
      for (const channel of world.channels()) {
        const message = world.findMessage(channel.id, messageId);
        if (message) return world.deleteMessage(message);
      }
      throw new Error(`Local Discord has no message ${messageId}.`);
    },

    setThread(threadId, state) {
      const thread = world.channel(threadId);
      if (!isThread(thread)) throw new Error(`${threadId} is no thread.`);
      world.setChannel(withState(thread, state, clock.now()));
    },

    setMembership: (membership) => world.setMembership(membership),

    createRole: (name, { permissions = [], guildId = IDS.guild, ...more } = {}) =>
      world.addRole(role(snowflakes.next(), name, 1, BigInt(bitsOf(permissions)), more), world.findGuild(guildId)),
    editRole: (roleId, { permissions, ...change }) =>
      world.editRole(roleId, { ...change, ...(permissions && { permissions: bitsOf(permissions) }) }),
    giveRole(personId, roleId) {
      const at = world.guildWith(roleId);
      world.editMember(personId, { roles: [...new Set([...rolesIn(at, personId), roleId])] }, at);
    },
    takeRole(personId, roleId) {
      const at = world.guildWith(roleId);
      world.editMember(personId, { roles: rolesIn(at, personId).filter((id) => id !== roleId) }, at);
    },
    deleteRole: (roleId) => world.deleteRole(roleId),

    setGuildLocale: (locale) => world.setGuildLocale(locale),
    setLocale: (personId, locale) => world.setLocale(personId, locale),
    setDirectMessages: (personId, open) => world.setDirectMessages(personId, open),
    directChannel(personId) {
      const person = world.members.get(personId)?.user;
      if (!person) throw new Error(`Local Discord has no person ${personId}.`);
      return openDirectChannel(world, snowflakes, person);
    },
  };
}

function rolesIn({ members }: Guild, personId: string): string[] {
  const member = members.get(personId);
  if (!member) throw new Error(`Local Discord has no person ${personId}.`);
  return member.roles;
}

/** @param permissions by their names, or as bits where this server has no name for them */
function bitsOf(permissions: readonly (PermissionName | bigint)[]): string {
  return permissions
    .reduce<bigint>((bits, one) => bits | (typeof one === 'bigint' ? one : PERMISSION[one]), 0n)
    .toString();
}
