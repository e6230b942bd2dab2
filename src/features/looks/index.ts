import type { Feature } from '../../app/feature.ts';
import type { FeatureStores } from '../../store/store.ts';
import { act } from './actions.ts';
import { look } from './command.ts';
import { LOOK } from './field.ts';
import { RECORDS } from './records.ts';
import { WORDS } from './words/index.ts';

/** How posts look in a server and of a subscription, and how the bot itself does. */
export const looks: Feature = {
  name: 'looks',
  words: WORDS,
  records: RECORDS,
  commands: [look],
  commandsBefore: 'status',
  fields: [LOOK],
  panelButtons: [
    {
      row: 'settings',
      label: (translator) => translator.t('button.look'),
      action: (subscriptionId) => act({ do: 'look', step: 'change', subscriptionId }),
    },
  ],
  start: ({ store }) => ({
    services: { looks: store.looks },
    post: { appearanceOf: (guildId, subscription) => ({ ...store.looks.of(guildId), ...subscription?.look }) },
  }),
};

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    looks: FeatureStores['looks'];
  }
}
