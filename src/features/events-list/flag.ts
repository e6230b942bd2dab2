import type { FeatureFlag } from '../../../commands/shared.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

/** Whether the server's own Events list shows the events, from their announcement to their end. */
export const CALENDAR: FeatureFlag = {
  field: 'isInCalendar',
  name: 'calendar',
  kind: 'flag',
  usual: false,
  rank: 11,
  only: 'event-started',
  option: described('command.setting.calendar'),
  line: 'panel.setting.calendar',
  on: { step: 'show-events', label: message('button.showEvents') },
  off: { step: 'hide-events', label: message('button.hideEvents') },
  troubles({ guildId, isInCalendar = false }, { calendar }) {
    const trouble = isInCalendar ? calendar.troubleIn(guildId) : null;
    return trouble ? [trouble] : [];
  },
  heldUp({ guildId, isInCalendar = false }, { calendar }) {
    const entry = isInCalendar ? calendar.refusedIn(guildId) : null;
    return entry ? [entry] : [];
  },
};

declare module '../../deals/settings.ts' {
  interface FeatureFlags {
    isInCalendar: { name: 'calendar'; steps: 'show-events' | 'hide-events' };
  }
}
