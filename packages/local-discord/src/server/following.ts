import { isDeepStrictEqual } from 'node:util';
import type { APIMessage, APIUser } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.ts';
import type { Messages } from './messages.ts';
import { BUTTON_STYLE, CHANNEL, COMPONENT, MESSAGE, MESSAGE_FLAG, PERMISSION } from './numbers.ts';
import type { PageMessage } from './page-api.ts';
import { requirePermissions } from './permissions.ts';
import type { FollowerWebhook, WorldChannel } from './seed.ts';
import type { Snowflakes } from './snowflake.ts';
import { requireRoomForWebhook, webhookAuthor } from './webhooks.ts';
import type { World } from './world.ts';

/** What Discord's own client shows in the place of a message whose source is deleted. */
const SOURCE_DELETED = '[Original Message Deleted]';

interface Dependencies {
  world: World;
  messages: Messages;
}

/**
 * Has a channel follow an announcement channel, which Discord tells it in a message of its own:
 * https://discord.com/developers/docs/resources/channel#follow-announcement-channel
 * @throws DiscordError 50001, 50024, 50013, 30007
 */
export function follow(
  { world, messages, snowflakes }: Dependencies & { snowflakes: Snowflakes },
  source: WorldChannel,
  target: WorldChannel,
  by: APIUser,
): FollowerWebhook {
  requirePermissions(world, by.id, source, 0n);
  if (source.type !== CHANNEL.announcement) throw new DiscordError('wrongChannelType');
  requirePermissions(world, by.id, target, PERMISSION.manageWebhooks);
  if (target.type !== CHANNEL.text && target.type !== CHANNEL.announcement) throw new DiscordError('wrongChannelType');
  requireRoomForWebhook(world, target);
  const { id, name, icon } = world.guildAt(source).guild;
  const webhook: FollowerWebhook = {
    id: snowflakes.next(),
    type: 2,
    guild_id: world.guildAt(target).guild.id,
    channel_id: target.id,
    application_id: null,
    user: by,
    name: `${name} #${source.name}`,
    avatar: icon,
    source_guild: { id, name, icon },
    source_channel: { id: source.id, name: source.name },
  };
  world.setWebhook(webhook);
  const more = {
    type: MESSAGE.followNotice,
    content: webhook.name,
    message_reference: { type: 0, channel_id: source.id, guild_id: id },
  };
  world.addMessage(messages.compose({ channel: target, author: by, body: {}, files: [], more }));
  return webhook;
}

/** Writes a message that has just been published into each channel that follows its own. */
export function deliverToFollowers({ world, messages }: Dependencies, source: PageMessage): void {
  const from = { type: 0, channel_id: source.channel_id, message_id: source.id, ...world.guildOf(source.channel_id) };
  for (const webhook of world.followers(source.channel_id)) {
    const more = { ...carried(source), webhook_id: webhook.id, message_reference: from };
    const channel = world.channel(webhook.channel_id);
    world.addMessage(messages.compose({ channel, author: webhookAuthor(webhook), body: {}, files: [], more }));
  }
}

/** Has the copies in the channels that follow keep up with edits of what was published, and with its deletion. */
export function keepCopies(world: World): void {
  world.onChange((change) => {
    if (change.type !== 'message-edited' && change.type !== 'message-deleted') return;
    const { message } = change;
    if (((message.flags ?? 0) & MESSAGE_FLAG.crossposted) === 0) return;
    const now = change.type === 'message-edited' ? carried(message) : null;
    for (const webhook of world.followers(message.channel_id)) {
      const copy = world.messages(webhook.channel_id).findLast((one) => isCopy(one, webhook, message));
      if (!copy) continue;
      const next = {
        ...copy,
        ...(now ?? { ...NOTHING, flags: MESSAGE_FLAG.isCrosspost | MESSAGE_FLAG.sourceDeleted }),
      };
      if (!isDeepStrictEqual(next, copy)) world.setMessage(next);
    }
  });
}

function isCopy(message: PageMessage, webhook: FollowerWebhook, source: PageMessage): boolean {
  return message.webhook_id === webhook.id && message.message_reference?.message_id === source.id;
}

const NOTHING = { content: SOURCE_DELETED, embeds: [], attachments: [], components: [] };

const STYLE_FLAGS = MESSAGE_FLAG.suppressEmbeds | MESSAGE_FLAG.componentsV2;

/** What of a published message its copies show. They mention nobody. */
function carried({ content, embeds, attachments, components = [], flags, edited_timestamp }: PageMessage) {
  const styles = (flags ?? 0) & STYLE_FLAGS;
  const isV2 = (styles & MESSAGE_FLAG.componentsV2) !== 0;
  return {
    content,
    embeds,
    attachments,
    edited_timestamp,
    // Of the older components, nothing arrives, not even links (discord-api-docs#3079, #6311).
    components: isV2 ? withoutInteraction(components) : [],
    flags: styles | MESSAGE_FLAG.isCrosspost,
  };
}

type Components = NonNullable<APIMessage['components']>;
type Component = { type: number; style?: number; components?: Component[]; accessory?: Component };

/** The components without buttons and menus that would ask an application, which a follower's webhook isn't. */
function withoutInteraction(components: Components): Components {
  return (components as Component[]).flatMap(stripped) as Components;
}

function stripped(component: Component): Component[] {
  const { type, style, components, accessory } = component;
  if (type === COMPONENT.button) return style === BUTTON_STYLE.link ? [component] : [];
  if (type === COMPONENT.section && accessory && stripped(accessory).length === 0) return components ?? [];
  if (!components) return MENUS.includes(type) ? [] : [component];
  const kept = components.flatMap(stripped);
  return kept.length === 0 ? [] : [{ ...component, components: kept }];
}

const MENUS: readonly number[] = [
  COMPONENT.stringSelect,
  COMPONENT.userSelect,
  COMPONENT.roleSelect,
  COMPONENT.mentionableSelect,
  COMPONENT.channelSelect,
];
