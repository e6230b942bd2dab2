import { type Guild, GuildMember, PermissionFlagsBits, Routes } from 'discord.js';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { type LocalizedText, UserError } from '../shared/errors.ts';
import { message } from './i18n/translator.ts';
import { isError } from './outcome.ts';
import { roleTrouble } from './permissions.ts';

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

/**
 * Why members can't take a role themselves; null where they can. A role that opens channels may be one that a server's team
 * gives: members must not get in by themselves.
 */
export function takingTrouble(guild: Guild | null, roleId: string): LocalizedText | null {
  if (!guild?.roles.cache.has(roleId)) return message('panel.roleGone');
  const trouble = roleTrouble(guild, roleId);
  if (trouble) return trouble;
  const opens = guild.channels.cache.some(
    (channel) =>
      'permissionOverwrites' in channel &&
      (channel.permissionOverwrites.cache.get(roleId)?.allow.bitfield ?? 0n) !== 0n,
  );
  return opens ? message('takePings.opensChannels', { role: `<@&${roleId}>` }) : null;
}

/** Whether a person may make roles, and change one: by Discord's own rule, theirs is above it, or the server is theirs. */
export function mayManageRole(guild: Guild | null, member: unknown, roleId: string | null): boolean {
  if (!guild || !(member instanceof GuildMember)) return false;
  if (guild.ownerId === member.id) return true;
  if (!member.permissions.has(PermissionFlagsBits.ManageRoles)) return false;
  const role = roleId === null ? undefined : guild.roles.cache.get(roleId);
  return role === undefined || role.comparePositionTo(member.roles.highest) < 0;
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
