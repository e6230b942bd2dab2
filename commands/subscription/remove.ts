import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { noticeCard } from '../../src/discord/cards/notice-card.ts';
import { described } from '../../src/discord/words/command-words.ts';
import { describeSource } from '../../src/discord/words/describe-source.ts';
import { idOption, requireSubscription } from './id-option.ts';
import type { Subcommand } from './subcommand.ts';

export const remove: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'remove',
    ...described('command.subscription.remove'),
    options: [idOption('command.subscription.remove.id')],
  },
  async execute(interaction, guildId, { subscriptions }, words) {
    const found = requireSubscription(interaction.options.getString('id', true), guildId, subscriptions);
    await subscriptions.remove(found.id);
    const told = { source: describeSource(found.source, words), channel: `<#${found.channelId}>` };
    return noticeCard(words.t('subscription.removed', told));
  },
};
