import { THINGS } from '../src/announcements/kinds/index.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import { thingDetailCard, thingsCard } from '../src/discord/cards/thing-card.ts';
import { described } from '../src/discord/i18n/command-words.ts';
import { message } from '../src/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { readEntities } from './known.ts';
import { ANYWHERE, type Command, type Request } from './shared.ts';

/** `/dealcasts`, `/polls`, `/monkeychats`: a command for each thing of the catalog, with its list and a card for each. */
export const things: readonly Command[] = Object.values(THINGS).map((thing): Command => {
  const { source, entity } = thing;

  async function list(page: number, request: Request): Promise<Card> {
    const { entities, age } = await readEntities(source, request);
    return thingsCard(thing, { items: entities.map(({ item }) => item), page, age }, request.cardContext);
  }

  return {
    data: { name: source, ...described(`command.${source}`), ...ANYWHERE },
    answer: 'public',
    execute: (request) => list(1, request),
    actions: {
      [source]: { answer: 'update', run: ({ page }: { page: number }, request: Request) => list(page, request) },
      [entity]: {
        answer: 'private',
        async run({ subject }: { subject: string }, request: Request) {
          const { entities, age } = await readEntities(source, request);
          const found = entities.find((known) => known.subject === subject);
          if (!found) throw new UserError(message(`${entity}.over`));
          return thingDetailCard(thing, { item: found.item, age }, request.cardContext);
        },
      },
    },
  };
});
