import { newestFirst } from '../src/bot/deals/life.ts';
import { dealcastDetailCard } from '../src/bot/discord/cards/dealcast-card.ts';
import { dealcastsCard } from '../src/bot/discord/cards/list-cards.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { Turn } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { say, type Words } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { ANYWHERE } from './places.ts';
import { seeThings } from './seen.ts';
import type { Command, Shared } from './shared.ts';

export const dealcasts: Command = {
  data: { ...named('command.dealcasts.name'), ...described('command.dealcasts'), ...ANYWHERE },
  answer: 'public',
  execute: (_, shared, words, turn) => dealcastsPage(1, shared, words, turn),
  actions: {
    dealcasts: {
      answer: 'update',
      run: ({ page }, _, shared, words, turn) => dealcastsPage(page, shared, words, turn),
    },
    dealcast: {
      answer: 'private',
      async run({ subject }, _, shared, words, turn) {
        const { things } = await seeThings('dealcasts', shared, turn);
        const dealcast = things.find((thing) => thing.subject === subject);
        if (!dealcast) throw new UserError(say('dealcast.over'));
        return dealcastDetailCard(dealcast.item, { words, nowMs: shared.clock.now() });
      },
    },
  },
};

async function dealcastsPage(page: number, shared: Shared, words: Words, turn: Turn): Promise<Card> {
  const { things, age } = await seeThings('dealcasts', shared, turn);
  const dealcasts = newestFirst(things.map(({ item }) => item));
  return dealcastsCard({ dealcasts, page, age }, { words, nowMs: shared.clock.now() });
}
