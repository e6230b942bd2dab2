import { ChannelType, type Guild, PermissionFlagsBits, type Role, Routes } from 'discord.js';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import type { Subscription } from '../../deals/subscription.ts';
import { message } from '../../discord/i18n/translator.ts';
import { isError } from '../../discord/outcome.ts';
import { permissionNames, roleTrouble } from '../../discord/permissions.ts';
import { type LocalizedText, UserError } from '../../shared/errors.ts';
import { type Ping, pingsOf } from './ping.ts';

/** Discord's limit for the name of a role, in characters. */
export const MOST_ROLE_NAME = 100;

/**
 * What the bot lacks to give roles at all; null where it lacks nothing.
 * @see https://discord.com/developers/docs/topics/permissions
 */
export function lackToGiveRoles(guild: Guild | null): LocalizedText | null {
  if (guild?.members.me?.permissions.has(PermissionFlagsBits.ManageRoles)) return null;
  return message('takePings.noManageRoles');
}

/** The most channels that a sentence names. */
const MOST_NAMED = 3;

/** What rings a role. */
interface Use {
  subscription: Subscription;
  ping: Ping;
}

/**
 * Why members can't take the roles of a server's pings themselves, by the role's id; null where they can. Whoever takes a
 * role has to get pings by it and nothing else: something rings it, it has no permission that @everyone lacks, none in any
 * channel, and somebody who may give it has offered it. By the gateway's cache.
 */
export function takingTroubles(
  guild: Guild,
  subscriptions: readonly Subscription[],
): Map<string, LocalizedText | null> {
  const uses = new Map<string, Use[]>();
  for (const subscription of subscriptions)
    for (const ping of pingsOf(subscription))
      uses.set(ping.roleId, [...(uses.get(ping.roleId) ?? []), { subscription, ping }]);
  const isPartlyHidden = hasHiddenChannels(guild);
  return new Map(
    [...uses].map(([roleId, some]) => {
      const offeredAs = new Set(some.map(({ ping }) => ping.offeredAs));
      const trouble = takingTrouble(guild, roleId, { offeredAs, isPartlyHidden });
      return [roleId, trouble ?? ringingTrouble(guild, some)];
    }),
  );
}

/** Why nothing rings a role that members could take; null where something does. */
function ringingTrouble(guild: Guild, uses: readonly Use[]): LocalizedText | null {
  const troubles = uses.map((use) => useTrouble(guild, use));
  return troubles.includes(null) ? null : (troubles[0] ?? null);
}

function useTrouble(guild: Guild, { subscription, ping: { roleId, kinds } }: Use): LocalizedText | null {
  const role = guild.roles.cache.get(roleId);
  const values = { role: `<@&${roleId}>`, channel: `<#${subscription.channelId}>` };
  if (subscription.pausedBy !== null) return message('takePings.paused', values);
  if (kinds.length > 0 && !kinds.some((kind) => subscription.kinds.includes(kind)))
    return message('takePings.otherKinds', values);
  const channel = guild.channels.cache.get(subscription.channelId);
  const { me } = guild.members;
  const isCallable =
    role?.mentionable || !channel || !me || channel.permissionsFor(me).has(PermissionFlagsBits.MentionEveryone);
  return isCallable ? null : message('panel.notCallable', { role: values.role });
}

