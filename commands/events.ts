import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { EVENT_TYPES, type EventType, SITE_PREFIXES, type SitePrefix } from '../src/deals/event.ts';
import { newestFirst } from '../src/deals/life.ts';
import { eventDetailCard } from '../src/discord/cards/event-card.ts';
import { eventsCard } from '../src/discord/cards/list-cards.ts';
import type { Card } from '../src/discord/cards/parts.ts';
import type { Turn } from '../src/discord/command.ts';
import { described, named } from '../src/discord/words/command-words.ts';
import { say, type Words } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import { type Command, MAX_AGE_MS, type Shared } from './shared.ts';

export const events: Command = {
  data: {
    ...named('command.events.name'),
    ...described('command.events'),
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
        choices: EVENT_TYPES.map((type) => ({ name: type, value: type })),
      },
    ],
  },
  answer: 'public',
  execute: (interaction, shared, words, turn) => {
    const site = interaction.options.getString('site');
    const type = interaction.options.getString('type');
    const filter = {
      site: SITE_PREFIXES.find((prefix) => prefix === site) ?? null,
      type: EVENT_TYPES.find((eventType) => eventType === type) ?? null,
    };
    return eventsPage(filter, 1, shared, words, turn);
  },
  actions: {
    events: {
      answer: 'update',
      run: ({ site, type, page }, _, shared, words, turn) => eventsPage({ site, type }, page, shared, words, turn),
    },
    event: {
      answer: 'private',
      run: ({ eventId }, _, shared, words, turn) => eventDetail(eventId, shared, words, turn),
    },
  },
};

/** Filtered here: every combination of site and type is an answer that one request brings. */
async function eventsPage(
  filter: { site: SitePrefix | null; type: EventType | null },
  page: number,
  { catalog, clock }: Shared,
  words: Words,
  turn: Turn,
): Promise<Card> {
  const { value, ...age } = await catalog.events.list({}, turn.asking(MAX_AGE_MS));
  const matching = value.filter(
    (event) =>
      (filter.site === null || event.site?.split('.')[0] === filter.site) &&
      (filter.type === null || event.type === filter.type),
  );
  return eventsCard({ events: newestFirst(matching), filter, page, age }, { words, nowMs: clock.now() });
}

async function eventDetail(id: string, { catalog, clock }: Shared, words: Words, turn: Turn): Promise<Card> {
  const { value: all } = await catalog.events.list({}, turn.asking(MAX_AGE_MS));
  const event = all.find((candidate) => candidate.id === id);
  if (!event) throw new UserError(say('event.over'));
  return eventDetailCard(event, { words, nowMs: clock.now() });
}
