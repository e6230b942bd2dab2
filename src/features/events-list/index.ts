import type { Feature } from '../../app/feature.ts';
import { Calendar } from './calendar.ts';
import { calendarButton, calendarHandlers } from './calendar-button.ts';
import { CALENDAR } from './flag.ts';
import { RECORDS } from './records.ts';
import { createScheduledEvents, lackToCreateEvents } from './scheduled-events.ts';
import { checkServer } from './setup.ts';
import { WORDS } from './words/index.ts';

/** Events in people's calendars: the servers' own Events lists, and a file. */
export const eventsList: Feature = {
  name: 'events-list',
  words: WORDS,
  flags: [CALENDAR],
  eventListButton: calendarButton,
  handlers: [calendarHandlers],
  records: RECORDS,
  checkServer,
  start({ client, signal, metrics, translators, store, ...core }) {
    const requests = metrics.counter(
      'calendar_requests_total',
      "Requests about the servers' Events lists, by outcome.",
      'request',
      'outcome',
    );
    const guildOf = (guildId: string) => client.guilds.cache.get(guildId) ?? null;
    const calendar = new Calendar({
      ...core,
      store,
      signal,
      scheduledEvents: createScheduledEvents(client, signal),
      lackIn: (guildId) => lackToCreateEvents(guildOf(guildId)),
      translatorOf: (guildId) => translators(guildOf(guildId)?.preferredLocale),
      clearFromMs: store.clearFromMs,
      onOutcome: (request, outcome) => requests.inc({ request, outcome }),
    });
    // The entries follow the bot's permissions.
    client.on('roleUpdate', (_, { guild }) => calendar.retry(guild.id));
    // Without the privileged intent, this is the bot itself.
    client.on('guildMemberUpdate', (_, { guild }) => calendar.retry(guild.id));
    return {
      services: { calendar },
      jobs: [{ name: 'calendar', cron: '* * * * *', run: () => calendar.refresh() }],
    };
  },
};

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    calendar: Calendar;
  }
}
