import type { Card } from '../src/discord/cards/parts.ts';
import { pollDetailCard, pollsCard } from '../src/discord/cards/poll-card.ts';
import { described, named } from '../src/discord/i18n/command-words.ts';
import { message } from '../src/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { readEntities } from './known.ts';
import { ANYWHERE, type Command, type Request } from './shared.ts';

export const polls: Command = {
  data: { ...named('command.polls.name'), ...described('command.polls'), ...ANYWHERE },
  answer: 'public',
  execute: (request) => pollsPage(1, request),
  actions: {
    polls: {
      answer: 'update',
      run: ({ page }, request) => pollsPage(page, request),
    },
    poll: {
      answer: 'private',
      async run({ subject }, request) {
        const { entities, age } = await readEntities('polls', request);
        const poll = entities.find((entity) => entity.subject === subject);
        if (!poll) throw new UserError(message('poll.over'));
        return pollDetailCard(poll.item, age, request.cardContext);
      },
    },
  },
};

async function pollsPage(page: number, request: Request): Promise<Card> {
  const { entities, age } = await readEntities('polls', request);
  return pollsCard({ polls: entities.map(({ item }) => item), page, age }, request.cardContext);
}
