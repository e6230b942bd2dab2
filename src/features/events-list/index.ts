import type { Feature } from '../../app/feature.ts';
import { CALENDAR } from './flag.ts';
import { WORDS } from './words/index.ts';

/** The servers' own Events lists, in which the bot puts the events that their subscriptions want there. */
export const eventsList: Feature = {
  name: 'events-list',
  words: WORDS,
  flags: [CALENDAR],
};
