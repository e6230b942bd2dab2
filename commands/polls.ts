import { pollsCard } from '../src/bot/discord/cards/list-cards.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { pollDetailCard } from '../src/bot/discord/cards/poll-card.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { ANYWHERE } from './places.ts';
import { readEntities } from './seen.ts';
import type { Command, CommandServices } from './shared.ts';

export const polls: Command = {
  data: { ...named('command.polls.name'), ...described('command.polls'), ...ANYWHERE },
  answer: 'public',
  execute: (_, shared, translator, context) => pollsPage(1, shared, translator, context),
  actions: {
    polls: {
      answer: 'update',
      run: ({ page }, _, shared, translator, context) => pollsPage(page, shared, translator, context),
    },
    poll: {
      answer: 'private',
      async run({ subject }, _, shared, translator, context) {
        const { entities, age } = await readEntities('polls', shared, context);
        const poll = entities.find((entity) => entity.subject === subject);
        if (!poll) throw new UserError(message('poll.over'));
        return pollDetailCard(poll.item, age, { translator, nowMs: shared.clock.now() });
      },
    },
  },
};

async function pollsPage(
  page: number,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  const { entities, age } = await readEntities('polls', shared, context);
  return pollsCard({ polls: entities.map(({ item }) => item), page, age }, { translator, nowMs: shared.clock.now() });
}
