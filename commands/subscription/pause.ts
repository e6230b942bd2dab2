import type { Interaction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import type { CommandServices } from '../shared.ts';
import { idOption, requireSubscription } from './id-option.ts';
import { panel } from './panel.ts';
import { change } from './save.ts';
import type { Subcommand } from './subcommand.ts';

export const pause: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'pause',
    ...described('command.subscription.pause'),
    options: [idOption('command.subscription.pause.id')],
  },
  async execute(interaction, guildId, shared, translator) {
    const found = requireSubscription(interaction.options.getString('id', true), guildId, shared.subscriptions);
    return pauseNow(found, interaction, shared, translator);
  },
};

/** Pauses a subscription until somebody resumes it. */
export async function pauseNow(
  subscription: Subscription,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const paused = await change(
    subscription,
    (current) => ({ ...current, pausedBy: current.pausedBy ?? 'person' }),
    shared,
    translator,
  );
  return panel(paused, interaction, shared, translator);
}
