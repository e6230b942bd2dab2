import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { subscriptionsCard } from '../../src/discord/cards/subscriptions-card.ts';
import { described } from '../../src/discord/words/command-words.ts';
import type { Subcommand } from './subcommand.ts';

export const list: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'list',
    ...described('command.subscription.list'),
  },
  execute: async (_, guildId, { subscriptions, clock }, words) =>
    subscriptionsCard(subscriptions.ofGuild(guildId), { words, nowMs: clock.now() }),
};
