import type { Interaction } from 'discord.js';
import { evaluate, type Filter } from '../../src/bot/deals/filter/index.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { type Matching, watchedCard, watchFeedForm } from '../../src/bot/discord/cards/watch-cards.ts';
import { requireFilter } from '../../src/bot/discord/filter-mistake.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { UserError } from '../../src/shared/errors.ts';
import { requireFeed } from '../feed-option.ts';
import { candidatesIn } from '../live-candidates.ts';
import type { Command, CommandServices } from '../shared.ts';
import { addWatch } from './save.ts';

/** The form that members get who can't subscribe a channel to a feed. */
export const feedActions = {
  'watch-feed': {
    answer: 'private',
    run: async ({ feed }, _, shared, translator) => watchFeedForm(requireFeed(feed, shared.feeds), translator),
  },
} satisfies Command['actions'];

export const feedForms = {
  'watch-feed': {
    answer: 'private',
    run: async ({ feed }, interaction, shared, translator) =>
      watchNew({ feed, written: interaction.fields.getTextInputValue('filter') }, interaction, shared, translator),
  },
} satisfies Command['forms'];

/** Watches for the new offers of a feed that match a filter, and answers with how many do now. */
export async function watchNew(
  { feed: typed, written }: { feed: string; written: string },
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const feed = requireFeed(typed, shared.feeds);
  const filter = requireFilter(written.trim());
  if (filter.text === '') throw new UserError(message('watch.noFilter'));
  const source = { kind: 'feed', feed } as const;
  const watch = await addWatch(
    { source, filter: filter.text, watch: { aim: 'new', product: null, below: null } },
    interaction,
    shared,
  );
  const closed = (shared.people.get(interaction.user.id)?.closed ?? null) !== null;
  const matches = matchingNow(filter, feed, shared);
  return watchedCard(watch, { now: null, matches, closed }, { translator, nowMs: shared.clock.now() });
}

function matchingNow(filter: Filter, feed: string, shared: CommandServices): Matching | null {
  const live = candidatesIn({ kind: 'feed', feed }, shared);
  if (!live) return null;
  const nowMs = shared.clock.now();
  const matching = live.candidates.filter(({ subject }) => evaluate(filter, subject, nowMs)).length;
  return { matching, count: live.candidates.length, readAtMs: live.readAtMs };
}
