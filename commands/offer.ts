import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { isUuid } from '../src/catalog/wire.ts';
import type { KnownOffer } from '../src/deals/known-offer.ts';
import { priceText } from '../src/discord/format.ts';
import { clamp, LIMITS } from '../src/discord/limits.ts';
import { described, named } from '../src/discord/words/command-words.ts';
import { say, type Words } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import { offerDetail, offerSection } from './offer-detail.ts';
import { searchPage } from './search.ts';
import type { Command, Shared } from './shared.ts';

const MOST_TYPED = 1000;
/** Leaves room for the price behind it. */
const MOST_TITLE = LIMITS.choiceName - 30;

export const offer: Command = {
  data: {
    ...named('command.offer.name'),
    ...described('command.offer'),
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
  async execute(interaction, shared, words, turn) {
    const typed = interaction.options.getString('offer', true).trim();
    const ids = meant(typed, shared);
    const [id] = ids;
    if (id === undefined) throw new UserError(say('offer.noneTells'));
    return ids.length === 1 ? offerDetail(id, shared, words, turn) : searchPage(typed, 1, shared, words);
  },
  autocomplete: (interaction, shared, words) =>
    completed(interaction.options.getFocused(), shared).map((known) => ({
      name: choiceOf(known, words),
      value: known.offer.id,
    })),
  actions: {
    offer: {
      answer: 'private',
      run: ({ offerId }, _, shared, words, turn) => offerDetail(offerId, shared, words, turn),
    },
    'offer-section': {
      answer: 'update',
      run: (action, _, shared, words, turn) => offerSection(action, shared, words, turn),
    },
  },
};

/**
 * The offers that were meant by an id, a link or words.
 * @throws UserError where it is a link to none that the bot has seen: the catalog can't be asked for a link
 */
function meant(typed: string, { offers, search }: Shared): string[] {
  if (isUuid(typed)) return [typed.toLowerCase()];
  if (!isLink(typed)) return search.find(typed).map(({ offer }) => offer.id);
  const known = offers.findByLink(typed);
  if (!known) throw new UserError(say('offer.notSeen'));
  return [known.offer.id];
}

function completed(typed: string, { offers, search }: Shared): KnownOffer[] {
  const known = offers.get(typed.trim().toLowerCase()) ?? (isLink(typed) ? offers.findByLink(typed) : null);
  return known ? [known] : search.complete(typed, LIMITS.autocompleteChoices);
}

function isLink(typed: string): boolean {
  return /^https?:\/\//i.test(typed) && URL.canParse(typed);
}

function choiceOf({ offer }: KnownOffer, words: Words): string {
  const price = priceText(offer.salePrice, offer.listPrice, words);
  return [clamp(offer.title.trim(), MOST_TITLE), price].filter((part) => part !== null).join(' · ');
}
