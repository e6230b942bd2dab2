import { randomUUID } from 'node:crypto';
import type { Interaction } from 'discord.js';
import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import type { Modal } from '../../src/bot/discord/command.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import { ANNOUNCEABLE_CHANNELS, requirePostable, requireTarget } from '../../src/bot/discord/permissions.ts';
import type { CommandServices } from '../shared.ts';
import { idOption, requireSubscription } from './id-option.ts';
import { optionsForm, orMistake } from './mistakes.ts';
import { panel } from './panel.ts';
import { change, requireUnique } from './save.ts';
import { SETTING_OPTIONS, settingsFrom } from './settings.ts';
import type { Subcommand } from './subcommand.ts';
import { checking, type TypedOptions, typedIn } from './typed-options.ts';

const OPTIONS: readonly APIApplicationCommandBasicOption[] = [
  {
    type: ApplicationCommandOptionType.Channel,
    name: 'channel',
    ...described('command.subscription.edit.channel'),
    channel_types: [...ANNOUNCEABLE_CHANNELS],
  },
  ...SETTING_OPTIONS,
];

export const edit: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'edit',
    ...described('command.subscription.edit'),
    options: [idOption('command.subscription.edit.id'), ...OPTIONS],
  },

  async execute(interaction, guildId, shared, translator) {
    const found = requireSubscription(interaction.options.getString('id', true), guildId, shared.subscriptions);
    return editWith(found, typedIn(interaction), interaction, shared, translator);
  },
};

/** The form of options with a mistake. */
export function editForm({ id }: Subscription, typed: TypedOptions, translator: Translator): Modal {
  const action = { do: 'subscription', step: 'edit-again', subscriptionId: id } as const;
  return optionsForm(action, OPTIONS, typed, translator);
}

/** Changes the settings that have an option; of options with a mistake, a card keeps all of them. */
export async function editWith(
  before: Subscription,
  typed: TypedOptions,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  // The id alone opens the panel, even where the channel is gone.
  if (typed.size === 0) return panel(before, interaction, shared, translator);
  const fix = { do: 'subscription', step: 'edit-again', subscriptionId: before.id } as const;
  return orMistake({ fix, typed, subscriptionId: before.id }, shared, translator, async () => {
    const channelId = typed.get('channel') ?? before.channelId;
    const where = await checking('channel', () => requireTarget(interaction, channelId));
    const alter = await settingsFrom(typed, interaction, where);
    if (channelId === before.channelId) {
      const after = await change(before, alter, shared, translator);
      return panel(after, interaction, shared, translator, translator.t('subscription.saved'));
    }
    await checking('channel', () => requirePostable(interaction, where));
    const { subscriptions } = shared;
    const moved = movedTo(alter(before));
    await subscriptions.apply(() => {
      requireUnique(moved, subscriptions, translator);
      return { saved: [moved], removed: [before.id] };
    });
    const told = { from: `<#${before.channelId}>`, to: `<#${channelId}>` };
    return panel(moved, interaction, shared, translator, translator.t('subscription.moved', told));
  });
}

/** Moving to another channel gives the subscription a new id, so that pending posts for the old channel are dropped. */
function movedTo(subscription: Subscription): Subscription {
  const pausedBy = subscription.pausedBy === 'gone' ? null : subscription.pausedBy;
  return { ...subscription, id: randomUUID(), problem: null, pausedBy };
}
