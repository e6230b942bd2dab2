import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { CatalogError } from '../src/catalog/errors.ts';
import { remainingFor, reserveOf } from '../src/catalog/throttle/rate-budget.ts';
import { inOrder, SEARCH_ORDERS, type SearchOrder } from '../src/deals/feed-order.ts';
import { evaluate, filterFromOptions, subjectOfOffer } from '../src/deals/filter/index.ts';
import { isGone, type KnownOffer, shownOffer } from '../src/deals/known-offer.ts';
import { sameResource } from '../src/deals/subscription.ts';
import { type SearchCoverage, searchCard } from '../src/discord/cards/offer-list-cards.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { type Action, filterRoom, SEARCH_ROOM } from '../src/discord/custom-id.ts';
import { requireFilter, requireTyped } from '../src/discord/filter-mistake.ts';
import { described, named } from '../src/discord/i18n/command-words.ts';
import { type ReadableFeed, readingOrder } from '../src/offers/reading-order.ts';
import { MOST_WORDS } from '../src/offers/search.ts';
import { ageMs } from '../src/shared/clock.ts';
import { UserError } from '../src/shared/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../src/shared/time.ts';
import { ageOf } from './known.ts';
import { alertButtonFor } from './options.ts';
import { ANYWHERE, type Command, type CommandServices, type Request } from './shared.ts';
import { checking, fixable, PAGE_OPTION, pageIn, withReading } from './typed-options.ts';

/** The longest input that Discord accepts here; words beyond `SEARCH_ROOM` are cut, and the card says so. */
const MOST_TYPED = 300;
const CHOICES = 25;
/** The room that a filter leaves to the words. */
const LEAST_QUERY = 20;
/** The longest filter that leaves them that room. */
const MOST_FILTER = SEARCH_ROOM - LEAST_QUERY;

/** The feeds that one search reads at most: a request each, of the thousand that a day has. */
const MOST_READ = 3;
/** A feed that nobody follows is read again after this long: offers live for days. */
const GOOD_FOR_MS = 3 * HOUR_MS;
/** A feed that could not be read is tried again after this long. */
const RETRY_AFTER_MS = 15 * MINUTE_MS;

type Search = Omit<Extract<Action, { do: 'search' }>, 'do'>;

const OPTIONS: APIApplicationCommandBasicOption[] = [
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
  PAGE_OPTION,
];

const asked = fixable<Action & { do: 'search-again' }>({
  options: OPTIONS,
  async answer(typed, request) {
    const words = typed.get('words') ?? '';
    const { query, filter, read } = partedWords(words, request);
    const typedFilter = typed.get('filter')?.trim() ?? '';
    const wanted: Search = {
      query,
      page: pageIn(typed),
      order: SEARCH_ORDERS.find((known) => known === typed.get('order')) ?? 'relevance',
      filter: `${filter} ${typedFilter}`.trim(),
    };
    await checking('filter', () => requireTyped(wanted.filter, MOST_FILTER));
    await more(wanted.query, request).catch((error: unknown) => {
      // Who may cause no more requests now finds what is known; the button for more says why it is refused.
      if (!(error instanceof UserError)) throw error;
    });
    const answer = searchPage(wanted, request);
    if (!read) return answer;
    const asWords = {
      do: 'search',
      ...wanted,
      query: queryOf(words, SEARCH_ROOM - typedFilter.length),
      filter: typedFilter,
    } as const;
    return withReading(read, asWords, answer, request);
  },
});

