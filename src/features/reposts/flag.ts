import type { FeatureFlag } from '../../../commands/shared.ts';
import { commandWords } from '../../discord/i18n/command-words.ts';
import { message } from '../../discord/i18n/translator.ts';
import { WORDS } from './words/index.ts';

const { described } = commandWords(WORDS);

/** Whether the post of a product's last listing is updated where the next one follows soon at about the same price. */
export const REVIVE: FeatureFlag = {
  field: 'isReviving',
  name: 'revive',
  kind: 'flag',
  usual: false,
  rank: 13,
  only: 'relisted',
  option: described('command.setting.revive'),
  line: 'panel.setting.revive',
  on: { step: 'revive', label: message('button.revive') },
  off: { step: 'no-revive', label: message('button.noRevive') },
};

declare module '../../deals/settings.ts' {
  interface FeatureFlags {
    isReviving: { name: 'revive'; steps: 'revive' | 'no-revive' };
  }
}
