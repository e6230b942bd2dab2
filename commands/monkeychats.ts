import { monkeychatsCard } from '../src/bot/discord/cards/list-cards.ts';
import { monkeychatDetailCard } from '../src/bot/discord/cards/monkeychat-card.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { ANYWHERE } from './places.ts';
import { readEntities } from './seen.ts';
import type { Command, CommandServices } from './shared.ts';

export const monkeychats: Command = {
  data: { ...named('command.monkeychats.name'), ...described('command.monkeychats'), ...ANYWHERE },
  answer: 'public',
  execute: (_, shared, translator, context) => monkeychatsPage(1, shared, translator, context),
  actions: {
    monkeychats: {
      answer: 'update',
      run: ({ page }, _, shared, translator, context) => monkeychatsPage(page, shared, translator, context),
    },
    monkeychat: {
      answer: 'private',
      async run({ subject }, _, shared, translator, context) {
        const { entities } = await readEntities('monkeychats', shared, context);
        const monkeychat = entities.find((entity) => entity.subject === subject);
        if (!monkeychat) throw new UserError(message('monkeychat.over'));
        return monkeychatDetailCard(monkeychat.item, { translator, nowMs: shared.clock.now() });
      },
    },
  },
};

async function monkeychatsPage(
  page: number,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  const { entities, age } = await readEntities('monkeychats', shared, context);
  return monkeychatsCard(
    { monkeychats: entities.map(({ item }) => item), page, age },
    { translator, nowMs: shared.clock.now() },
  );
}
