import { dealcastSubject } from '../src/deals/dealcast.ts';
import { newestFirst } from '../src/deals/life.ts';
import { dealcastDetailCard } from '../src/discord/cards/dealcast-card.ts';
import { dealcastsCard } from '../src/discord/cards/list-cards.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import type { Turn } from '../src/discord/command.ts';
import { described, named } from '../src/discord/words/command-words.ts';
import { say, type Words } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import { type Command, MAX_AGE_MS, type Shared } from './shared.ts';

export const dealcasts: Command = {
  data: { ...named('command.dealcasts.name'), ...described('command.dealcasts') },
  answer: 'public',
  execute: (_, shared, words, turn) => dealcastsPage(1, shared, words, turn),
  actions: {
    dealcasts: {
      answer: 'update',
      run: ({ page }, _, shared, words, turn) => dealcastsPage(page, shared, words, turn),
    },
    dealcast: {
      answer: 'private',
      async run({ subject }, _, { catalog, clock }, words, turn) {
        const { value } = await catalog.dealcasts.list(turn.asking(MAX_AGE_MS));
        const dealcast = value.find((candidate) => dealcastSubject(candidate) === subject);
        if (!dealcast) throw new UserError(say('dealcast.over'));
        return dealcastDetailCard(dealcast, { words, nowMs: clock.now() });
      },
    },
  },
};

async function dealcastsPage(page: number, { catalog, clock }: Shared, words: Words, turn: Turn): Promise<Card> {
  const { value, ...age } = await catalog.dealcasts.list(turn.asking(MAX_AGE_MS));
  return dealcastsCard({ dealcasts: newestFirst(value), page, age }, { words, nowMs: clock.now() });
}
