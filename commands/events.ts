import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { isUuid } from '../src/catalog/fields.ts';
import { type DealEvent, EVENT_TYPES, type EventListFilter, SITE_PREFIXES } from '../src/deals/event.ts';
import { hasEnded, newestFirst } from '../src/deals/life.ts';
import { eventDetailCard, eventsCard, eventTypeName } from '../src/discord/cards/event-card.ts';
import type { Age } from '../src/discord/cards/paged-card.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import type { Action } from '../src/discord/custom-id.ts';
import { described, named } from '../src/discord/i18n/command-words.ts';
import { message, type Translator } from '../src/discord/i18n/translator.ts';
import { UserError } from '../src/shared/errors.ts';
import { MINUTE_MS } from '../src/shared/time.ts';
import { answerAge, knownEntities, readEntities } from './known.ts';
import { ANYWHERE, type Command, type Request } from './shared.ts';
import { fixable, InputError } from './typed-options.ts';

/** The maximum age of an answer about one event: longer than anybody pages through it. */
const GOOD_FOR_MS = 15 * MINUTE_MS;

export const events: Command = {
  data: {
    name: 'events',
    ...described('command.events'),
    ...ANYWHERE,
    options: [
      {
        type: ApplicationCommandOptionType.String,
        name: 'site',
        ...described('command.events.site'),
        choices: SITE_PREFIXES.map((site) => ({ name: site, value: site })),
      },
      {
        type: ApplicationCommandOptionType.String,
        name: 'type',
        ...described('command.events.type'),
        choices: EVENT_TYPES.map((type) => ({ ...named(`event.type.${type}`), value: type })),
      },
    ],
  },
  answer: 'public',
  execute(request) {
    const site = request.options.getString('site');
    const type = request.options.getString('type');
    const filter = {
      site: SITE_PREFIXES.find((prefix) => prefix === site) ?? null,
      type: EVENT_TYPES.find((eventType) => eventType === type) ?? null,
    };
    return eventsPage(filter, 1, request);
  },
  actions: {
    events: {
      answer: 'update',
      run: ({ site, type, page }, request) => eventsPage({ site, type }, page, request),
    },
  },
};

/** Filters locally: one request brings all events, whereas each combination of site and type would need its own. */
async function eventsPage(filter: EventListFilter, page: number, request: Request): Promise<Card> {
  const { entities, age } = await readEntities('events', request);
  const context = request.cardContext;
  const added = request.services.eventListButtons.map((button) => button(filter, context.translator));
  return eventsCard({ events: running(entities, context.nowMs), filter, page, age, added }, context);
}

const EVENT_OPTIONS: APIApplicationCommandBasicOption[] = [
  {
    type: ApplicationCommandOptionType.String,
    name: 'event',
    ...described('command.event.event'),
    required: true,
    autocomplete: true,
    max_length: 200,
  },
];

const asked = fixable<Action & { do: 'event-again' }>({
  options: EVENT_OPTIONS,
  async answer(options, request) {
    const typed = options.get('event')?.trim() ?? '';
    if (isUuid(typed)) return eventPage(typed.toLowerCase(), 1, request);
    const { entities, age } = await readEntities('events', request);
    const { translator, nowMs } = request.cardContext;
    const found = running(entities, nowMs).find((event) => mentions(event, typed, translator));
    if (!found) throw new InputError(['event'], message('event.unknown'));
    return detailCard(found, 1, age, request);
  },
});

export const event: Command = {
  data: {
    name: 'event',
    ...described('command.event'),
    ...ANYWHERE,
    options: EVENT_OPTIONS,
  },
  answer: 'public',
  execute: (request) => asked.ask({ do: 'event-again' }, request),
  autocomplete({ options, services, cardContext: { translator, nowMs } }) {
    return running(knownEntities('events', services.currentState) ?? [], nowMs)
      .filter((event) => mentions(event, options.getFocused(), translator))
      .map((event) => ({ name: choiceName(event, translator), value: event.id }));
  },
  actions: {
    'event-again': asked.button,
    event: {
      answer: 'private',
      run: ({ eventId }, request) => eventPage(eventId, 1, request),
    },
    'event-page': {
      answer: 'update',
      run: ({ eventId, page }, request) => eventPage(eventId, page, request),
    },
  },
  forms: { 'event-again': asked.form },
};

/** The running events, newest first. @public for features */
export function running(entities: readonly { item: DealEvent }[], nowMs: number): DealEvent[] {
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

/** Finds the event among those known, and asks the catalog by id only for an unknown one. */
async function eventPage(id: string, page: number, request: Request): Promise<Card> {
  const { catalog } = request.services;
  const { entities, age } = await readEntities('events', request);
  const seen = entities.find(({ item }) => item.id === id);
  if (seen) return detailCard(seen.item, page, age, request);
  const answer = isUuid(id) ? await catalog.events.get(id, request.asking(GOOD_FOR_MS)) : null;
  if (!answer?.value) throw new UserError(message('event.over'));
  return detailCard(answer.value, page, answerAge(answer, 'v2', catalog), request);
}

function detailCard(event: DealEvent, page: number, age: Age, { services, cardContext }: Request): Card {
  const foretold = services.currentState.stock.foretold(event, cardContext.nowMs);
  return eventDetailCard({ event: foretold, page, age }, cardContext);
}
