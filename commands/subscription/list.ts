import type { Interaction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { subscriptionsCard } from '../../src/bot/discord/cards/subscriptions-card.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import { requireManager } from '../../src/bot/discord/permissions.ts';
import type { Command, CommandServices } from '../shared.ts';
import type { Subcommand } from './subcommand.ts';

export const list: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'list',
    ...described('command.subscription.list'),
  },
  execute: async (interaction, _guildId, shared, translator) => page(1, interaction, shared, translator),
};

export const listActions = {
  subscriptions: {
    answer: 'update',
    run: async (action, interaction, shared, translator) => page(action.page, interaction, shared, translator),
  },
} satisfies Command['actions'];

/** Subscriptions in order of creation. */
function page(
  page: number,
  interaction: Interaction,
  { subscriptions, clock }: CommandServices,
  translator: Translator,
): Card {
  const { guildId } = requireManager(interaction);
  const channels = interaction.guild?.channels.cache;
  return subscriptionsCard(
    {
      subscriptions: subscriptions.ofGuild(guildId).toSorted((a, b) => a.createdAtMs - b.createdAtMs),
      page,
      channelName: (channelId) => channels?.get(channelId)?.name,
    },
    { translator, nowMs: clock.now() },
  );
}
