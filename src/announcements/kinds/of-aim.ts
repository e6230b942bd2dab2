import type { AnnouncementKind } from '../../deals/announcement.ts';
import type { Pacing } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { WatchAim } from '../../deals/watch.ts';
import { newSubscription } from './of-source.ts';

/**
 * The kinds of announcement that a watch waits for. A product that is sold again, under whatever offer id, is back in
 * stock, and may be cheap enough.
 */
const KINDS_OF_AIM: Readonly<Record<WatchAim, readonly AnnouncementKind[]>> = {
  price: ['new-offer', 'relisted', 'restocked', 'price-drop'],
  stock: ['new-offer', 'relisted', 'restocked'],
  low: ['all-time-low'],
  end: ['ending-soon'],
  new: ['new-offer', 'relisted'],
};

type Given = Pick<Subscription, 'id' | 'guildId' | 'channelId' | 'source' | 'createdBy' | 'createdAtMs' | 'filter'> &
  Pacing &
  Required<Pick<Subscription, 'watch'>>;

/** A new watch. One for a price looks at that alone, besides what its filter says. */
export function newWatch({ watch, filter, ...given }: Given): Subscription {
  return {
    ...newSubscription({ ...given, catchUp: 0 }),
    watch,
    kinds: [...KINDS_OF_AIM[watch.aim]],
    // The catalog may send 0 where it knows no price.
    filter: watch.below === null ? filter : `price:0.01..${watch.below}`,
    // A cent less may be enough.
    priceDropPercent: 0,
  };
}
