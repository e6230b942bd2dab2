import type { Guild } from 'discord.js';
import { requireSubscription } from '../../../commands/options.ts';
import type { CommandServices, ManagerRequest } from '../../../commands/shared.ts';
import { panel } from '../../../commands/subscription/panel.ts';
import { change } from '../../../commands/subscription/save.ts';
import { valuesIn } from '../../../commands/subscription/settings.ts';
import {
  checking,
  InputError,
  orMistake,
  type TypedOptions,
  typedAbove,
  typedSinceOpened,
} from '../../../commands/typed-options.ts';
import { KINDS_OF } from '../../announcements/kinds/of-source.ts';
import { ringsIn } from '../../deals/preview.ts';
import { SETTINGS } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { ActionOf } from '../../discord/action-table.ts';
import type { Input } from '../../discord/cards/form-inputs.ts';
import type { Card } from '../../discord/cards/parts.ts';
import type { Handlers } from '../../discord/command.ts';
import { requireFilter } from '../../discord/filter-mistake.ts';
import { message } from '../../discord/i18n/translator.ts';
import { knownTarget, requireRole, roleTroubles } from '../../discord/permissions.ts';
import { UserError } from '../../shared/errors.ts';
import { type Actions, act, type Forms, STEPS } from './actions.ts';
import { pingForm, pingInputs, pingsCard, ringsText } from './cards.ts';
import { requireFewPings } from './field.ts';
import { shownTroubles } from './offered.ts';
import { MOST_PINGS, type Ping, pingsOf, withPing } from './ping.ts';

/** The menu of roles on the panel of a subscription. Those that are there stay as they are, and new ones are for each post. */
export const roleHandlers: Handlers<CommandServices, ActionOf<typeof STEPS>> = {
  table: STEPS,
  actions: {
    subscription: {
      answer: 'update',
      async run({ subscriptionId }, request) {
        const manager = request.asManager();
        const { values, guild } = request;
        const found = requireSubscription(subscriptionId, manager);
        return panel(
          await change(found, (before) => ({ ...before, pings: chosen(values, before, guild) }), manager),
          manager,
        );
      },
    },
  },
};

/** @throws UserError with the reason for which a new role can't be pinged */
function chosen(roleIds: readonly string[], before: Subscription, guild: Guild | null): Ping[] {
  const kept = pingsOf(before).filter(({ roleId }) => roleIds.includes(roleId));
  const added = roleIds.filter((roleId) => !kept.some((ping) => ping.roleId === roleId));
  for (const roleId of added) requireRole(guild, roleId);
  return [...kept, ...added.map((roleId) => ({ roleId, filter: '', kinds: [] }))].slice(0, MOST_PINGS);
}

/** Each checks anew that the person manages the server and that the subscription belongs to it. */
export const pingActions = {
  'ping-filter': {
    answer: 'update',
    async run({ subscriptionId, roleId, filter: written }, request) {
      const manager = request.asManager();
      const filter = requireFilter(written).text;
      const alter = (before: Subscription) => {
        const ping = pingsOf(before).find((other) => other.roleId === roleId);
        if (!ping) throw new UserError(message('makePing.undoneAlready'));
        return { ...before, pings: withPing(pingsOf(before), { ...ping, filter }, roleId) };
      };
      return pings(await change(requireSubscription(subscriptionId, manager), alter, manager), manager, roleId);
    },
  },
  pings: {
    answer: 'update',
    async run({ subscriptionId }, request) {
      const manager = request.asManager();
      return pings(requireSubscription(subscriptionId, manager), manager);
    },
  },
  ping: {
    answer: 'update',
    async run({ subscriptionId, roleId }, request) {
      const manager = request.asManager();
      const found = requireSubscription(subscriptionId, manager);
      const typed = typedAbove(request);
      const inputsWith = (shown: Ping) => inputsOf(found, roleId, shown, manager);
      const present = inputsWith(storedPing(found, roleId));
      const inputs = typed.size > 0 ? inputsWith(pingFrom(typed, found, typed.get('filter') ?? '')) : present;
      return pingForm(subscriptionId, roleId, { inputs, present }, manager.translator);
    },
  },
} satisfies Actions;

