import { newestFirst } from '../src/bot/deals/life.ts';
import { dealcastDetailCard } from '../src/bot/discord/cards/dealcast-card.ts';
import { dealcastsCard } from '../src/bot/discord/cards/list-cards.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { ANYWHERE } from './places.ts';
import { readEntities } from './seen.ts';
import type { Command, CommandServices } from './shared.ts';

export const dealcasts: Command = {
  data: { ...named('command.dealcasts.name'), ...described('command.dealcasts'), ...ANYWHERE },
  answer: 'public',
  execute: (_, shared, translator, context) => dealcastsPage(1, shared, translator, context),
  actions: {
    dealcasts: {
      answer: 'update',
      run: ({ page }, _, shared, translator, context) => dealcastsPage(page, shared, translator, context),
    },
    dealcast: {
      answer: 'private',
      async run({ subject }, _, shared, translator, context) {
        const { entities } = await readEntities('dealcasts', shared, context);
        const dealcast = entities.find((entity) => entity.subject === subject);
        if (!dealcast) throw new UserError(message('dealcast.over'));
        return dealcastDetailCard(dealcast.item, { translator, nowMs: shared.clock.now() });
      },
    },
  },
};

async function dealcastsPage(
  page: number,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  const { entities, age } = await readEntities('dealcasts', shared, context);
  const dealcasts = newestFirst(entities.map(({ item }) => item));
  return dealcastsCard({ dealcasts, page, age }, { translator, nowMs: shared.clock.now() });
}