function takingTrouble(
  guild: Guild,
  roleId: string,
  { offeredAs, isPartlyHidden }: { offeredAs: ReadonlySet<Ping['offeredAs']>; isPartlyHidden: boolean },
): LocalizedText | null {
  const role = guild.roles.cache.get(roleId);
  if (!role) return message('panel.roleGone');
  const trouble = roleTrouble(guild, roleId);
  if (trouble) return trouble;
  const values = { role: `<@&${roleId}>` };
  // Linked roles and those that are sold are no app's, and still Discord alone gives them.
  if (role.tags && Object.keys(role.tags).length > 0) return message('takePings.ofDiscord', values);
  const highest = guild.members.me?.roles.highest;
  if (!highest || role.comparePositionTo(highest) >= 0) return message('takePings.refused', values);
  const added = role.permissions.bitfield & ~guild.roles.everyone.permissions.bitfield;
  if (added !== 0n) return message('takePings.addsPermissions', { ...values, permissions: permissionNames(added) });
  const opened = channelsWith(role);
  if (opened.length > 0)
    return message('takePings.opensChannels', { ...values, channels: opened.slice(0, MOST_NAMED) });
  if (offeredAs.has('made')) return null;
  if (isPartlyHidden) return message('takePings.hiddenChannels', values);
  return offeredAs.has('given') ? null : message('takePings.notGiven', values);
}

/**
 * Mentions of the channels that allow a role anything. What @everyone may do there counts, too: another role, such as one
 * for who is muted, may deny it, and the one that allows it wins.
 */
function channelsWith({ id, guild }: Role): string[] {
  const open = guild.channels.cache.filter(
    (channel) =>
      'permissionOverwrites' in channel && (channel.permissionOverwrites.cache.get(id)?.allow.bitfield ?? 0n) !== 0n,
  );
  return [...open.keys()].map((channelId) => `<#${channelId}>`);
}

/**
 * Whether the server has channels that the bot doesn't see. Discord doesn't tell whom they are open to. A category that the
 * bot doesn't see has no channel that it sees.
 * @see https://docs.discord.com/developers/resources/channel#channel-object-obfuscated-channels
 */
function hasHiddenChannels({ channels, members }: Guild): boolean {
  const { me } = members;
  return channels.cache.some(
    (channel) =>
      channel.type !== ChannelType.GuildCategory &&
      !channel.isThread() &&
      !(me && channel.permissionsFor(me).has(PermissionFlagsBits.ViewChannel)),
  );
}

/**
 * Gives a member a role, or takes it.
 * @param reason for the server's audit log
 * @throws UserError where Discord refuses it
 */
export async function setMemberRole(
  guild: Guild,
  { personId, roleId, has }: { personId: string; roleId: string; has: boolean },
  reason: string,
): Promise<void> {
  const route = Routes.guildMemberRole(guild.id, personId, roleId);
  await refusing(roleId, () => guild.client.rest[has ? 'put' : 'delete'](route, { reason }));
}

/** Makes a role without permissions. Resolves with its id. @throws UserError where Discord refuses it */
export async function createRole(
  guild: Guild,
  role: { name: string; mentionable: boolean },
  reason: string,
): Promise<string> {
  const made = await refusing(null, () => guild.roles.create({ ...role, permissions: [], reason }));
  return made.id;
}

/** Deletes a role; one that is gone already is no error. @throws UserError where Discord refuses it */
export async function deleteRole(guild: Guild, roleId: string, reason: string): Promise<void> {
  try {
    await refusing(roleId, () => guild.roles.delete(roleId, reason));
  } catch (error) {
    if (!(error instanceof UserError && error.localized?.key === 'role.unknown')) throw error;
  }
}

async function refusing<R>(roleId: string | null, run: () => Promise<R>): Promise<R> {
  try {
    return await run();
  } catch (cause) {
    const sentence = sentenceOf(cause, roleId);
    throw sentence ? new UserError(sentence, { cause }) : cause;
  }
}

function sentenceOf(error: unknown, roleId: string | null): LocalizedText | null {
  if (isError(error, RESTJSONErrorCodes.UnknownRole)) return message('role.unknown');
  if (isError(error, RESTJSONErrorCodes.MaximumNumberOfGuildRolesReached)) return message('takePings.tooManyRoles');
  if (!isError(error, RESTJSONErrorCodes.MissingPermissions)) return null;
  return roleId === null ? message('takePings.noManageRoles') : message('takePings.refused', { role: `<@&${roleId}>` });
}
