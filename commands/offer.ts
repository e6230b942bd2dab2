import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { offerDetail, offerSection } from './offer-in-full.ts';
import { offerChoices, offersMeant } from './offer-option.ts';
import { ANYWHERE } from './places.ts';
import { searchPage } from './search.ts';
import type { Command } from './shared.ts';

const MOST_TYPED = 1000;

export const offer: Command = {
  data: {
    ...named('command.offer.name'),
    ...described('command.offer'),
    ...ANYWHERE,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'offer',
        ...described('command.offer.offer'),
        required: true,
        max_length: MOST_TYPED,
        autocomplete: true,
      },
    ],
  },
  answer: 'public',
  async execute(interaction, shared, translator, context) {
    const typed = interaction.options.getString('offer', true);
    const [best, ...others] = offersMeant(typed, shared);
    return others.length === 0
      ? offerDetail(best, shared, translator, context)
      : searchPage({ query: typed, page: 1, order: 'relevance', filter: '' }, shared, translator);
  },
  autocomplete: (interaction, shared, translator) => offerChoices(interaction.options.getFocused(), shared, translator),
  actions: {
    offer: {
      answer: 'private',
      run: ({ offerId }, _, shared, translator, context) => offerDetail(offerId, shared, translator, context),
    },
    'offer-section': {
      answer: 'update',
      run: (action, _, shared, translator, context) => offerSection(action, shared, translator, context),
    },
  },
};
