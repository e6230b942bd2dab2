import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { inOrder, SEARCH_ORDERS, type SearchOrder } from '../src/bot/deals/feed-order.ts';
import { evaluate, subjectOfOffer } from '../src/bot/deals/filter/index.ts';
import { isGone, type KnownOffer, shownOffer } from '../src/bot/deals/known-offer.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { searchCard } from '../src/bot/discord/cards/search-card.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { type Action, SEARCH_ROOM } from '../src/bot/discord/custom-id.ts';
import { requireFilter } from '../src/bot/discord/filter-mistake.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../src/bot/discord/i18n/translator.ts';
import { MOST_WORDS } from '../src/bot/offers/search.ts';
import { UserError } from '../src/shared/errors.ts';
import { ageOf } from './known-offers.ts';
import { ANYWHERE } from './places.ts';
import { coverageOf, readFeeds } from './search-feeds.ts';
import type { Command, CommandServices } from './shared.ts';

/** The longest input that Discord accepts here; words beyond `SEARCH_ROOM` are cut, and the card says so. */
const MOST_TYPED = 300;
const CHOICES = 25;
/** The room that a filter leaves to the words. */
const LEAST_QUERY = 20;
/** The longest filter that leaves them that room. */
const MOST_FILTER = SEARCH_ROOM - LEAST_QUERY;

type Search = Omit<Extract<Action, { do: 'search' }>, 'do'>;

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
      {
        type: ApplicationCommandOptionType.String,
        name: 'filter',
        ...described('command.feed.filter'),
        max_length: MOST_TYPED,
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'order',
        ...described('command.search.order'),
        choices: SEARCH_ORDERS.map((order) => ({ ...named(`order.${order}`), value: order })),
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'page',
        ...described('command.feed.page'),
        min_value: 1,
        max_value: 1000,
      },
    ],
  },
  answer: 'public',
  async execute({ options }, shared, translator, context) {
    const order = options.getString('order');
    const wanted: Search = {
      query: options.getString('words', true),
      page: options.getInteger('page') ?? 1,
      order: SEARCH_ORDERS.find((known) => known === order) ?? 'relevance',
      filter: options.getString('filter')?.trim() ?? '',
    };
    requireFilter(wanted.filter, MOST_FILTER);
    await more(wanted, shared, context).catch((error: unknown) => {
      // Who may cause no more requests now finds what is known; the button for more says why it is refused.
      if (!(error instanceof UserError)) throw error;
    });
    return searchPage(wanted, shared, translator);
  },
  autocomplete: (interaction, { search }) => {
    const titles = search.complete(interaction.options.getFocused(), CHOICES).map(({ offer }) => queryOf(offer.title));
    return [...new Set(titles)].map((title) => ({ name: title, value: title }));
  },
  actions: {
    search: {
      answer: 'update',
      run: async (wanted, _, shared, translator) => searchPage(wanted, shared, translator),
    },
    'search-more': {
      answer: 'update',
      async run(wanted, _, shared, translator, context) {
        await more(wanted, shared, context);
        return searchPage({ ...wanted, page: 1 }, shared, translator);
      },
    },
  },
};

async function more({ query }: Pick<Search, 'query'>, shared: CommandServices, context: CommandContext): Promise<void> {
  await readFeeds(query, shared.search.find(query), shared, context);
}

/** Searches the offers that the bot knows; makes no request. */
export function searchPage(
  { query: typed, page, order, filter }: Search,
  shared: CommandServices,
  translator: Translator,
): Card {
  const nowMs = shared.clock.now();
  const wanted = filter === '' ? null : requireFilter(filter, MOST_FILTER);
  const query = queryOf(typed, SEARCH_ROOM - filter.length);
  const found = shared.search
    .find(query)
    .filter(({ offer }) => wanted === null || evaluate(wanted, subjectOfOffer(offer), nowMs));
  return searchCard(
    {
      query,
      isCut: query !== folded(typed),
      offers: sorted(found, order, nowMs),
      order,
      filter,
      page,
      age: ageOf(found, shared),
      coverage: coverageOf(shared),
    },
    { translator, nowMs },
  );
}

/** Live offers come first, in any order. */
function sorted(found: readonly KnownOffer[], order: SearchOrder, nowMs: number) {
  if (order === 'relevance') return found.map(shownOffer);
  const [live, over] = [false, true].map((gone) => found.filter((record) => isGone(record, nowMs) === gone));
  return [live, over].flatMap((records) => inOrder((records ?? []).map(shownOffer), order));
}

/** The first words, as many as the search and the list's buttons can carry; a single longer word is cut. */
function queryOf(typed: string, room = SEARCH_ROOM): string {
  let query = '';
  for (const word of folded(typed).split(' ').slice(0, MOST_WORDS)) {
    const longer = query === '' ? word : `${query} ${word}`;
    if (longer.length > room) break;
    query = longer;
  }
  // Drops half of a surrogate pair at the end.
  return query === ''
    ? folded(typed)
        .slice(0, room)
        .replace(/[\uD800-\uDBFF]$/, '')
    : query;
}

function folded(typed: string): string {
  return typed.replace(/\s+/g, ' ').trim();
}
