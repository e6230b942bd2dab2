import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { isUuid } from '../src/bot/catalog/wire.ts';
import type { DealEvent } from '../src/bot/deals/event.ts';
import { hasEnded, newestFirst } from '../src/bot/deals/life.ts';
import { eventDetailCard, eventTypeName } from '../src/bot/discord/cards/event-card.ts';
import type { Age } from '../src/bot/discord/cards/paged-card.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { ANYWHERE } from './places.ts';
import { answerAge, knownEntities, readEntities } from './seen.ts';
import type { Command, CommandServices } from './shared.ts';

/** The maximum age of an answer about one event: longer than anybody pages through it. */
const GOOD_FOR_MS = 15 * 60_000;

export const event: Command = {
  data: {
    ...named('command.event.name'),
    ...described('command.event'),
    ...ANYWHERE,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'event',
        ...described('command.event.event'),
        required: true,
        autocomplete: true,
        max_length: 200,
      },
    ],
  },
  answer: 'public',
  async execute(interaction, shared, translator, context) {
    const typed = interaction.options.getString('event', true).trim();
    if (isUuid(typed)) return eventPage(typed.toLowerCase(), 1, shared, translator, context);
    const { entities, age } = await readEntities('events', shared, context);
    const [found] = running(entities, shared).filter((event) => mentions(event, typed, translator));
    if (!found) throw new UserError(message('event.unknown'));
    const nowMs = shared.clock.now();
    return eventDetailCard(
      { event: shared.currentState.stock.foretold(found, nowMs), page: 1, age },
      { translator, nowMs },
    );
  },
  autocomplete(interaction, shared, translator) {
    const known = running(knownEntities('events', shared.currentState) ?? [], shared);
    return known
      .filter((event) => mentions(event, interaction.options.getFocused(), translator))
      .map((event) => ({ name: choiceName(event, translator), value: event.id }));
  },
  actions: {
    event: {
      answer: 'private',
      run: ({ eventId }, _, shared, translator, context) => eventPage(eventId, 1, shared, translator, context),
    },
    'event-page': {
      answer: 'update',
      run: ({ eventId, page }, _, shared, translator, context) => eventPage(eventId, page, shared, translator, context),
    },
  },
};

/** The running events, newest first. */
export function running(
  entities: readonly { item: DealEvent }[],
  { clock }: Pick<CommandServices, 'clock'>,
): DealEvent[] {
  const nowMs = clock.now();
  return newestFirst(entities.map(({ item }) => item).filter((event) => !hasEnded(event, nowMs)));
}

/** Whether the event's title, site or type contains each typed word. */
function mentions(event: DealEvent, typed: string, translator: Translator): boolean {
  const text = choiceName(event, translator).toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** `Kettle, 2 l · Daily · home.example.com`: plain text. */
function choiceName(event: DealEvent, translator: Translator): string {
  return [event.title, eventTypeName(event.type, translator), event.site].filter((part) => part !== null).join(' · ');
}

async function eventPage(
  id: string,
  page: number,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  const { event, age } = await findEvent(id, shared, context);
  const nowMs = shared.clock.now();
  return eventDetailCard({ event: shared.currentState.stock.foretold(event, nowMs), page, age }, { translator, nowMs });
}

/** Finds an event among those known, and asks the catalog by id only for an unknown one. */
async function findEvent(
  id: string,
  shared: CommandServices,
  context: CommandContext,
): Promise<{ event: DealEvent; age: Age }> {
  const { entities, age } = await readEntities('events', shared, context);
  const seen = entities.find(({ item }) => item.id === id);
  if (seen) return { event: seen.item, age };
  if (!isUuid(id)) throw new UserError(message('event.over'));
  const answer = await shared.catalog.events.get(id, context.asking(GOOD_FOR_MS));
  if (!answer.value) throw new UserError(message('event.over'));
  return { event: answer.value, age: answerAge(answer, 'v2', shared.catalog) };
}
