import type { Interaction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../../src/bot/discord/i18n/translator.ts';
import { requirePostable, requireTarget } from '../../src/bot/discord/permissions.ts';
import type { CommandServices } from '../shared.ts';
import { idOption, requireSubscription } from './id-option.ts';
import { outlookOf } from './outlook.ts';
import { panel } from './panel.ts';
import { change } from './save.ts';
import type { Subcommand } from './subcommand.ts';

export const resume: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'resume',
    ...described('command.subscription.resume'),
    options: [idOption('command.subscription.resume.id')],
  },
  async execute(interaction, guildId, shared, translator) {
    const found = requireSubscription(interaction.options.getString('id', true), guildId, shared.subscriptions);
    return resumeNow(found, interaction, shared, translator);
  },
};

/** Resumes a subscription if the bot can post in its channel. Matches from during the pause are not posted. */
export async function resumeNow(
  subscription: Subscription,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const where = await requireTarget(interaction, subscription.channelId);
  await requirePostable(interaction, where);
  const resumed = await change(
    subscription,
    (current) => ({ ...current, pausedBy: null, problem: current.pausedBy === 'gone' ? null : current.problem }),
    shared,
    translator,
  );
  const outlook = outlookOf(resumed, translator, shared);
  return panel(resumed, interaction, shared, translator, translator.t('subscription.resumed', { outlook }));
}
