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

/** More than anybody types; what is beyond `SEARCH_ROOM` is cut, and that is said. */
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

/** From what the bot knows: asks nobody. */
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

/** As many of the first words as are looked for and the list's buttons can keep; a part of one that is longer still. */
function queryOf(typed: string): string {
  let query = '';
  for (const word of folded(typed).split(' ').slice(0, MOST_WORDS)) {
    const longer = query === '' ? word : `${query} ${word}`;
    if (longer.length > SEARCH_ROOM) break;
    query = longer;
  }
  // Half of a surrogate pair is no character.
  return query === ''
    ? folded(typed)
        .slice(0, SEARCH_ROOM)
        .replace(/[\uD800-\uDBFF]$/, '')
    : query;
}

function folded(typed: string): string {
  return typed.replace(/\s+/g, ' ').trim();
}
