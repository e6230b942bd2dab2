import type { Feature } from '../../app/feature.ts';
import { lackToCreateEvents } from './scheduled-events.ts';
import { hasCalendar } from './wanted.ts';

/** What keeps the bot from putting the events that subscriptions want into a server's list, for the operator's terminal. */
export const checkServer: NonNullable<Feature['checkServer']> = (guild, { subscriptions }, english) => {
  const lack = subscriptions.some(hasCalendar) ? lackToCreateEvents(guild) : null;
  return lack ? [`Events list of ${guild.name}: ${english.translate(lack)}`] : [];
};
