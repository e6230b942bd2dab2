import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { EVENT_TYPES, type EventListFilter, SITE_PREFIXES } from '../src/bot/deals/event.ts';
import { eventsCard } from '../src/bot/discord/cards/list-cards.ts';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { CommandContext } from '../src/bot/discord/command.ts';
import { described, named } from '../src/bot/discord/i18n/command-words.ts';
import type { Translator } from '../src/bot/discord/i18n/translator.ts';
import { running } from './event.ts';
import { ANYWHERE } from './places.ts';
import { readEntities } from './seen.ts';
import type { Command, CommandServices } from './shared.ts';

export const events: Command = {
  data: {
    ...named('command.events.name'),
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
  execute: (interaction, shared, translator, context) => {
    const site = interaction.options.getString('site');
    const type = interaction.options.getString('type');
    const filter = {
      site: SITE_PREFIXES.find((prefix) => prefix === site) ?? null,
      type: EVENT_TYPES.find((eventType) => eventType === type) ?? null,
    };
    return eventsPage(filter, 1, shared, translator, context);
  },
  actions: {
    events: {
      answer: 'update',
      run: ({ site, type, page }, _, shared, translator, context) =>
        eventsPage({ site, type }, page, shared, translator, context),
    },
  },
};

/** Filters locally: one request brings all events, whereas each combination of site and type would need its own. */
async function eventsPage(
  filter: EventListFilter,
  page: number,
  shared: CommandServices,
  translator: Translator,
  context: CommandContext,
): Promise<Card> {
  const { entities, age } = await readEntities('events', shared, context);
  return eventsCard(
    { events: running(entities, shared), filter, page, age },
    { translator, nowMs: shared.clock.now() },
  );
}
