import { CHANNEL, PERMISSION } from './numbers.ts';
import { IDS } from './seed.ts';
import type { Snowflakes } from './snowflake.ts';
import type { World, WorldChannel } from './world.ts';

type PermissionName = keyof typeof PERMISSION;

/** What the server's owner can do to it, as in Discord's own settings. */
export interface Owner {
  /** Sets what is allowed and denied in a channel to a role, person or (by default) the bot; nothing of both clears it. */
  setPermissions(
    channelId: string,
    overwrite: { allow?: readonly PermissionName[]; deny?: readonly PermissionName[] },
    targetId?: string,
  ): void;
  createChannel(name: string, type?: 'text' | 'announcement' | 'forum'): WorldChannel;
  /** With its threads and messages. */
  deleteChannel(channelId: string): void;
  deleteMessage(messageId: string): void;
}

export function createOwner(world: World, snowflakes: Snowflakes): Owner {
  return {
    setPermissions(channelId, { allow = [], deny = [] }, targetId = IDS.application) {
      const channel = world.channel(channelId);
      const others = (channel.permission_overwrites ?? []).filter(({ id }) => id !== targetId);
      const type = world.roles.has(targetId) ? 0 : 1;
      const own = { id: targetId, type, allow: bitsOf(allow), deny: bitsOf(deny) } as const;
      const isNothing = allow.length + deny.length === 0;
      world.setChannel({ ...channel, permission_overwrites: isNothing ? others : [...others, own] });
    },

    createChannel(name, type = 'text') {
      const common = {
        id: snowflakes.next(),
        guild_id: world.guild.id,
        name,
        position: world.channels().length,
        permission_overwrites: [],
        nsfw: false,
        parent_id: null,
        flags: 0,
        topic: null,
        last_message_id: null,
      };
      const forum = {
        default_reaction_emoji: null,
        default_sort_order: null,
        default_forum_layout: 0 as const,
        available_tags: [],
      };
      const channel: WorldChannel =
        type === 'forum' ? { ...common, ...forum, type: CHANNEL.forum } : { ...common, type: CHANNEL[type] };
      world.addChannel(channel);
      return channel;
    },

    deleteChannel: (channelId) => world.deleteChannel(channelId),

    deleteMessage(messageId) {
      for (const channel of world.channels()) {
        const message = world.findMessage(channel.id, messageId);
        if (message) return world.deleteMessage(message);
      }
      throw new Error(`Local Discord has no message ${messageId}.`);
    },
  };
}

function bitsOf(names: readonly PermissionName[]): string {
  return names.reduce((bits, name) => bits | PERMISSION[name], 0n).toString();
}
