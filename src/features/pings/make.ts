import { randomUUID } from 'node:crypto';
import type { Guild, Role } from 'discord.js';
import { ApplicationCommandOptionType, PermissionFlagsBits } from 'discord-api-types/v10';
import { idOption, requireSubscription } from '../../../commands/options.ts';
import type { ComponentRequest, ManagerRequest, Request, Subcommand } from '../../../commands/shared.ts';
import { change } from '../../../commands/subscription/save.ts';
import { typedAbove, typedFilter } from '../../../commands/typed-options.ts';
import { type Filter, parseFilter } from '../../deals/filter/index.ts';
import { ringsIn } from '../../deals/preview.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { titleOf } from '../../discord/cards/announcement-card.ts';
import { type Card, noticeCard } from '../../discord/cards/parts.ts';
import { requireFilter } from '../../discord/filter-mistake.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { failureOf } from '../../discord/outcome.ts';
import { knownTarget, mayManageRole, requireRole, roleTroubles } from '../../discord/permissions.ts';
import { UserError } from '../../shared/errors.ts';
import { type Actions, act } from './actions.ts';
import { proposedRoleCard, readyRoleCard, type TriedRole } from './member-cards.ts';
import { newestRoleId } from './pending-roles.ts';
import { MOST_PINGS, type Ping, pingsOf } from './ping.ts';
import { createRole, deleteRole, lackToGiveRoles, MOST_ROLE_NAME } from './roles.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

const { Subcommand: SUBCOMMAND, String: TEXT } = ApplicationCommandOptionType;
const MOST_EXAMPLES = 3;
/** A filter's room in the audit log, whose reasons have at most 512 characters. */
const MOST_REASON = 200;

/** Proposes a role for a filter, with what it would have rung; a button makes it, and lets the subscription ring it. */
export const make: Subcommand = {
  data: {
    type: SUBCOMMAND,
    name: 'make',
    ...described('command.pings.make'),
    options: [
      idOption(described('command.pings.make.id')),
      {
        type: TEXT,
        name: 'filter',
        ...described('command.pings.make.filter'),
        required: true,
        max_length: 2000,
        autocomplete: true,
      },
      { type: TEXT, name: 'name', ...described('command.pings.make.name'), max_length: MOST_ROLE_NAME },
    ],
  },
  async execute(request) {
    const { options } = request;
    const found = requireSubscription(options.getString('id', true), request);
    const { filter, noted } = typedFilter(options.getString('filter', true), request);
    const asWords = (words: string) => act({ do: 'propose-ping', subscriptionId: found.id, filter: words });
    return noted(await proposal(found, filter, options.getString('name')?.trim() ?? '', request), asWords);
  },
};

/** @param name the role's; '' for one that tells the filter */
async function proposal(found: Subscription, filter: Filter, name: string, request: ManagerRequest): Promise<Card> {
  const { guild } = requireMakeable(found, filter, request);
  const proposed = {
    name: name || clamp(filter.text, MOST_ROLE_NAME),
    filter: filter.text,
    subscription: found,
    tried: await triedWith({ roleId: NEW_ROLE, filter: filter.text, kinds: [] }, found, request),
    same: roleFor(filter, guild, request),
  };
  return proposedRoleCard(proposed, request.cardContext);
}

/** The id of a role that isn't made yet, to try it on the last seven days. */
const NEW_ROLE = 'new';

/** What the last seven days would have rung a role of a subscription, with this ping besides the others. */
async function triedWith(ping: Ping, found: Subscription, { services, translator }: Request): Promise<TriedRole> {
  const others = pingsOf(found).filter(({ roleId }) => roleId !== ping.roleId);
  const preview = await services.explainer.preview({ ...found, pings: [...others, ping] });
  const rung = preview.entries.filter(({ roleIds }) => roleIds.includes(ping.roleId));
  return {
    rings: preview.knownSinceMs === null ? null : ringsIn(preview, ping.roleId),
    examples: rung.slice(0, MOST_EXAMPLES).map(({ announcement }) => titleOf(announcement, translator)),
  };
}

/** @throws UserError where a subscription can't get a role for a filter, or who asks may not make one */
function requireMakeable(found: Subscription, filter: Filter, request: ManagerRequest) {
  const { services } = request;
  if (filter.text === '') throw new UserError(message('makePing.noFilter'));
  requireRoomFor(filter, found);
  const isBeingMade = services.pendingRoles
    .entries()
    .some(([, pending]) => pending.subscriptionId === found.id && pending.filter === filter.text);
  if (isBeingMade) throw new UserError(message('makePing.unknown'));
  const manager = requireRoleManager(request, null);
  const lack = lackToGiveRoles(request.guild);
  if (lack) throw new UserError(lack);
  return manager;
}

/** @throws UserError where a subscription pings a role for the filter already, or can't ping another one */
function requireRoomFor(filter: Filter, subscription: Subscription): void {
  const pings = pingsOf(subscription);
  const there = pings.find((ping) => isFor(ping, filter));
  if (there) throw new UserError(message('makePing.there', { role: `<@&${there.roleId}>` }));
  if (pings.length >= MOST_PINGS) throw new UserError(message('ping.tooMany', { most: MOST_PINGS }));
}

/**
 * A subscription with another ping, checked as it is when it changes: two people may press at the same time.
 * @throws UserError as `requireRoomFor`, and for a role that is pinged already
 */
function withNewPing(before: Subscription, ping: Ping, filter: Filter): Subscription {
  requireRoomFor(filter, before);
  const pings = pingsOf(before);
  if (pings.some(({ roleId }) => roleId === ping.roleId))
    throw new UserError(message('ping.twice', { role: `<@&${ping.roleId}>` }));
  return { ...before, pings: [...pings, ping] };
}