export const pingForms = {
  ping: {
    answer: 'update',
    async run(action, request) {
      const manager = request.asManager();
      const found = requireSubscription(action.subscriptionId, manager);
      const present = inputsOf(found, action.roleId, storedPing(found, action.roleId), manager);
      const { typed: written, requireNoClash } = typedSinceOpened(request, present);
      const mistake = { fix: action, typed: written, subscriptionId: found.id };
      return orMistake(mistake, manager, async (typed) => {
        requireNoClash();
        const roleId = typed.get('role') ?? '';
        const after = await change(found, await alterationBy(typed, action.roleId, found, manager), manager);
        const answer = await pings(after, manager, roleId === '' ? null : roleId);
        const asWords = (filter: string) => act({ do: 'ping-filter', subscriptionId: after.id, roleId, filter });
        return { answer, asWords };
      });
    },
  },
} satisfies Forms;

/** The ping that a form changes, as it is now; an empty one where there is none. */
function storedPing(found: Subscription, roleId: string | null): Ping {
  return pingsOf(found).find((ping) => ping.roleId === roleId) ?? { roleId: '', filter: '', kinds: [] };
}

function inputsOf(found: Subscription, roleId: string | null, shown: Ping, { translator }: ManagerRequest): Input[] {
  const [example = ''] = FILTER.map(({ form }) => form.example);
  return pingInputs(found, roleId, shown, { example, translator });
}

/**
 * The change that a form makes to a subscription.
 * @param formerId the role of the ping that the form changes; null for a new one
 * @throws InputError where the ping can't be as it says
 */
async function alterationBy(
  typed: TypedOptions,
  formerId: string | null,
  found: Subscription,
  { guild }: ManagerRequest,
): Promise<(before: Subscription) => Subscription> {
  const { filter = '' } = valuesIn(typed, FILTER);
  const ping = pingFrom(typed, found, filter);
  const { roleId } = ping;
  if (roleId === '') {
    if (formerId === null) throw new InputError(['role'], message('ping.noRole'));
    return (before) => ({ ...before, pings: pingsOf(before).filter((other) => other.roleId !== formerId) });
  }
  await checking('role', () => requireRole(guild, roleId));
  return (before) => {
    if (roleId !== formerId && pingsOf(before).some((other) => other.roleId === roleId)) {
      throw new InputError(['role'], message('ping.twice', { role: `<@&${roleId}>` }));
    }
    const after = withPing(pingsOf(before), ping, formerId);
    requireFewPings('role', after);
    return { ...before, pings: after };
  };
}

const FILTER = SETTINGS.filter((setting) => setting.kind === 'filter');

/** @param filter a valid one, or what was typed */
function pingFrom(typed: TypedOptions, { source }: Subscription, filter: string): Ping {
  const chosen = (typed.get('kinds') ?? '').split(',');
  const kinds = KINDS_OF[source.kind].all.filter((kind) => chosen.includes(kind));
  return { roleId: typed.get('role') ?? '', filter, kinds };
}

/** The card of a subscription's pings, with what the last seven days would have rung. @param triedId the role to begin with */
async function pings(
  subscription: Subscription,
  request: ManagerRequest,
  triedId: string | null = null,
): Promise<Card> {
  const { services, guild, translator, cardContext } = request;
  const roleIds = pingsOf(subscription).map(({ roleId }) => roleId);
  const preview = await services.explainer.preview(subscription);
  const rings =
    preview.knownSinceMs === null ? null : new Map(roleIds.map((roleId) => [roleId, ringsIn(preview, roleId)]));
  const troubles = new Map([
    ...shownTroubles(subscription, guild, services),
    ...(await roleTroubles(guild, roleIds, knownTarget(guild, subscription.channelId))),
  ]);
  const lead = triedId === null ? '' : `✅ <@&${triedId}> · ${ringsText(rings?.get(triedId), translator)}`;
  return pingsCard({ subscription, rings, troubles }, lead, cardContext);
}
