import { running } from '../../../commands/events.ts';
import { readEntities } from '../../../commands/known.ts';
import type { CommandServices, Request } from '../../../commands/shared.ts';
import { EVENT_TYPES, type EventListFilter, isWanted, SITE_PREFIXES } from '../../deals/event.ts';
import { type ActionOf, actionsOf, field } from '../../discord/action-table.ts';
import { actionButton, type Card, noticeCard, withFile } from '../../discord/cards/parts.ts';
import type { Handlers } from '../../discord/command.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { message } from '../../discord/i18n/translator.ts';
import { UserError } from '../../shared/errors.ts';
import { calendarOf } from './calendar-file.ts';

const TABLE = { 'events-calendar': { site: field.oneOfOrNull(SITE_PREFIXES), type: field.oneOfOrNull(EVENT_TYPES) } };
const act = actionsOf(TABLE);

/** The button below a list of events. */
export const calendarButton = (filter: EventListFilter, translator: Translator) =>
  actionButton(translator.t('button.calendar'), act({ do: 'events-calendar', ...filter }));

export const calendarHandlers: Handlers<CommandServices, ActionOf<typeof TABLE>> = {
  table: TABLE,
  actions: {
    'events-calendar': {
      answer: 'private',
      run: ({ site, type }, request) => eventsCalendar({ site, type }, request),
    },
  },
};

/** The events that run or are to come, as a file for a calendar application. */
async function eventsCalendar(filter: EventListFilter, request: Request): Promise<Card> {
  const { entities } = await readEntities('events', request);
  const { translator, nowMs } = request.cardContext;
  const toCome = request.services.currentState
    .toCome('events')
    .flatMap(({ announcement }) => (announcement.kind === 'event-started' ? [announcement] : []));
  const wanted = running([...entities, ...toCome], nowMs).filter((event) => isWanted(event, filter));
  if (wanted.length === 0) throw new UserError(message('events.none'));
  const content = Buffer.from(calendarOf(wanted, translator, nowMs));
  return withFile(noticeCard(translator.t('events.calendar')), { name: 'events.ics', content });
}
