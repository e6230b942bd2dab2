import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { CatalogHttpError } from '../src/catalog/errors.ts';
import { newestFirst } from '../src/deals/life.ts';
import { feedCard } from '../src/discord/cards/list-cards.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { UserError } from '../src/errors.ts';
import { feedChoices, requireFeed } from './feed-option.ts';
import type { Command, Shared } from './shared.ts';

export const feed: Command = {
  data: {
    name: 'feed',
    description: 'The live offers of a feed, newest first',
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'feed',
        description: 'Which feed',
        required: true,
        autocomplete: true,
      },
      {
        type: ApplicationCommandOptionType.Integer,
        name: 'page',
        description: 'Which page of five offers; 1 is the first',
        min_value: 1,
        max_value: 1000,
      },
    ],
  },
  answer: 'public',
  execute: (interaction, shared) =>
    feedPage(
      requireFeed(interaction.options.getString('feed', true), shared.feeds),
      interaction.options.getInteger('page') ?? 1,
      shared,
    ),
  autocomplete: (interaction, { feeds }) => feedChoices(interaction.options.getFocused(), feeds),
  actions: {
    feed: {
      answer: 'update',
      run: ({ feed, page }, _, shared) => feedPage(requireFeed(feed, shared.feeds), page, shared),
    },
  },
};

async function feedPage(name: string, page: number, { poster, offers, clock }: Shared): Promise<Card> {
  try {
    const age = await poster.poll(`feed:${name}`, 'interactive');
    const live = offers.live(name).map(({ offer }) => offer);
    const marketingName = offers.feedState(name)?.marketingName ?? null;
    return feedCard(name, marketingName, newestFirst(live), page, age, clock.now());
  } catch (cause) {
    if (cause instanceof CatalogHttpError && (cause.status === 400 || cause.status === 404)) {
      throw new UserError(`The catalog has no feed ${name}.`, { cause });
    }
    throw cause;
  }
}
