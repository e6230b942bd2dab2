import { randomBytes } from 'node:crypto';
import type { APIUser } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.ts';
import { CHANNEL } from './numbers.ts';
import { IDS, type IncomingWebhook, user, type WorldChannel, type WorldWebhook } from './seed.ts';
import type { Snowflakes } from './snowflake.ts';
import type { World } from './world.ts';

/** The most webhooks of a channel: https://discord.com/developers/docs/resources/webhook */
const MOST_WEBHOOKS = 15;

/** The channels that a webhook can post in; in a forum, in its posts. */
const POSTED_IN: readonly number[] = [CHANNEL.text, CHANNEL.announcement, CHANNEL.forum];

/** Requires that a channel can have a webhook of the bot's own. @throws DiscordError 50024, 30007 */
export function requireWebhookPlace(world: World, channel: WorldChannel): void {
  if (!POSTED_IN.includes(channel.type)) throw new DiscordError('wrongChannelType');
  requireRoomForWebhook(world, channel);
}

/** @throws DiscordError 30007 */
export function requireRoomForWebhook(world: World, channel: WorldChannel): void {
  if (world.webhooks(channel.id).length >= MOST_WEBHOOKS) throw new DiscordError('tooManyWebhooks');
}

/**
 * A webhook of the bot's own in a channel: https://discord.com/developers/docs/resources/webhook#create-webhook
 * @throws DiscordError 50024, 30007
 */
export function newWebhook(
  { world, snowflakes }: { world: World; snowflakes: Snowflakes },
  channel: WorldChannel,
): IncomingWebhook {
  requireWebhookPlace(world, channel);
  return {
    id: snowflakes.next(),
    type: 1,
    guild_id: world.guildAt(channel).guild.id,
    channel_id: channel.id,
    application_id: IDS.application,
    user: world.bot,
    name: world.bot.username,
    avatar: null,
    token: randomBytes(51).toString('base64url'),
  };
}

function isIncoming(webhook: WorldWebhook): webhook is IncomingWebhook {
  return 'token' in webhook;
}

/** @throws DiscordError 10015, 50027 */
export function webhookByToken(world: World, id: string, token: string): IncomingWebhook {
  const webhook = world.findWebhook(id);
  if (!webhook) throw new DiscordError('unknownWebhook');
  if (!isIncoming(webhook) || webhook.token !== token) throw new DiscordError('invalidWebhookToken');
  return webhook;
}

/** The author of what a webhook posts, under its own name or another. */
export function webhookAuthor({ id, name, avatar }: WorldWebhook, otherName = name): APIUser {
  return { ...user(id, otherName, null, true), discriminator: '0000', avatar };
}
