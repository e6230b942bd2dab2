import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { CatalogHttpError } from '../src/catalog/errors.ts';
import type { FeedOrder } from '../src/deals/feed-order.ts';
import { feedCard } from '../src/discord/cards/list-cards.ts';
import type { Age } from '../src/discord/cards/paged-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import type { Turn } from '../src/discord/command.ts';
import { described, named } from '../src/discord/words/command-words.ts';
import { say, type Words } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import { feedChoices, requireFeed } from './feed-option.ts';
import { ANYWHERE } from './places.ts';
import { rollUpActions } from './roll-up-list.ts';
import type { Command, Shared } from './shared.ts';

/** A feed that was seen at most this long ago is shown as it was seen, and says so. */
const SEEN_LATELY_MS = 15 * 60_000;

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
        type: ApplicationCommandOptionType.Integer,
        name: 'page',
        ...described('command.feed.page'),
        min_value: 1,
        max_value: 1000,
      },
    ],
  },
  answer: 'public',
  execute: (interaction, shared, words, turn) =>
    feedPage(
      requireFeed(interaction.options.getString('feed', true), shared.feeds),
      { page: interaction.options.getInteger('page') ?? 1, order: 'newest' },
      shared,
      words,
      turn,
    ),
  autocomplete: (interaction, { feeds }) => feedChoices(interaction.options.getFocused(), feeds),
  actions: {
    ...rollUpActions,
    feed: {
      answer: 'update',
      run: ({ feed, page, order }, _, shared, words, turn) =>
        feedPage(requireFeed(feed, shared.feeds), { page, order }, shared, words, turn),
    },
  },
};

/** From what the bot has seen of the feed lately; only where that is too long ago is the catalog asked. */
async function feedPage(
  name: string,
  { page, order }: { page: number; order: FeedOrder },
  shared: Shared,
  words: Words,
  turn: Turn,
): Promise<Card> {
  const { offers, clock } = shared;
  const age = seenLately(name, shared) ?? (await look(name, shared, turn));
  const marketingName = offers.feedState(name)?.marketingName ?? null;
  return feedCard(
    { feed: name, marketingName, offers: offers.listed(name, order), page, age, order, filter: '' },
    { words, nowMs: clock.now() },
  );
}

function seenLately(name: string, { offers, clock }: Shared): Age | null {
  const state = offers.feedState(name);
  return state && clock.now() - state.polledAtMs <= SEEN_LATELY_MS
    ? { fetchedAtMs: state.polledAtMs, isStale: false }
    : null;
}

async function look(name: string, { poster }: Shared, turn: Turn): Promise<Age> {
  turn.spend();
  try {
    return await poster.poll(`feed:${name}`, 'interactive');
  } catch (cause) {
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      throw new UserError(say('feed.notInCatalog', { feed: name }), { cause });
    }
    throw cause;
  }
}
