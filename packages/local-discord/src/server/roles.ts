import type { APIRole } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.ts';
import { PERMISSION } from './numbers.ts';
import { basePermissions } from './permissions.ts';
import { type Guild, IDS } from './seed.ts';

/** The most roles of a server, @everyone among them: https://discord.com/developers/docs/topics/opcodes-and-status-codes */
export const MOST_ROLES = 250;

/** @throws DiscordError 10011 */
export function roleOf({ roles }: Guild, roleId: string): APIRole {
  const role = roles.get(roleId);
  if (!role) throw new DiscordError('unknownRole');
  return role;
}

/**
 * The bot may manage roles below its own highest one: https://discord.com/developers/docs/topics/permissions#permission-hierarchy
 * @throws DiscordError 50013
 */
export function requireManageRoles(at: Guild, role?: APIRole): void {
  const bot = at.members.get(IDS.application);
  const allowed = bot ? basePermissions(at, IDS.application, bot) : 0n;
  if (!(allowed & PERMISSION.manageRoles)) throw new DiscordError('missingPermissions');
  const positions = bot?.roles.map((id) => at.roles.get(id)?.position ?? 0) ?? [];
  if (role && role.position >= Math.max(0, ...positions)) throw new DiscordError('missingPermissions');
}

/** Nobody can give away what they lack. @throws DiscordError 50013 */
export function requireOwned(at: Guild, permissions: bigint): void {
  const bot = at.members.get(IDS.application);
  if (!bot || permissions & ~basePermissions(at, IDS.application, bot)) {
    throw new DiscordError('missingPermissions');
  }
}

/** @everyone, and roles of bots and integrations, are nobody's to give. @throws DiscordError 50028 */
export function requireAssignable({ guild }: Guild, role: APIRole): void {
  if (role.id === guild.id || role.managed) throw new DiscordError('invalidRole');
}
