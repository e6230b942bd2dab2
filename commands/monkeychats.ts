import { monkeychatsCard } from '../src/bot/discord/cards/list-cards.ts';
import { monkeychatDetailCard } from '../src/bot/discord/cards/monkeychat-card.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { Turn } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { say, type Words } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { ANYWHERE } from './places.ts';
import { seeThings } from './seen.ts';
import type { Command, Shared } from './shared.ts';

export const monkeychats: Command = {
  data: { ...named('command.monkeychats.name'), ...described('command.monkeychats'), ...ANYWHERE },
  answer: 'public',
  execute: (_, shared, words, turn) => monkeychatsPage(1, shared, words, turn),
  actions: {
    monkeychats: {
      answer: 'update',
      run: ({ page }, _, shared, words, turn) => monkeychatsPage(page, shared, words, turn),
    },
    monkeychat: {
      answer: 'private',
      async run({ subject }, _, shared, words, turn) {
        const { things } = await seeThings('monkeychats', shared, turn);
        const monkeychat = things.find((thing) => thing.subject === subject);
        if (!monkeychat) throw new UserError(say('monkeychat.over'));
        return monkeychatDetailCard(monkeychat.item, { words, nowMs: shared.clock.now() });
      },
    },
  },
};

async function monkeychatsPage(page: number, shared: Shared, words: Words, turn: Turn): Promise<Card> {
  const { things, age } = await seeThings('monkeychats', shared, turn);
  return monkeychatsCard(
    { monkeychats: things.map(({ item }) => item), page, age },
    { words, nowMs: shared.clock.now() },
  );
}
