import { randomUUID } from 'node:crypto';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import { ANNOUNCEABLE_CHANNELS, requirePostable, requireTarget } from '../../src/bot/discord/permissions.ts';
import { idOption, requireSubscription } from './id-option.ts';
import { panel } from './panel.ts';
import { change, requireUnique } from './save.ts';
import { SETTING_OPTIONS, settingsFrom } from './settings.ts';
import type { Subcommand } from './subcommand.ts';

export const edit: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'edit',
    ...described('command.subscription.edit'),
    options: [
      idOption('command.subscription.edit.id'),
      {
        type: ApplicationCommandOptionType.Channel,
        name: 'channel',
        ...described('command.subscription.edit.channel'),
        channel_types: [...ANNOUNCEABLE_CHANNELS],
      },
      ...SETTING_OPTIONS,
    ],
  },

  async execute(interaction, guildId, shared, translator) {
    const { options } = interaction;
    const { subscriptions } = shared;
    const before = requireSubscription(options.getString('id', true), guildId, subscriptions);
    // The id alone opens the panel, even where the channel is gone.
    if (options.data[0]?.options?.length === 1) return panel(before, interaction, shared, translator);
    const channelId = options.getChannel('channel')?.id ?? before.channelId;
    const where = await requireTarget(interaction, channelId);
    const alter = settingsFrom(interaction, where);
    if (channelId === before.channelId) {
      const after = await change(before, alter, shared, translator);
      return panel(after, interaction, shared, translator, translator.t('subscription.saved'));
    }
    await requirePostable(interaction, where);
    const moved = movedTo(alter(before));
    await subscriptions.save(moved, () => requireUnique(moved, subscriptions, translator));
    await subscriptions.remove(before.id);
    const told = { from: `<#${before.channelId}>`, to: `<#${channelId}>` };
    return panel(moved, interaction, shared, translator, translator.t('subscription.moved', told));
  },
};

/** Moving to another channel gives the subscription a new id, so that pending posts for the old channel are dropped. */
function movedTo(subscription: Subscription): Subscription {
  const pausedBy = subscription.pausedBy === 'gone' ? null : subscription.pausedBy;
  return { ...subscription, id: randomUUID(), problem: null, pausedBy };
}
