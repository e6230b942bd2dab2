import type { FeatureFlag } from '../../../commands/shared.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { canPin } from '../../discord/permissions.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

/** Whether the post of an event always shows what is on now, and is pinned. */
export const BOARD: FeatureFlag = {
  field: 'isBoard',
  name: 'board',
  kind: 'flag',
  usual: false,
  rank: 12,
  only: 'event-started',
  option: described('command.setting.board'),
  line: 'panel.setting.board',
  on: { step: 'board', label: message('button.board') },
  off: { step: 'no-board', label: message('button.noBoard') },
  warnings: async ({ isBoard = false }, where) =>
    isBoard && !(await canPin(where)) ? [message('panel.boardNotPinned')] : [],
};

declare module '../../deals/settings.ts' {
  interface FeatureFlags {
    isBoard: { name: 'board'; steps: 'board' | 'no-board' };
  }
}
