import type { Interaction } from 'discord.js';
import { ApplicationCommandOptionType, PermissionFlagsBits } from 'discord-api-types/v10';
import { postNow } from '../src/bot/announcements/explain/post-now.ts';
import type { Subscription } from '../src/bot/deals/subscription.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { whyCard } from '../src/bot/discord/cards/why-card.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { requireManager } from '../src/bot/discord/permissions.ts';
import { UserError } from '../src/shared/errors.ts';
import { offerChoices, offersMeant } from './offer-option.ts';
import { IN_SERVERS } from './places.ts';
import type { Command, CommandServices } from './shared.ts';
import { idChoices, requireSubscription } from './subscription/id-option.ts';

const MOST_TYPED = 1000;

/** Explains from the bot's own records; makes no request. Each click checks the person's permission anew. */
export const why: Command = {
  data: {
    ...named('command.why.name'),
    ...described('command.why'),
    default_member_permissions: String(PermissionFlagsBits.ManageGuild),
    ...IN_SERVERS,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'offer',
        ...described('command.why.offer'),
        required: true,
        max_length: MOST_TYPED,
        autocomplete: true,
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'subscription',
        ...described('command.why.subscription'),
        required: true,
        autocomplete: true,
      },
    ],
  },
  answer: 'private',

  async execute(interaction, shared, translator) {
    const found = subscriptionOf(interaction, interaction.options.getString('subscription', true), shared);
    const [offerId] = offersMeant(interaction.options.getString('offer', true), shared);
    return explain(offerId, found, shared, translator);
  },

  autocomplete(interaction, shared, translator) {
    if (!interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) return [];
    const { name, value } = interaction.options.getFocused(true);
    return name === 'offer'
      ? offerChoices(value, shared, translator)
      : idChoices(value, interaction.guild, shared.subscriptions, translator);
  },

  actions: {
    why: {
      answer: 'update',
      run: async ({ offerId, subscriptionId }, interaction, shared, translator) =>
        explain(offerId, subscriptionOf(interaction, subscriptionId, shared), shared, translator),
    },
    'post-now': {
      answer: 'update',
      async run({ offerId, subscriptionId }, interaction, shared, translator) {
        const found = subscriptionOf(interaction, subscriptionId, shared);
        if (!(await postNow(offerId, found, shared))) throw new UserError(message('why.notPostable'));
        return explain(offerId, found, shared, translator);
      },
    },
  },
};

/** The subscription, if the person manages its server. @throws UserError */
function subscriptionOf(interaction: Interaction, id: string, { subscriptions }: CommandServices): Subscription {
  return requireSubscription(id, requireManager(interaction).guildId, subscriptions);
}

async function explain(
  offerId: string,
  subscription: Subscription,
  { explainer, clock }: CommandServices,
  translator: Translator,
): Promise<Card> {
  return whyCard(await explainer.why(offerId, subscription), { translator, nowMs: clock.now() });
}
