import { monkeychatDetailCard, monkeychatsCard } from '../src/discord/cards/monkeychat-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { described, named } from '../src/discord/i18n/command-words.ts';
import { message } from '../src/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { readEntities } from './known.ts';
import { ANYWHERE, type Command, type Request } from './shared.ts';

export const monkeychats: Command = {
  data: { ...named('command.monkeychats.name'), ...described('command.monkeychats'), ...ANYWHERE },
  answer: 'public',
  execute: (request) => monkeychatsPage(1, request),
  actions: {
    monkeychats: {
      answer: 'update',
      run: ({ page }, request) => monkeychatsPage(page, request),
    },
    monkeychat: {
      answer: 'private',
      async run({ subject }, request) {
        const { entities } = await readEntities('monkeychats', request);
        const monkeychat = entities.find((entity) => entity.subject === subject);
        if (!monkeychat) throw new UserError(message('monkeychat.over'));
        return monkeychatDetailCard(monkeychat.item, request.cardContext);
      },
    },
  },
};

async function monkeychatsPage(page: number, request: Request): Promise<Card> {
  const { entities, age } = await readEntities('monkeychats', request);
  return monkeychatsCard({ monkeychats: entities.map(({ item }) => item), page, age }, request.cardContext);
}
