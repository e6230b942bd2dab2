import type { Guild } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { ownPingsCard } from '../../src/discord/cards/member-pings-card.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { lackToGiveRoles, setMemberRole } from '../../src/discord/roles.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { Command, Request } from '../shared.ts';
import { offeredPings, offeredRoles } from './offered.ts';

/** The most changes that one person makes in so many milliseconds. */
const MOST_CHANGES = 10;
const PER_MS = 10_000;
const MOST_PEOPLE = 10_000;

/** The moments of each person's last changes: epoch milliseconds. */
const changes = new LRUCache<string, readonly number[]>({ max: MOST_PEOPLE });

/** Each looks anew at which roles are offered, in the server from which it comes. */
export const takeActions = {
  'toggle-pings': {
    answer: 'private',
    async run(_, request) {
      const guild = requireGuild(request);
      const chosen = new Set(request.values);
      const offered = requireOffered(guild, [...chosen], request);
      const own = new Set(request.roleIds);
      return setRoles(guild, request, (roleId) => (chosen.has(roleId) ? !own.has(roleId) : own.has(roleId)), offered);
    },
  },
  'set-pings': {
    answer: 'update',
    async run(_, request) {
      const guild = requireGuild(request);
      const offered = requireOffered(guild, request.values, request);
      return setRoles(guild, request, (roleId) => request.values.includes(roleId), offered);
    },
  },
} satisfies Command['actions'];

/** A member's own pings. */
export async function ownPings(request: Request): Promise<Card> {
  const guild = requireGuild(request);
  const offered = await offeredPings(guild, request.services);
  return ownPingsCard({ offered, ownIds: request.roleIds, taken: [], left: [] }, request.cardContext);
}

/** @throws UserError outside of a server of the bot */
function requireGuild({ guild }: Pick<Request, 'guild'>): Guild {
  if (!guild) throw new UserError(message('permission.serverOnly'));
  return guild;
}

/** The roles that are offered. @throws UserError where one that was chosen is not, any more or ever */
function requireOffered(guild: Guild, chosen: readonly string[], { services }: Request): string[] {
  const offered = offeredRoles(guild, services);
  if (chosen.some((roleId) => !offered.includes(roleId))) throw new UserError(message('takePings.notOffered'));
  return offered;
}

/** Gives and takes offered roles until the person has those that they want. Other roles stay as they are. */
async function setRoles(
  guild: Guild,
  request: Request,
  isWanted: (roleId: string) => boolean,
  offered: readonly string[],
): Promise<Card> {
  const { person, services, cardContext } = request;
  const own = new Set(request.roleIds);
  const toChange = offered.filter((roleId) => isWanted(roleId) !== own.has(roleId));
  const lack = lackToGiveRoles(guild);
  if (lack && toChange.length > 0) throw new UserError(lack);
  count(`${guild.id} ${person.id}`, toChange.length, cardContext.nowMs);
  for (const roleId of toChange) {
    const has = !own.has(roleId);
    // The server's moderators read it in the language of the server's log: Discord's own is English.
    await setMemberRole(guild, { personId: person.id, roleId, has }, `${person.username} chose their pings`);
    if (has) own.add(roleId);
    else own.delete(roleId);
  }
  return ownPingsCard(
    {
      offered: await offeredPings(guild, services),
      ownIds: [...own],
      taken: toChange.filter((roleId) => own.has(roleId)),
      left: toChange.filter((roleId) => !own.has(roleId)),
    },
    cardContext,
  );
}

/** @throws UserError where that makes more than ten changes in ten seconds */
function count(who: string, more: number, nowMs: number): void {
  const lately = (changes.get(who) ?? []).filter((atMs) => atMs > nowMs - PER_MS && atMs <= nowMs);
  if (lately.length + more > MOST_CHANGES) throw new UserError(message('takePings.tooFast', { most: MOST_CHANGES }));
  changes.set(who, [...lately, ...Array.from({ length: more }, () => nowMs)]);
}