/** The words to search for, and the filter that they hold besides: `kettle under $60` has one. */
export function partedWords(typed: string, request: Request) {
  const read = request.services.readFilter(typed, request);
  const parts = read?.filter.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  const [words, tests] = [true, false].map((isWord) =>
    parts.filter((part) => /^[^-(:"][^:]*$/.test(part) === isWord).join(' '),
  );
  // Groups can't be taken apart, and a filter alone is nothing to search for.
  if (!read || !words || !tests || /[()]/.test(read.filter)) return { query: typed, filter: '', read: null };
  return { query: words, filter: tests, read };
}

export const search: Command = {
  data: {
    name: 'search',
    ...described('command.search'),
    ...ANYWHERE,
    options: OPTIONS,
  },
  answer: 'public',
  execute: (request) => asked.ask({ do: 'search-again' }, request),
  autocomplete({ options, services }) {
    const found = services.search.complete(options.getFocused(), CHOICES);
    const titles = found.map(({ offer }) => queryOf(offer.title));
    return [...new Set(titles)].map((title) => ({ name: title, value: title }));
  },
  actions: {
    'search-again': asked.button,
    search: {
      answer: 'update',
      run: async (wanted, request) => searchPage(wanted, request),
    },
    'search-more': {
      answer: 'update',
      async run(wanted, request) {
        await more(wanted.query, request);
        return searchPage({ ...wanted, page: 1 }, request);
      },
    },
  },
  forms: { 'search-again': asked.form },
};

async function more(query: string, request: Request): Promise<void> {
  await readFeeds(query, request.services.search.find(query), request);
}

/** Searches the offers that the bot knows; makes no request. */
export function searchPage({ query: typed, page, order, filter }: Search, request: Request): Card {
  const { services, cardContext } = request;
  const { nowMs } = cardContext;
  const wanted = filter === '' ? null : requireFilter(filter, MOST_FILTER);
  const query = queryOf(typed, SEARCH_ROOM - filter.length);
  const found = services.search
    .find(query)
    .filter((known) => wanted === null || evaluate(wanted, subjectOfOffer(shownOffer(known)), nowMs));
  const [usual] = services.feeds;
  const wish = `${filterFromOptions({ words: query })} ${filter}`.trim();
  return searchCard(
    {
      query,
      posted:
        usual !== undefined && request.server !== null && wish.length <= filterRoom(usual)
          ? { feed: usual, filter: wish }
          : null,
      alert: alertButtonFor(wish, services, cardContext.translator),
      isCut: query !== folded(typed),
      offers: sorted(found, order, nowMs),
      order,
      filter,
      page,
      age: ageOf(found, services),
      coverage: coverageOf(services),
    },
    cardContext,
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

/**
 * Reads the feeds that matter most to the words, of those that nobody follows and that were not read lately. Leaves
 * half of people's reserve to the other commands. Resolves when their offers can be found.
 * @throws UserError where the person's rate limit is spent before the first of them
 */
async function readFeeds(words: string, found: readonly KnownOffer[], { services, spend }: Request): Promise<void> {
  const most = Math.min(MOST_READ, spendable(services));
  const feeds = readingOrder(unread(services), words, found).slice(0, most);
  const polls = feeds.flatMap(({ feed }, index) => {
    try {
      spend();
    } catch (error) {
      if (index > 0 && error instanceof UserError) return [];
      throw error;
    }
    return [services.poller.poll(`feed:${feed}`, 'interactive')];
  });
  for (const outcome of await Promise.allSettled(polls)) {
    // The poller has noted why, and the coverage tells it.
    if (outcome.status === 'rejected' && !(outcome.reason instanceof CatalogError)) throw outcome.reason as Error;
  }
  await services.search.settled();
}

/** How much of the catalog the known offers cover. */
function coverageOf(services: CommandServices): SearchCoverage {
  const { feeds, poller, offers, catalog } = services;
  const [isWanting, isAffordable] = [unread(services).length > 0, spendable(services) > 0];
  const polledAtMs = feeds.flatMap((feed) => offers.feedState(feed)?.polledAtMs ?? []);
  return {
    searched: polledAtMs.length,
    all: feeds.length,
    oldestMs: polledAtMs.length === 0 ? null : Math.min(...polledAtMs),
    unreadable: feeds.filter((feed) => poller.lastAttempt(`feed:${feed}`)?.hasFailed),
    hasMore: isWanting && isAffordable,
    quotaReturnsAtMs: isWanting && !isAffordable ? catalog.quota().portal.resetsAtMs : null,
  };
}

/** The feeds that nobody follows, and that were not read or tried lately. */
function unread({ feeds, offers, subscriptions, poller, clock }: CommandServices): ReadableFeed[] {
  const followed = new Set([...subscriptions.followers.all().keys()].map(sameResource));
  const nowMs = clock.now();
  return feeds.flatMap((feed): ReadableFeed[] => {
    const resource = `feed:${feed}` as const;
    const { polledAtMs = null, marketingName = null } = offers.feedState(feed) ?? {};
    const attempt = poller.lastAttempt(resource);
    const isRecent = polledAtMs !== null && ageMs(polledAtMs, nowMs) <= GOOD_FOR_MS;
    const isTried = attempt?.hasFailed === true && ageMs(attempt.atMs, nowMs) <= RETRY_AFTER_MS;
    return followed.has(sameResource(resource)) || isRecent || isTried ? [] : [{ feed, polledAtMs, marketingName }];
  });
}

/** The requests that searches may still make today. */
function spendable({ catalog }: CommandServices): number {
  const { spent, limit } = catalog.quota().portal;
  return Math.max(0, remainingFor('interactive', spent, limit) - Math.floor(reserveOf(limit) / 2));
}
