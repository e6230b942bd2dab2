import type { Interaction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { subscriptionsCard } from '../../src/bot/discord/cards/subscriptions-card.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import type { Words } from '../../src/bot/discord/i18n/translator.ts';
import { requireManager } from '../../src/bot/discord/permissions.ts';
import type { Command, Shared } from '../shared.ts';
import type { Subcommand } from './subcommand.ts';

export const list: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'list',
    ...described('command.subscription.list'),
  },
  execute: async (interaction, _guildId, shared, words) => page(1, interaction, shared, words),
};

export const listActions = {
  subscriptions: {
    answer: 'update',
    run: async (action, interaction, shared, words) => page(action.page, interaction, shared, words),
  },
} satisfies Command['actions'];

/** In the order in which they were made. */
function page(page: number, interaction: Interaction, { subscriptions, clock }: Shared, words: Words): Card {
  const { guildId } = requireManager(interaction);
  const channels = interaction.guild?.channels.cache;
  return subscriptionsCard(
    {
      subscriptions: subscriptions.ofGuild(guildId).toSorted((a, b) => a.createdAtMs - b.createdAtMs),
      page,
      channelName: (channelId) => channels?.get(channelId)?.name,
    },
    { words, nowMs: clock.now() },
  );
}
