import { randomUUID } from 'node:crypto';
import { ApplicationCommandOptionType, PermissionFlagsBits } from 'discord-api-types/v10';
import { idOption, requireSubscription } from '../../../commands/options.ts';
import type { ManagerRequest, Subcommand } from '../../../commands/shared.ts';
import { change } from '../../../commands/subscription/save.ts';
import { typedFilter } from '../../../commands/typed-options.ts';
import { ringsIn } from '../../deals/preview.ts';
import { titleOf } from '../../discord/cards/announcement-card.ts';
import { type Card, noticeCard } from '../../discord/cards/parts.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine } from '../../discord/markdown.ts';
import { failureOf } from '../../discord/outcome.ts';
import { knownTarget, mayManageRole, roleTroubles } from '../../discord/permissions.ts';
import { UserError } from '../../shared/errors.ts';
import type { Actions } from './actions.ts';
import { madeRoleCard } from './member-cards.ts';
import { newestRoleId } from './pending-roles.ts';
import { MOST_PINGS, type Ping, pingsOf } from './ping.ts';
import { createRole, deleteRole, lackToGiveRoles, MOST_ROLE_NAME } from './roles.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

const { Subcommand: SUBCOMMAND, String: TEXT } = ApplicationCommandOptionType;
const MOST_EXAMPLES = 3;
/** A filter's room in the audit log, whose reasons have at most 512 characters. */
const MOST_REASON = 200;

/** Makes a role for a filter, and lets a subscription ring it, in one step. */
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
    const { options, guild, services, person } = request;
    const { pendingRoles } = services;
    const found = requireSubscription(options.getString('id', true), request);
    const { filter, noted } = typedFilter(options.getString('filter', true), request);
    if (filter.text === '') throw new UserError(message('makePing.noFilter'));
    if (pingsOf(found).length >= MOST_PINGS) throw new UserError(message('ping.tooMany', { most: MOST_PINGS }));
    const { guild: server } = requireRoleManager(request, null);
    const lack = lackToGiveRoles(guild);
    if (lack) throw new UserError(lack);
    const name = options.getString('name')?.trim() || clamp(filter.text, MOST_ROLE_NAME);
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
    const roleId = await createRole(server, { name, mentionable: !mayMention }, reason).catch(
      async (cause: unknown) => {
        const mayBeMade = !(cause instanceof UserError) && failureOf(cause).kind === 'unknown';
        if (mayBeMade) throw new UserError(message('makePing.unknown'), { cause });
        await pendingRoles.remove(pendingId);
        throw cause;
      },
    );
    const ping: Ping = { roleId, filter: filter.text, kinds: [], offeredAs: 'made' };
    const after = await change(found, (before) => ({ ...before, pings: [...pingsOf(before), ping] }), request).catch(
      async (error: unknown) => {
        await deleteRole(server, roleId, inLog.t('reason.notSaved'));
        await pendingRoles.remove(pendingId);
        throw error;
      },
    );
    await pendingRoles.remove(pendingId);
    const preview = await services.explainer.preview(after);
    const rung = preview.entries.filter(({ roleIds }) => roleIds.includes(roleId));
    const troubles = await roleTroubles(server, [roleId], knownTarget(server, found.channelId));
    const made = {
      roleId,
      subscription: after,
      ping,
      rings: preview.knownSinceMs === null ? null : ringsIn(preview, roleId),
      examples: rung.slice(0, MOST_EXAMPLES).map(({ announcement }) => titleOf(announcement, request.translator)),
      trouble: troubles.get(roleId) ?? null,
    };
    return noted(madeRoleCard(made, request.cardContext));
  },
};

export const makeActions = {
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
