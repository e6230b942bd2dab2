import type { Feature } from '../../app/feature.ts';
import type { Store } from '../../store/store.ts';
import { follow } from './follow.ts';
import { hub } from './hub.ts';
import { offeredHubs } from './offered.ts';
import { noteOutages } from './outages.ts';
import { RECORDS } from './records.ts';
import { WORDS } from './words/index.ts';

/** Announcement channels that the bot's operator offers to other servers, which follow them. */
export const hubs: Feature = {
  name: 'hubs',
  words: WORDS,
  commands: [follow, hub],
  records: RECORDS,
  helpLines: (request) => ({ follow: offeredHubs(request).length > 0 ? request.t('help.hubs') : undefined }),
  start: ({ store, clock }) => ({
    services: { hubs: store.hubs, outages: store.outages },
    jobs: [{ name: 'hub-outages', cron: '* * * * *', run: () => noteOutages(store, clock.now()) }],
    // Who follows a channel gets nothing that isn't published.
    post: { isPublishedOnly: (channelId) => store.hubs.get(channelId) !== undefined },
  }),
};

declare module '../../../commands/shared.ts' {
  interface FeatureServices {
    hubs: Store['hubs'];
    /** When hubs could not publish last. */
    outages: Store['outages'];
  }
}
