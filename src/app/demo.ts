import { newSubscription } from '../bot/announcements/kinds/of-source.ts';
import { MOST_PER_HOUR, type Source } from '../bot/deals/subscription.ts';
import type { Store } from '../bot/store/store.ts';
import type { AppContext } from './context.ts';
import type { DiscordSide } from './discord-side.ts';

/** The sources that the first `npm start` announces in `#deals`. */
const SOURCES: readonly Source[] = [{ kind: 'feed', feed: 'Electronics' }, { kind: 'dealcasts' }];
const CATCH_UP = 3;

/** Subscribes the channel at the first start with all parts on loopback. */
export async function setUpDemo({ config, clock }: AppContext, store: Store, { local }: DiscordSide): Promise<void> {
  if (!store.isNew) return;
  if (local && !config.catalog.portal.outside && !config.catalog.v2.outside) {
    for (const source of SOURCES) {
      await store.subscriptions.save({
        ...newSubscription({
          id: source.kind,
          guildId: local.guildId,
          channelId: local.channel('deals').id,
          source,
          createdBy: local.people.ada.id,
          createdAtMs: clock.now(),
          catchUp: CATCH_UP,
        }),
        // Higher than the embedded catalog's rate, so that the limit never silences the demo.
        mostPerHour: MOST_PER_HOUR,
      });
    }
  }
  await store.markSetUp();
}
