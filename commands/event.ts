import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { isUuid } from '../src/bot/catalog/wire.ts';
import type { DealEvent } from '../src/bot/deals/event.ts';
import { hasEnded, newestFirst } from '../src/bot/deals/life.ts';
import { eventDetailCard, eventTypeName } from '../src/bot/discord/cards/event-card.ts';
import type { Age } from '../src/bot/discord/cards/paged-card.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { Turn } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import { say, type Words } from '../src/bot/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { ANYWHERE } from './places.ts';
import { answerAge, knownThings, seeThings } from './seen.ts';
import type { Command, Shared } from './shared.ts';

/** An answer about one event that is this old is good enough: longer than anybody turns its pages. */
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
  async execute(interaction, shared, words, turn) {
    const typed = interaction.options.getString('event', true).trim();
    if (isUuid(typed)) return eventPage(typed.toLowerCase(), 1, shared, words, turn);
    const { things, age } = await seeThings('events', shared, turn);
    const [found] = running(things, shared).filter((event) => mentions(event, typed, words));
    if (!found) throw new UserError(say('event.unknown'));
    return eventDetailCard({ event: found, page: 1, age }, { words, nowMs: shared.clock.now() });
  },
  autocomplete(interaction, shared, words) {
    const known = running(knownThings('events', shared.currentState) ?? [], shared);
    return known
      .filter((event) => mentions(event, interaction.options.getFocused(), words))
      .map((event) => ({ name: choiceName(event, words), value: event.id }));
  },
  actions: {
    event: {
      answer: 'private',
      run: ({ eventId }, _, shared, words, turn) => eventPage(eventId, 1, shared, words, turn),
    },
    'event-page': {
      answer: 'update',
      run: ({ eventId, page }, _, shared, words, turn) => eventPage(eventId, page, shared, words, turn),
    },
  },
};

/** The events that run, newest first. */
export function running(things: readonly { item: DealEvent }[], { clock }: Pick<Shared, 'clock'>): DealEvent[] {
  const nowMs = clock.now();
  return newestFirst(things.map(({ item }) => item).filter((event) => !hasEnded(event, nowMs)));
}

/** Whether each word that was typed is somewhere in the event's title, site or type. */
function mentions(event: DealEvent, typed: string, words: Words): boolean {
  const text = choiceName(event, words).toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** `Kettle, 2 l · Daily · home.example.com`: plain text. */
function choiceName(event: DealEvent, words: Words): string {
  return [event.title, eventTypeName(event.type, words), event.site].filter((part) => part !== null).join(' · ');
}

async function eventPage(id: string, page: number, shared: Shared, words: Words, turn: Turn): Promise<Card> {
  const { event, age } = await findEvent(id, shared, turn);
  return eventDetailCard({ event, page, age }, { words, nowMs: shared.clock.now() });
}

/** Among those that have been seen; only for one that is not is the catalog asked by its id. */
async function findEvent(id: string, shared: Shared, turn: Turn): Promise<{ event: DealEvent; age: Age }> {
  const { things, age } = await seeThings('events', shared, turn);
  const seen = things.find(({ item }) => item.id === id);
  if (seen) return { event: seen.item, age };
  if (!isUuid(id)) throw new UserError(say('event.over'));
  const answer = await shared.catalog.events.get(id, turn.asking(GOOD_FOR_MS));
  if (!answer.value) throw new UserError(say('event.over'));
  return { event: answer.value, age: answerAge(answer, 'v2', shared.catalog) };
}
