import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { CatalogHttpError } from '../src/catalog/errors.ts';
import { newestFirst } from '../src/deals/life.ts';
import { feedCard } from '../src/discord/cards/list-cards.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { described, named } from '../src/discord/words/command-words.ts';
import { say, type Words } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import { feedChoices, requireFeed } from './feed-option.ts';
import type { Command, Shared } from './shared.ts';

export const feed: Command = {
  data: {
    ...named('command.feed.name'),
    ...described('command.feed'),
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
  execute: (interaction, shared, words) =>
    feedPage(
      requireFeed(interaction.options.getString('feed', true), shared.feeds),
      interaction.options.getInteger('page') ?? 1,
      shared,
      words,
    ),
  autocomplete: (interaction, { feeds }) => feedChoices(interaction.options.getFocused(), feeds),
  actions: {
    feed: {
      answer: 'update',
      run: ({ feed, page }, _, shared, words) => feedPage(requireFeed(feed, shared.feeds), page, shared, words),
    },
  },
};

async function feedPage(name: string, page: number, { poster, offers, clock }: Shared, words: Words): Promise<Card> {
  try {
    const age = await poster.poll(`feed:${name}`, 'interactive');
    const live = newestFirst(offers.live(name).map(({ offer }) => offer));
    const marketingName = offers.feedState(name)?.marketingName ?? null;
    return feedCard({ feed: name, marketingName, offers: live, page, age }, { words, nowMs: clock.now() });
  } catch (cause) {
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      throw new UserError(say('feed.notInCatalog', { feed: name }), { cause });
    }
    throw cause;
  }
}
