import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { rollUpContent } from '../src/bot/announcements/deliver/roll-up-content.ts';
import { CatalogHttpError } from '../src/bot/catalog/errors.ts';
import { FEED_ORDERS } from '../src/bot/deals/feed-order.ts';
import { evaluate, subjectOfOffer } from '../src/bot/deals/filter/index.ts';
import { nextEndMs } from '../src/bot/deals/life.ts';
import type { Offer } from '../src/bot/deals/offer.ts';
import { feedCard } from '../src/bot/discord/cards/list-cards.ts';
import { type Age, pageOf } from '../src/bot/discord/cards/paged-card.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { rollUpListCard } from '../src/bot/discord/cards/roll-up-card.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { type Action, filterRoom } from '../src/bot/discord/custom-id.ts';
import { requireFilter } from '../src/bot/discord/filter-mistake.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { feedChoices, feedNamed, requireFeed } from './feed-option.ts';
import { filterChoices } from './filter-choices.ts';
import { candidatesIn } from './live-candidates.ts';
import { memoize } from './memoize.ts';
import { ANYWHERE } from './places.ts';
import { pollIfOlder } from './seen.ts';
import type { Command, CommandServices } from './shared.ts';

/** A feed that was polled at most this long ago is shown without a new request; the card states its age. */
const SEEN_LATELY_MS = 15 * 60_000;
/** Longer than the buttons of any feed's list can carry, so that the error can say how long it may be. */
const MOST_FILTER = 300;

/** Caches rendered pages: without it, a page takes 1.2 times as long. */
const keptCard = memoize<Card>(100);

/** A roll-up's button opens the whole list for the person who clicked; its page buttons then update that list. */
const rollUpActions = {
  'roll-up': {
    answer: 'private',
    run: ({ deliveryId, page }, _, shared, translator) => listPage(deliveryId, page, shared, translator),
  },
  'roll-up-page': {
    answer: 'update',
    run: ({ rollUpId, page }, _, shared, translator) => listPage(rollUpId, page, shared, translator),
  },
} satisfies Command['actions'];

export const feed: Command = {
  data: {
    ...named('command.feed.name'),
    ...described('command.feed'),
    ...ANYWHERE,
    options: [
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
  execute: ({ options, guildId }, shared, translator, context) => {
    const order = options.getString('order');
    const query = {
      feed: requireFeed(options.getString('feed', true), shared.feeds),
      page: options.getInteger('page') ?? 1,
      order: FEED_ORDERS.find((known) => known === order) ?? 'newest',
      filter: options.getString('filter')?.trim() ?? '',
    };
    return feedPage(query, guildId, shared, translator, context);
  },
  autocomplete({ options }, shared, translator) {
    const { name, value } = options.getFocused(true);
    if (name !== 'filter') return feedChoices(value, shared.feeds);
    const feed = feedNamed(options.getString('feed') ?? '', shared.feeds);
    const live = feed === undefined ? null : candidatesIn({ kind: 'feed', feed }, shared);
    return filterChoices(value, live, translator, shared.clock.now());
  },
  actions: {
    ...rollUpActions,
    feed: {
      answer: 'update',
      run: (query, { guildId }, shared, translator, context) =>
        feedPage({ ...query, feed: requireFeed(query.feed, shared.feeds) }, guildId, shared, translator, context),
    },
  },
};

/** A page of a feed; `feed` in the catalog's spelling. */
type FeedQuery = Omit<Extract<Action, { do: 'feed' }>, 'do'>;

/** Shows the last poll of the feed, and asks the catalog only where that is too old. */
async function feedPage(
  { feed, page, order, filter }: FeedQuery,
  guildId: string | null,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  const { offers, clock } = shared;
  const wanted = filter === '' ? null : requireFilter(filter, filterRoom(feed));
  const age = await look(feed, shared, context);
  const nowMs = clock.now();
  const listed = offers.listed(feed, order);
  const marketingName = offers.feedState(feed)?.marketingName ?? null;
  const canSubscribe = guildId !== null;
  const cardOf = (matching: readonly Offer[]) =>
    feedCard({ feed, marketingName, offers: matching, page, age, order, filter, canSubscribe }, { translator, nowMs });
  if (wanted) return cardOf(listed.filter((offer) => evaluate(wanted, subjectOfOffer(offer), nowMs)));
  const key = [
    translator.locale,
    page,
    canSubscribe,
    age.fetchedAtMs,
    age.isStale,
    age.quotaReturnsAtMs,
    marketingName,
  ];
  return keptCard(listed, key.join(' '), nowMs, () => ({
    value: cardOf(listed),
    goodUntilMs: nextEndMs(pageOf(listed, page).shown, nowMs),
  }));
}

async function look(feed: string, shared: CommandServices, context: CommandContext): Promise<Age> {
  const seenAtMs = shared.offers.feedState(feed)?.polledAtMs ?? null;
  try {
    return await pollIfOlder(`feed:${feed}`, { seenAtMs, goodForMs: SEEN_LATELY_MS }, shared, context);
  } catch (cause) {
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      throw new UserError(message('feed.notInCatalog', { feed }), { cause });
    }
    throw cause;
  }
}

async function listPage(
  rollUpId: string,
  page: number,
  { deliveries, subscriptions, currentState, clock }: CommandServices,
  translator: Translator,
): Promise<Card> {
  const rollUp = await deliveries.findRollUp(rollUpId);
  if (!rollUp) throw new UserError(message('rollUp.gone'));
  const content = rollUpContent(rollUp, currentState, subscriptions);
  return rollUpListCard({ ...content, rollUpId, page }, { translator, nowMs: clock.now() });
}
