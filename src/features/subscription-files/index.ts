import type { Feature } from '../../app/feature.ts';
import type { Store } from '../../store/store.ts';
import { entryOf } from './entry.ts';
import { exporting, importHandlers, importing } from './in-discord.ts';
import { RECORDS } from './records.ts';
import { SUBSCRIPTIONS } from './terminal/command.ts';
import { applyForOperator, firstSubscriptions } from './terminal/in-bot.ts';
import { JOB } from './terminal/protocol.ts';
import { WORDS } from './words/index.ts';

/** Subscriptions as a file that people edit: exported and imported in Discord, planned and applied in a terminal. */
export const subscriptionFiles: Feature = {
  name: 'subscription-files',
  words: WORDS,
  subcommands: [exporting, importing],
  handlers: [importHandlers],
  records: RECORDS,
  operatorCommands: [SUBSCRIPTIONS],
  subscriptionForm: { read: firstSubscriptions, written: entryOf },
  start: (core) => ({
    services: { imports: core.store.imports },
    operatorJobs: [{ name: JOB, run: (asked, waiting) => applyForOperator(asked, waiting, core) }],
  }),
};

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    imports: Store['imports'];
  }
}
