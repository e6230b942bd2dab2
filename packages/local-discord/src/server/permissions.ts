import type { APIGuildMember } from 'discord-api-types/v10';
import { DiscordError } from './discord-error.ts';
import { PERMISSION } from './numbers.ts';
import { type Guild, IDS, type WorldChannel } from './seed.ts';
import { isDirect, isThread, type World } from './world.ts';

/** The permissions of both people in a direct channel; nobody can take any of them away. */
const IN_DIRECT =
  PERMISSION.viewChannel |
  PERMISSION.sendMessages |
  PERMISSION.embedLinks |
  PERMISSION.attachFiles |
  PERMISSION.readMessageHistory |
  PERMISSION.addReactions |
  PERMISSION.sendPolls |
  PERMISSION.mentionEveryone |
  PERMISSION.useExternalEmojis |
  PERMISSION.pinMessages |
  PERMISSION.useApplicationCommands;

const EVERYTHING = (1n << 53n) - 1n;

/**
 * The permissions that roles alone allow: https://discord.com/developers/docs/topics/permissions#permission-overwrites
 */
export function basePermissions({ guild, roles }: Guild, memberId: string, member: APIGuildMember): bigint {
  if (guild.owner_id === memberId) return EVERYTHING;
  let allowed = 0n;
  for (const roleId of [guild.id, ...member.roles]) {
    allowed |= BigInt(roles.get(roleId)?.permissions ?? 0);
  }
  return allowed & PERMISSION.administrator ? EVERYTHING : allowed;
}

/** The permissions of a member in a channel; a thread uses its parent's overwrites. */
export function permissionsIn(world: World, memberId: string, channel: WorldChannel): bigint {
  if (isDirect(channel)) {
    const isIn = memberId === IDS.application || channel.recipients?.some(({ id }) => id === memberId);
    return isIn ? IN_DIRECT : 0n;
  }
  const at = world.guildAt(channel);
  const member = at.members.get(memberId);
  if (!member || (memberId === IDS.application && at === world.first && world.membership !== 'member')) return 0n;
  let allowed = basePermissions(at, memberId, member);
  if (allowed === EVERYTHING) return allowed;
  const parent = isThread(channel) ? world.findChannel(channel.parent_id ?? '') : channel;
  const overwrites = (parent && 'permission_overwrites' in parent && parent.permission_overwrites) || [];
  const apply = (ids: readonly string[]) => {
    const matching = overwrites.filter((overwrite) => ids.includes(overwrite.id));
    for (const overwrite of matching) allowed &= ~BigInt(overwrite.deny);
    for (const overwrite of matching) allowed |= BigInt(overwrite.allow);
  };
  apply([at.guild.id]);
  apply(member.roles);
  apply([memberId]);
  return allowed;
}

/** Whether the member can see the channel and has all of `needed` there. */
export function isAllowed(world: World, memberId: string, channel: WorldChannel, needed: bigint): boolean {
  const all = needed | PERMISSION.viewChannel;
  return (permissionsIn(world, memberId, channel) & all) === all;
}

/** @throws DiscordError 50001 when the channel can't be seen, 50013 when one of `needed` is missing */
export function requirePermissions(world: World, memberId: string, channel: WorldChannel, needed: bigint): void {
  if (!isAllowed(world, memberId, channel, 0n)) throw new DiscordError('missingAccess');
  if (!isAllowed(world, memberId, channel, needed)) throw new DiscordError('missingPermissions');
}

/** The permission needed to send messages in a channel. */
export function sendingPermission(channel: WorldChannel): bigint {
  return isThread(channel) ? PERMISSION.sendMessagesInThreads : PERMISSION.sendMessages;
}
