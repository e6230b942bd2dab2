import { newestFirst } from '../src/deals/life.ts';
import { dealcastDetailCard, dealcastsCard } from '../src/discord/cards/dealcast-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { described, named } from '../src/discord/i18n/command-words.ts';
import { message } from '../src/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { readEntities } from './known.ts';
import { ANYWHERE, type Command, type Request } from './shared.ts';

export const dealcasts: Command = {
  data: { ...named('command.dealcasts.name'), ...described('command.dealcasts'), ...ANYWHERE },
  answer: 'public',
  execute: (request) => dealcastsPage(1, request),
  actions: {
    dealcasts: {
      answer: 'update',
      run: ({ page }, request) => dealcastsPage(page, request),
    },
    dealcast: {
      answer: 'private',
      async run({ subject }, request) {
        const { entities } = await readEntities('dealcasts', request);
        const dealcast = entities.find((entity) => entity.subject === subject);
        if (!dealcast) throw new UserError(message('dealcast.over'));
        return dealcastDetailCard(dealcast.item, request.cardContext);
      },
    },
  },
};

async function dealcastsPage(page: number, request: Request): Promise<Card> {
  const { entities, age } = await readEntities('dealcasts', request);
  const dealcasts = newestFirst(entities.map(({ item }) => item));
  return dealcastsCard({ dealcasts, page, age }, request.cardContext);
}
