import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { previewCard } from '../../src/bot/discord/cards/preview-card.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import { requireManager } from '../../src/bot/discord/permissions.ts';
import type { Command, CommandServices } from '../shared.ts';
import { idOption, requireSubscription } from './id-option.ts';
import type { Subcommand } from './subcommand.ts';

/** Shows what the last seven days would have announced, from the bot's own records; makes no request. */
export const preview: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'preview',
    ...described('command.subscription.preview'),
    options: [idOption('command.subscription.remove.id')],
  },
  execute: (interaction, guildId, shared, translator) =>
    previewPage(interaction.options.getString('id', true), guildId, 1, shared, translator),
};

export const previewActions = {
  preview: {
    answer: 'update',
    run: ({ subscriptionId, page }, interaction, shared, translator) =>
      previewPage(subscriptionId, requireManager(interaction).guildId, page, shared, translator),
  },
} satisfies Command['actions'];

async function previewPage(id: string, guildId: string, page: number, shared: CommandServices, translator: Translator) {
  const { subscriptions, explainer, clock } = shared;
  const found = await explainer.preview(requireSubscription(id, guildId, subscriptions));
  return previewCard(found, page, { translator, nowMs: clock.now() });
}
