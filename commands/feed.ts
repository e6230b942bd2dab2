import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { rollUpContent } from '../src/announcements/deliver/message.ts';
import { CatalogHttpError } from '../src/catalog/errors.ts';
import { FEED_ORDERS } from '../src/deals/feed-order.ts';
import { evaluate, type Filter, filterFromOptions, parseFilter, subjectOfOffer } from '../src/deals/filter/index.ts';
import type { Offer } from '../src/deals/offer.ts';
import { rollUpListCard } from '../src/discord/cards/announcement-card.ts';
import { feedCard } from '../src/discord/cards/offer-list-cards.ts';
import type { Age } from '../src/discord/cards/paged-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { type Action, filterRoom } from '../src/discord/custom-id.ts';
import { requireFilter, requireTyped } from '../src/discord/filter-mistake.ts';
import { described, named } from '../src/discord/i18n/command-words.ts';
import { message } from '../src/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { MINUTE_MS } from '../src/shared/time.ts';
import { flatMapInTurns } from '../src/shared/turns.ts';
import { candidatesIn, pollIfOlder } from './known.ts';
import { alertButtonFor, feedChoices, feedNamed, filterChoices, requireFeed } from './options.ts';
import { ANYWHERE, type Command, type Request } from './shared.ts';
import { checking, fixable, PAGE_OPTION, pageIn, withReading } from './typed-options.ts';

/** A feed that was polled at most this long ago is shown without a new request; the card states its age. */
const SEEN_LATELY_MS = 15 * MINUTE_MS;
/** Longer than the buttons of any feed's list can carry, so that the error can say how long it may be. */
const MOST_FILTER = 300;

const OPTIONS: APIApplicationCommandBasicOption[] = [
  {
    type: ApplicationCommandOptionType.String,
    name: 'feed',
    ...described('command.feed.feed'),
    required: true,
    autocomplete: true,
  },
  {
    type: ApplicationCommandOptionType.String,
    name: 'filter',
    ...described('command.feed.filter'),
    max_length: MOST_FILTER,
    autocomplete: true,
  },
  {
    type: ApplicationCommandOptionType.String,
    name: 'order',
    ...described('command.feed.order'),
    choices: FEED_ORDERS.map((order) => ({ ...named(`order.${order}`), value: order })),
  },
  PAGE_OPTION,
];

const asked = fixable<Action & { do: 'feed-again' }>({
  options: OPTIONS,
  readsItself: true,
  async answer(typed, request) {
    const { feeds } = request.services;
    const feed = await checking('feed', () => requireFeed(typed.get('feed') ?? '', feeds));
    const order = FEED_ORDERS.find((known) => known === typed.get('order')) ?? 'newest';
    const written = typed.get('filter')?.trim() ?? '';
    const read = request.services.readFilter(written, request);
    const filter = read?.filter ?? written;
    await checking('filter', () => requireTyped(filter, filterRoom(feed)));
    const answer = await feedPage({ feed, page: pageIn(typed), order, filter }, request);
    if (!read) return answer;
    const words = filterFromOptions({ words: written });
    const asWords =
      words.length <= filterRoom(feed) ? ({ do: 'feed', feed, page: 1, order, filter: words } as const) : null;
    return withReading(read, asWords, answer, request);
  },
});

/** A roll-up's button opens the whole list for the person who clicked; its page buttons then update that list. */
const rollUpActions = {
  'roll-up': {
    answer: 'private',
    run: ({ deliveryId, page }, request) => listPage(deliveryId, page, request),
  },
  'roll-up-page': {
    answer: 'update',
    run: ({ rollUpId, page }, request) => listPage(rollUpId, page, request),
  },
} satisfies Command['actions'];

export const feed: Command = {
  data: {
    name: 'feed',
    ...described('command.feed'),
    ...ANYWHERE,
    options: OPTIONS,
  },
  answer: 'public',
  execute: (request) => asked.ask({ do: 'feed-again' }, request),
  async autocomplete(request) {
    const { options, services } = request;
    const { name, value } = options.getFocused(true);
    if (name !== 'filter') return feedChoices(value, services.feeds);
    const feed = feedNamed(options.getString('feed') ?? '', services.feeds);
    const live = feed === undefined ? null : await candidatesIn({ kind: 'feed', feed }, services);
    return filterChoices(value, live, request);
  },
  actions: {
    ...rollUpActions,
    'feed-again': asked.button,
    feed: {
      answer: 'update',
      run: async (query, request) =>
        feedPage({ ...query, feed: requireFeed(query.feed, request.services.feeds) }, request),
    },
  },
  forms: { 'feed-again': asked.form },
};

/** A page of a feed; `feed` in the catalog's spelling. */
type FeedQuery = Omit<Extract<Action, { do: 'feed' }>, 'do'>;

/** Shows the last poll of the feed, and asks the catalog only where that is too old. */
async function feedPage({ feed, page, order, filter }: FeedQuery, request: Request): Promise<Card> {
  const { offers } = request.services;
  const wanted = filter === '' ? null : requireFilter(filter, filterRoom(feed));
  const age = await look(feed, request);
  const context = request.cardContext;
  const listed = offers.listed(feed, order);
  const matching = wanted ? await matchingIn(listed, wanted, request) : listed;
  const marketingName = offers.feedState(feed)?.marketingName ?? null;
  const canSubscribe = request.server !== null;
  const alert = alertButtonFor(filter, request.services, request.translator, feed);
  const meant = wanted && matching.length === 0 ? await meantIn(listed, feed, filter, request) : null;
  return feedCard(
    { feed, marketingName, offers: matching, page, age, order, filter, canSubscribe, alert, meant },
    context,
  );
}

/** The filter that may have been meant, where the feed has something that matches it. */
async function meantIn(
  listed: readonly Offer[],
  feed: string,
  filter: string,
  request: Request,
): Promise<string | null> {
  const meant = request.services.noMatch.meant(filter, request);
  const parsed = parseFilter(meant ?? '');
  if (meant === null || meant.length > filterRoom(feed) || !parsed.ok) return null;
  return (await matchingIn(listed, parsed.filter, request)).length > 0 ? meant : null;
}

function matchingIn(listed: readonly Offer[], filter: Filter, { services, cardContext }: Request): Promise<Offer[]> {
  const isMatching = (offer: Offer) => evaluate(filter, subjectOfOffer(offer), cardContext.nowMs);
  return flatMapInTurns(listed, (offer) => (isMatching(offer) ? [offer] : []), services);
}

async function look(feed: string, request: Request): Promise<Age> {
  const seenAtMs = request.services.offers.feedState(feed)?.polledAtMs ?? null;
  try {
    return await pollIfOlder(`feed:${feed}`, { seenAtMs, goodForMs: SEEN_LATELY_MS }, request);
  } catch (cause) {
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      throw new UserError(message('feed.notInCatalog', { feed }), { cause });
    }
    throw cause;
  }
}

async function listPage(rollUpId: string, page: number, { services, cardContext }: Request): Promise<Card> {
  const { deliveries, subscriptions, currentState } = services;
  const rollUp = await deliveries.findRollUp(rollUpId);
  if (!rollUp) throw new UserError(message('rollUp.gone'));
  const content = rollUpContent(rollUp, currentState, subscriptions);
  return rollUpListCard({ ...content, rollUpId, page }, cardContext);
}