/** Whether a ping rings for all that a filter takes, and for nothing else. */
function isFor({ filter, kinds }: Ping, { canonical }: Filter): boolean {
  const parsed = parseFilter(filter);
  return kinds.length === 0 && parsed.ok && parsed.filter.canonical === canonical;
}

/** A role of the server that a subscription pings for the filter already; null for none. */
function roleFor(filter: Filter, guild: Guild, { services }: Request): Role | null {
  const same = services.subscriptions
    .ofGuild(guild.id)
    .flatMap((one) => pingsOf(one).filter((ping) => isFor(ping, filter)));
  return same.map(({ roleId }) => guild.roles.cache.get(roleId)).find((role) => role !== undefined) ?? null;
}

/** @throws UserError where the role, or its ping, can't be made */
async function makeRole(found: Subscription, filter: Filter, name: string, request: ManagerRequest): Promise<Ping> {
  const { services, person } = request;
  const { pendingRoles } = services;
  const { guild: server } = requireMakeable(found, filter, request);
  const channel = server.channels.cache.get(found.channelId);
  const me = server.members.me;
  const mayMention = channel && me && channel.permissionsFor(me).has(PermissionFlagsBits.MentionEveryone);
  const inLog = services.translators(server.preferredLocale);
  const reason = inLog.t('reason.madeRole', { person: person.username, filter: clamp(filter.text, MOST_REASON) });
  const pendingId = randomUUID();
  await pendingRoles.save(pendingId, {
    guildId: server.id,
    subscriptionId: found.id,
    name,
    filter: filter.text,
    afterId: newestRoleId(server),
    sinceMs: services.clock.now(),
  });
  const roleId = await createRole(server, { name, mentionable: !mayMention }, reason).catch(async (cause: unknown) => {
    const mayBeMade = !(cause instanceof UserError) && failureOf(cause).kind === 'unknown';
    if (mayBeMade) throw new UserError(message('makePing.unknown'), { cause });
    await pendingRoles.remove(pendingId);
    throw cause;
  });
  const ping: Ping = { roleId, filter: filter.text, kinds: [], offeredAs: 'made' };
  await change(found, (before) => withNewPing(before, ping, filter), request).catch(async (error: unknown) => {
    await deleteRole(server, roleId, inLog.t('reason.notSaved'));
    await pendingRoles.remove(pendingId);
    throw error;
  });
  await pendingRoles.remove(pendingId);
  return ping;
}

/** The card of a role that a subscription pings now. @param isMade whether it was made for that, which can be undone */
async function readyRole(
  subscription: Subscription,
  ping: Ping,
  request: ManagerRequest,
  isMade: boolean,
): Promise<Card> {
  const troubles = await roleTroubles(request.guild, [ping.roleId], knownTarget(request.guild, subscription.channelId));
  const tried = await triedWith(ping, subscription, request);
  const trouble = troubles.get(ping.roleId) ?? null;
  return readyRoleCard({ ping, subscription, tried, trouble, isMade }, request.cardContext);
}

/** The subscription and the filter on the card of a proposed role, checked anew. */
function proposedIn(subscriptionId: string, request: ComponentRequest) {
  const manager = request.asManager();
  const typed = typedAbove(request);
  const filter = requireFilter(typed.get('filter') ?? '');
  return { manager, found: requireSubscription(subscriptionId, manager), filter, name: typed.get('name') ?? '' };
}

export const makeActions = {
  'propose-ping': {
    answer: 'update',
    async run({ subscriptionId, filter }, request) {
      const manager = request.asManager();
      return proposal(requireSubscription(subscriptionId, manager), requireFilter(filter), '', manager);
    },
  },
  'make-ping': {
    answer: 'update',
    async run({ subscriptionId }, request) {
      const { manager, found, filter, name } = proposedIn(subscriptionId, request);
      const ping = await makeRole(found, filter, name || clamp(filter.text, MOST_ROLE_NAME), manager);
      return readyRole(found, ping, manager, true);
    },
  },
  'same-ping': {
    answer: 'update',
    async run({ subscriptionId, roleId }, request) {
      const { manager, found, filter } = proposedIn(subscriptionId, request);
      requireRole(manager.guild, roleId);
      const ping: Ping = { roleId, filter: filter.text, kinds: [] };
      const changed = await change(found, (before) => withNewPing(before, ping, filter), manager);
      return readyRole(changed, ping, manager, false);
    },
  },
  'unmake-ping': {
    answer: 'update',
    async run({ subscriptionId, roleId }, request) {
      const manager = request.asManager();
      const found = requireSubscription(subscriptionId, manager);
      if (!pingsOf(found).some((ping) => ping.roleId === roleId))
        throw new UserError(message('makePing.undoneAlready'));
      const { guild } = requireRoleManager(manager, roleId);
      const name = guild.roles.cache.get(roleId)?.name ?? roleId;
      const inLog = manager.services.translators(guild.preferredLocale);
      // The role goes first: cut off after that, the subscription still says that it can be undone.
      await deleteRole(guild, roleId, inLog.t('reason.undidRole', { person: manager.person.username }));
      await change(
        found,
        (before) => ({ ...before, pings: pingsOf(before).filter((ping) => ping.roleId !== roleId) }),
        manager,
      );
      return undone(name, manager);
    },
  },
} satisfies Actions;

function undone(name: string, { t }: ManagerRequest): Card {
  return noticeCard(t('makePing.undone', { role: `**@${escapeLine(name)}**` }));
}

/** @throws UserError for who may not make roles in the server, or change this one */
function requireRoleManager(request: ManagerRequest, roleId: string | null) {
  const { guild } = request;
  if (!guild || !mayManageRole(guild, request.member, roleId)) throw new UserError(message('makePing.noManageRoles'));
  return { guild };
}
