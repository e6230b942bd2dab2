import type { Feature } from '../../app/feature.ts';
import { act, step } from './actions.ts';
import { preview, previewHandlers, test, testHandlers } from './preview.ts';
import { why } from './why.ts';
import { WORDS } from './words/index.ts';

/** Why something was posted or not, what a subscription would have posted, and a sample of that. */
export const whyAndPreview: Feature = {
  name: 'why',
  words: WORDS,
  commands: [why],
  subcommands: [test, preview],
  handlers: [previewHandlers, testHandlers],
  helpLines: ({ translator }) => ({ manage: translator.command('why') }),
  panelButtons: [
    {
      row: 'actions',
      label: (translator) => translator.t('button.test'),
      action: (subscriptionId) => step({ do: 'subscription', step: 'test', subscriptionId }),
    },
    {
      row: 'actions',
      label: (translator) => translator.t('button.preview'),
      action: (subscriptionId) => act({ do: 'preview', subscriptionId, page: 1 }),
    },
  ],
};
