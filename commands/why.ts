import { ApplicationCommandOptionType, PermissionFlagsBits } from 'discord-api-types/v10';
import { whyCard } from '../src/bot/discord/cards/why-card.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { requireManager } from '../src/bot/discord/permissions.ts';
import { offerChoices, offersMeant } from './offer-option.ts';
import { IN_SERVERS } from './places.ts';
import type { Command } from './shared.ts';
import { idChoices, requireSubscription } from './subscription/id-option.ts';

const MOST_TYPED = 1000;

/** Explains from the bot's own records; makes no request. */
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
    const { guildId } = requireManager(interaction);
    const { subscriptions, explainer, clock } = shared;
    const subscription = requireSubscription(
      interaction.options.getString('subscription', true),
      guildId,
      subscriptions,
    );
    const [offerId] = offersMeant(interaction.options.getString('offer', true), shared);
    return whyCard(await explainer.why(offerId, subscription), { translator, nowMs: clock.now() });
  },

  autocomplete(interaction, shared, translator) {
    if (!interaction.memberPermissions?.has(PermissionFlagsBits.ManageGuild)) return [];
    const { name, value } = interaction.options.getFocused(true);
    return name === 'offer'
      ? offerChoices(value, shared, translator)
      : idChoices(value, interaction.guild, shared.subscriptions, translator);
  },
};
