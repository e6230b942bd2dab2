import { pollsCard } from '../src/bot/discord/cards/list-cards.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import { pollDetailCard } from '../src/bot/discord/cards/poll-card.ts';
import type { Turn } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { say, type Words } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { ANYWHERE } from './places.ts';
import { seeThings } from './seen.ts';
import type { Command, Shared } from './shared.ts';

export const polls: Command = {
  data: { ...named('command.polls.name'), ...described('command.polls'), ...ANYWHERE },
  answer: 'public',
  execute: (_, shared, words, turn) => pollsPage(1, shared, words, turn),
  actions: {
    polls: {
      answer: 'update',
      run: ({ page }, _, shared, words, turn) => pollsPage(page, shared, words, turn),
    },
    poll: {
      answer: 'private',
      async run({ subject }, _, shared, words, turn) {
        const { things, age } = await seeThings('polls', shared, turn);
        const poll = things.find((thing) => thing.subject === subject);
        if (!poll) throw new UserError(say('poll.over'));
        return pollDetailCard(poll.item, age, { words, nowMs: shared.clock.now() });
      },
    },
  },
};

async function pollsPage(page: number, shared: Shared, words: Words, turn: Turn): Promise<Card> {
  const { things, age } = await seeThings('polls', shared, turn);
  return pollsCard({ polls: things.map(({ item }) => item), page, age }, { words, nowMs: shared.clock.now() });
}
