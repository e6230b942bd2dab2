import { type Guild, type GuildMember, PermissionFlagsBits, Routes, type TextChannel } from 'discord.js';
import { type APIWebhook, ChannelType, RESTJSONErrorCodes, WebhookType } from 'discord-api-types/v10';
import { message } from '../../discord/i18n/translator.ts';
import { failureOf, isError } from '../../discord/outcome.ts';
import { type LocalizedText, UserError } from '../../shared/errors.ts';

/** The kinds of channel that can follow an announcement channel. */
export const FOLLOWING_CHANNELS = [ChannelType.GuildText] as const;

/** Discord's limit for the webhooks of a channel: each channel that it follows is one. */
const MOST_WEBHOOKS = 15;

/** The channels for which that is under way: two requests at once would follow twice. */
const underWay = new Set<string>();

/**
 * The channel, if a person may let it follow another one, and the bot may, too.
 * @throws UserError that says who lacks what, and where
 */
export async function requireFollower(guild: Guild, channelId: string, person: GuildMember): Promise<TextChannel> {
  const channel = await guild.channels.fetch(channelId).catch(() => null);
  if (!channel) throw new UserError(message('channel.notSeen'));
  if (channel.type !== ChannelType.GuildText) throw new UserError(message('follow.wrongKind'));
  const place = { channel: `<#${channel.id}>` };
  if (lacks(channel, person).length > 0) throw new UserError(message('follow.personLacks', place));
  const missing = lacks(channel, guild.members.me ?? (await guild.members.fetchMe()));
  if (missing.length > 0) throw new UserError(botLacks(place, missing));
  return channel;
}

/** @see https://discord.com/developers/docs/resources/channel#follow-announcement-channel */
const NEEDED = ['ViewChannel', 'ManageWebhooks'] as const;

function lacks(channel: TextChannel, member: GuildMember): (typeof NEEDED)[number][] {
  const permissions = channel.permissionsFor(member);
  return NEEDED.filter((name) => !permissions.has(PermissionFlagsBits[name]));
}

function botLacks(place: { channel: string }, missing: readonly (typeof NEEDED)[number][]): LocalizedText {
  return message('follow.botLacks', { ...place, permissions: missing.map((name) => message(`permission.${name}`)) });
}

/**
 * Lets a channel follow an announcement channel, by Discord's own Follow. Resolves with false where it follows that already.
 * @param reason for the server's audit log
 * @throws UserError where Discord refuses it
 */
export async function follow(sourceId: string, target: TextChannel, reason: string): Promise<boolean> {
  if (underWay.has(target.id)) throw new UserError(message('failure.onItsWay'));
  underWay.add(target.id);
  try {
    return await followOnce(sourceId, target, reason);
  } catch (cause) {
    const sentence = refusalOf(cause, target);
    throw sentence ? new UserError(sentence, { cause }) : cause;
  } finally {
    underWay.delete(target.id);
  }
}

async function followOnce(sourceId: string, target: TextChannel, reason: string): Promise<boolean> {
  const webhooks = await webhooksOf(target);
  if (webhooks.some((webhook) => isOf(webhook, sourceId))) return false;
  if (webhooks.length >= MOST_WEBHOOKS) throw new UserError(tooMany(target));
  try {
    await target.client.rest.post(Routes.channelFollowers(sourceId), {
      body: { webhook_channel_id: target.id },
      reason,
    });
  } catch (error) {
    // A second request would follow twice, so what stands there decides.
    if (failureOf(error).kind !== 'unknown') throw error;
    if (!(await webhooksOf(target)).some((webhook) => isOf(webhook, sourceId)))
      throw new UserError(message('follow.unanswered', { channel: `<#${target.id}>` }), { cause: error });
  }
  return true;
}

async function webhooksOf({ id, client }: TextChannel): Promise<APIWebhook[]> {
  return (await client.rest.get(Routes.channelWebhooks(id))) as APIWebhook[];
}

/** @see https://discord.com/developers/docs/resources/webhook#webhook-object-webhook-types */
function isOf({ type, source_channel }: APIWebhook, sourceId: string): boolean {
  return type === WebhookType.ChannelFollower && source_channel?.id === sourceId;
}

function tooMany({ id }: TextChannel): LocalizedText {
  return message('follow.tooMany', { channel: `<#${id}>`, most: MOST_WEBHOOKS });
}

function refusalOf(error: unknown, target: TextChannel): LocalizedText | null {
  const { MissingPermissions, MissingAccess, UnknownChannel, MaximumNumberOfWebhooksReached } = RESTJSONErrorCodes;
  if (isError(error, MaximumNumberOfWebhooksReached)) return tooMany(target);
  // What was checked before may have changed meanwhile.
  if (isError(error, MissingPermissions)) return botLacks({ channel: `<#${target.id}>` }, ['ManageWebhooks']);
  // The target was seen just now.
  if (isError(error, MissingAccess) || isError(error, UnknownChannel)) return message('follow.unseen');
  return null;
}
