import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { noticeCard } from '../../src/bot/discord/cards/notice-card.ts';
import { withFile } from '../../src/bot/discord/cards/parts.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import { writeFile } from '../../src/bot/subscription-files/document.ts';
import type { Subcommand } from './subcommand.ts';

/** Answers with the server's subscriptions as a file, which `/subscription import` takes. */
export const exporting: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'export',
    ...described('command.subscription.export'),
  },
  async execute(_interaction, guildId, { subscriptions }, translator) {
    const own = subscriptions.ofGuild(guildId);
    const content = Buffer.from(writeFile(own, 'json'));
    return withFile(noticeCard(translator.t('export.done', { count: own.length })), {
      name: 'subscriptions.json',
      content,
    });
  },
};
