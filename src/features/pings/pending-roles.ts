import type { Guild, Role } from 'discord.js';
import type { Translators } from '../../discord/i18n/translator.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Records } from '../../store/store.ts';
import { rungRoles } from './offered.ts';
import { MOST_PINGS, type Ping, pingsOf } from './ping.ts';
import type { PendingRole } from './records.ts';
import { deleteRole } from './roles.ts';

/** The longest time from the record of a role to the end of its making: milliseconds. Then no request is on its way. */
const MADE_WITHIN_MS = 2 * MINUTE_MS;

interface Parts {
  store: Records;
  /** The server as the gateway describes it. */
  guildOf: (guildId: string) => Guild | undefined;
  translators: Translators;
  nowMs: number;
}

/** The id of the server's newest role, as its ids go. */
export function newestRoleId({ roles }: Guild): string {
  return [...roles.cache.keys()].reduce((newest, id) => (BigInt(id) > BigInt(newest) ? id : newest));
}

/**
 * Puts roles to their use whose making was cut off: the subscription rings them. A role that it can't ring any more is
 * deleted.
 */
export async function settlePendingRoles(parts: Parts): Promise<void> {
  const { store, guildOf, nowMs } = parts;
  const { pendingRoles } = store;
  for (const [id, pending] of pendingRoles.entries()) {
    const guild = guildOf(pending.guildId);
    if (isBeingMade(pending, nowMs) || guild?.available === false) continue;
    const role = guild && madeFor(pending, guild, parts);
    if (role) await use(role, pending, parts);
    await pendingRoles.remove(id);
  }
}

/** Whether the role may still be on its way. A record of the future, by a clock that was set back since, tells nothing. */
const isBeingMade = ({ sinceMs }: PendingRole, nowMs: number) => Math.abs(nowMs - sinceMs) < MADE_WITHIN_MS;

/** The role that was made and nothing rings yet; undefined where none was made. */
function madeFor({ name, afterId }: PendingRole, guild: Guild, { store }: Parts): Role | undefined {
  const rung = rungRoles(guild.id, store.subscriptions);
  return guild.roles.cache.find(
    (role) =>
      role.name === name &&
      BigInt(role.id) > BigInt(afterId) &&
      role.permissions.bitfield === 0n &&
      !role.managed &&
      !rung.includes(role.id),
  );
}

async function use(
  role: Role,
  { subscriptionId, filter }: PendingRole,
  { store: { subscriptions }, translators }: Parts,
): Promise<void> {
  const ping: Ping = { roleId: role.id, filter, kinds: [], offeredAs: 'made' };
  await subscriptions.update(subscriptionId, (before) => {
    const pings = pingsOf(before);
    const hasRoom = pings.length < MOST_PINGS && !pings.some((other) => other.filter === filter);
    return hasRoom ? { ...before, pings: [...pings, ping] } : before;
  });
  if (subscriptions.get(subscriptionId)?.pings?.some(({ roleId }) => roleId === role.id)) return;
  await deleteRole(role.guild, role.id, translators(role.guild.preferredLocale).t('reason.notSaved'));
}
