import type { Interaction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { removedCard } from '../../src/bot/discord/cards/subscription-card.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import type { CommandServices } from '../shared.ts';
import { idOption, requireSubscription } from './id-option.ts';
import { viewOf } from './panel.ts';
import type { Subcommand } from './subcommand.ts';

export const remove: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'remove',
    ...described('command.subscription.remove'),
    options: [idOption('command.subscription.remove.id')],
  },
  async execute(interaction, guildId, shared, translator) {
    const found = requireSubscription(interaction.options.getString('id', true), guildId, shared.subscriptions);
    return unsubscribe(found, interaction, shared, translator);
  },
};

/** Removes a subscription. The answer lists its settings, so that it can be created again. */
export async function unsubscribe(
  subscription: Subscription,
  interaction: Interaction,
  { subscriptions, deliverer, clock }: CommandServices,
  translator: Translator,
): Promise<Card> {
  await subscriptions.remove(subscription.id);
  return removedCard(await viewOf(subscription, interaction, deliverer), { translator, nowMs: clock.now() });
}
