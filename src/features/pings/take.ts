import type { Guild } from 'discord.js';
import type { Request } from '../../../commands/shared.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { message } from '../../discord/i18n/translator.ts';
import { failureOf } from '../../discord/outcome.ts';
import { type LocalizedText, UserError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Actions } from './actions.ts';
import { ownPingsCard } from './member-cards.ts';
import { offeredPings, offeredRoles } from './offered.ts';
import { lackToGiveRoles, setMemberRole } from './roles.ts';

/** Each looks anew at which roles are offered, in the server from which it comes. */
export const takeActions = {
  'toggle-pings': {
    answer: 'private',
    async run(_, request) {
      // Who takes their choice back has chosen nothing.
      if (request.values.length === 0) return ownPings(request);
      const guild = requireGuild(request);
      const chosen = new Set(request.values);
      const offered = requireOffered(guild, [...chosen], request);
      const own = new Set(request.roleIds);
      return setRoles(guild, request, (roleId) => (chosen.has(roleId) ? !own.has(roleId) : own.has(roleId)), offered);
    },
  },
  'set-pings': {
    answer: 'update',
    async run({ menu }, request) {
      const guild = requireGuild(request);
      // The person has decided about the roles that the menu shows, and about no others.
      const shown = requireOffered(guild, request.values, request).filter((roleId) => request.shown.includes(roleId));
      return setRoles(guild, request, (roleId) => request.values.includes(roleId), shown, menu);
    },
  },
  'my-pings': { answer: 'private', run: (_, request) => ownPings(request) },
  'pings-page': { answer: 'update', run: ({ page }, request) => ownPings(request, page) },
} satisfies Actions;

/** A member's own pings. */
export async function ownPings(request: Request, page = 1): Promise<Card> {
  const guild = requireGuild(request);
  const offered = await offeredPings(guild, request.services, request.cardContext.nowMs);
  return ownPingsCard(
    { offered, ownIds: request.roleIds, taken: [], left: [], troubles: [], page },
    request.cardContext,
  );
}

/** @throws UserError outside of a server of the bot */
function requireGuild({ guild }: Request): Guild {
  if (!guild) throw new UserError(message('permission.serverOnly'));
  return guild;
}

/** The roles that are offered. @throws UserError where one that was chosen is not, any more or ever */
function requireOffered(guild: Guild, chosen: readonly string[], { services }: Request): string[] {
  const offered = offeredRoles(guild, services.subscriptions);
  if (chosen.some((roleId) => !offered.includes(roleId))) throw new UserError(message('takePings.notOffered'));
  return offered;
}

/** Gives and takes offered roles until the person has those that they want. Other roles stay as they are. */
async function setRoles(
  guild: Guild,
  request: Request,
  isWanted: (roleId: string) => boolean,
  offered: readonly string[],
  page = 1,
): Promise<Card> {
  const { person, services, cardContext } = request;
  const own = new Set(request.roleIds);
  const toChange = offered.filter((roleId) => isWanted(roleId) !== own.has(roleId));
  const lack = lackToGiveRoles(guild);
  if (lack && toChange.length > 0) throw new UserError(lack);
  services.roleChanges.count(person.id, toChange.length, cardContext.nowMs);
  const reason = services.translators(guild.preferredLocale).t('reason.chosePings', { person: person.username });
  const changed: string[] = [];
  const troubles: LocalizedText[] = [];
  for (const roleId of toChange) {
    const has = !own.has(roleId);
    try {
      await setMemberRole(guild, { personId: person.id, roleId, has }, reason);
    } catch (error) {
      // One role keeps no others from being changed.
      troubles.push(troubleOf(error, roleId, services.log));
      continue;
    }
    changed.push(roleId);
    if (has) own.add(roleId);
    else own.delete(roleId);
  }
  return ownPingsCard(
    {
      offered: await offeredPings(guild, services, cardContext.nowMs),
      ownIds: [...own],
      taken: changed.filter((roleId) => own.has(roleId)),
      left: changed.filter((roleId) => !own.has(roleId)),
      troubles,
      page,
    },
    cardContext,
  );
}

/** Why a role could not be changed, for the person. */
function troubleOf(error: unknown, roleId: string, log: Log): LocalizedText {
  if (error instanceof UserError && error.localized) return error.localized;
  log.warn({ role: roleId, reason: failureOf(error).reason }, "a member's role was not changed");
  return message('takePings.unchanged', { role: `<@&${roleId}>` });
}

/** The most changes that one person makes in so many milliseconds. */
export const MOST_CHANGES = 10;
const PER_MS = 10_000;
/** Above this many people, those who changed nothing lately are dropped. */
const MOST_KEPT = 1_000;

/** Counts what each person changes. */
export class RoleChanges {
  /** The moments of each person's changes in the last ten seconds, oldest first: epoch milliseconds. */
  readonly #changes = new Map<string, readonly number[]>();

  /** @throws UserError where that makes more than ten changes in ten seconds; then none is counted */
  count(personId: string, more: number, nowMs: number): void {
    const isLate = (atMs: number) => atMs > nowMs - PER_MS && atMs <= nowMs;
    const lately = (this.#changes.get(personId) ?? []).filter(isLate);
    if (lately.length + more > MOST_CHANGES) throw new UserError(message('takePings.tooFast', { most: MOST_CHANGES }));
    this.#changes.set(personId, [...lately, ...Array.from({ length: more }, () => nowMs)]);
    if (this.#changes.size <= MOST_KEPT) return;
    for (const [id, moments] of this.#changes) if (!moments.some(isLate)) this.#changes.delete(id);
  }
}
