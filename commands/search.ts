import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { shownOffer } from '../src/bot/deals/known-offer.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { searchCard } from '../src/bot/discord/cards/search-card.ts';
import { SEARCH_ROOM } from '../src/bot/discord/custom-id.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../src/bot/discord/i18n/translator.ts';
import { MOST_WORDS } from '../src/bot/offers/search.ts';
import { ageOf } from './known-offers.ts';
import { ANYWHERE } from './places.ts';
import type { Command, CommandServices } from './shared.ts';

/** The longest input that Discord accepts here; words beyond `SEARCH_ROOM` are cut, and the card says so. */
const MOST_TYPED = 300;
const CHOICES = 25;

export const search: Command = {
  data: {
    ...named('command.search.name'),
    ...described('command.search'),
    ...ANYWHERE,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'words',
        ...described('command.search.words'),
        required: true,
        max_length: MOST_TYPED,
        autocomplete: true,
      },
    ],
  },
  answer: 'public',
  execute: async (interaction, shared, translator) =>
    searchPage(interaction.options.getString('words', true), 1, shared, translator),
  autocomplete: (interaction, { search }) => {
    const titles = search.complete(interaction.options.getFocused(), CHOICES).map(({ offer }) => queryOf(offer.title));
    return [...new Set(titles)].map((title) => ({ name: title, value: title }));
  },
  actions: {
    search: {
      answer: 'update',
      run: async ({ query, page }, _, shared, translator) => searchPage(query, page, shared, translator),
    },
  },
};

/** Searches the offers that the bot knows; makes no request. */
export function searchPage(typed: string, page: number, shared: CommandServices, translator: Translator): Card {
  const query = queryOf(typed);
  const found = shared.search.find(query);
  return searchCard(
    {
      query,
      isCut: query !== folded(typed),
      offers: found.map(shownOffer),
      page,
      age: ageOf(found, shared),
    },
    { translator, nowMs: shared.clock.now() },
  );
}

/** The first words, as many as the search and the list's buttons can carry; a single longer word is cut. */
function queryOf(typed: string): string {
  let query = '';
  for (const word of folded(typed).split(' ').slice(0, MOST_WORDS)) {
    const longer = query === '' ? word : `${query} ${word}`;
    if (longer.length > SEARCH_ROOM) break;
    query = longer;
  }
  // Drops half of a surrogate pair at the end.
  return query === ''
    ? folded(typed)
        .slice(0, SEARCH_ROOM)
        .replace(/[\uD800-\uDBFF]$/, '')
    : query;
}

function folded(typed: string): string {
  return typed.replace(/\s+/g, ' ').trim();
}
