import { randomUUID } from 'node:crypto';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Setting } from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { formatTimeOfDay } from '../../src/deals/time-of-day.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import type { Modal } from '../../src/discord/command.ts';
import { requireFilter } from '../../src/discord/filter-mistake.ts';
import { described } from '../../src/discord/i18n/command-words.ts';
import { ANNOUNCEABLE_CHANNELS, requirePostable, requireTarget } from '../../src/discord/permissions.ts';
import { idOption, requireSubscription } from '../options.ts';
import type { Command, ManagerRequest, Subcommand } from '../shared.ts';
import { checking, optionsForm, orMistake, type TypedOptions, typedIn } from '../typed-options.ts';
import { panel } from './panel.ts';
import { change, requireUnique, savedBy } from './save.ts';
import { settingOptions, settingsFrom } from './settings.ts';

function optionsOf(settings: readonly Setting[]): readonly APIApplicationCommandBasicOption[] {
  return [
    {
      type: ApplicationCommandOptionType.Channel,
      name: 'channel',
      ...described('command.subscription.edit.channel'),
      channel_types: [...ANNOUNCEABLE_CHANNELS],
    },
    ...settingOptions(null, settings),
  ];
}

export function editSubcommand(settings: readonly Setting[]): Subcommand {
  return {
    data: {
      type: ApplicationCommandOptionType.Subcommand,
      name: 'edit',
      ...described('command.subscription.edit'),
      options: [idOption(described('command.subscription.edit.id')), ...optionsOf(settings)],
    },

    async execute(request) {
      const found = requireSubscription(request.options.getString('id', true), request);
      return editWith(found, typedIn(request), request);
    },
  };
}

/** The form of options with a mistake. */
export function editForm({ id }: Subscription, typed: TypedOptions, { services, translator }: ManagerRequest): Modal {
  const action = { do: 'subscription', step: 'edit-again', subscriptionId: id } as const;
  return optionsForm(action, optionsOf(services.settings), typed, translator);
}

/** Changes the settings that have an option; of options with a mistake, a card keeps all of them. */
export async function editWith(before: Subscription, written: TypedOptions, request: ManagerRequest): Promise<Card> {
  const { guild, services, t } = request;
  // The id alone opens the panel, even where the channel is gone.
  if (written.size === 0) return panel(before, request);
  const fix = { do: 'subscription', step: 'edit-again', subscriptionId: before.id } as const;
  return orMistake({ fix, typed: written, subscriptionId: before.id }, request, async (typed) => {
    const channelId = typed.get('channel') ?? before.channelId;
    const where = await checking('channel', () => requireTarget(guild, channelId));
    const alter = await settingsFrom(typed, before.source.kind, services, guild, where);
    if (channelId === before.channelId) {
      const after = await change(before, alter, request);
      // A time is that of a daily digest, which nobody has asked for by its name.
      const isNowDaily = before.timing.mode !== 'daily' && after.timing.mode === 'daily' && !typed.has('mode');
      const at = formatTimeOfDay(after.timing.dailyAtMinute);
      const answer = await panel(
        after,
        request,
        isNowDaily ? t('subscription.nowDaily', { at }) : t('subscription.saved'),
      );
      return { answer, asWords: filterTo(after.id) };
    }
    await checking('channel', () => requirePostable(guild, channelId));
    const { subscriptions } = services;
    const moved = movedTo(savedBy(alter(before), request));
    await subscriptions.apply(() => {
      requireUnique(moved, request);
      return { saved: [moved], removed: [before.id] };
    });
    const values = { from: `<#${before.channelId}>`, to: `<#${channelId}>` };
    return { answer: await panel(moved, request, t('subscription.moved', values)), asWords: filterTo(moved.id) };
  });
}

/** Moving to another channel gives the subscription a new id, so that pending posts for the old channel are dropped. */
function movedTo(subscription: Subscription): Subscription {
  const pausedBy = subscription.pausedBy === 'gone' ? null : subscription.pausedBy;
  return { ...subscription, id: randomUUID(), problem: null, pausedBy };
}

/** The button that gives a subscription another filter. */
export const filterTo = (subscriptionId: string) => (filter: string) =>
  ({ do: 'refilter', subscriptionId, filter }) as const;

export const filterActions = {
  refilter: {
    answer: 'update',
    async run({ subscriptionId, filter: written }, request) {
      const manager = request.asManager();
      const filter = requireFilter(written).text;
      const found = requireSubscription(subscriptionId, manager);
      return panel(await change(found, (before) => ({ ...before, filter }), manager), manager);
    },
  },
} satisfies Command['actions'];
