import type { AnnouncementKind } from '../../deals/announcement.ts';
import { type Pacing, type Setting, USUAL_SETTINGS } from '../../deals/settings.ts';
import type { Source, Subscription } from '../../deals/subscription.ts';
import type { WatchAim } from '../../deals/watch.ts';
import { ANNOUNCEMENT_KINDS, KINDS } from './index.ts';

/** The kinds that subscriptions of a source can ask for, and those that they ask for by default. */
interface KindsOfSource {
  all: readonly AnnouncementKind[];
  usual: readonly AnnouncementKind[];
}

export const KINDS_OF: Readonly<Record<Source['kind'], KindsOfSource>> = {
  feed: kindsOf('feed'),
  events: kindsOf('events'),
  dealcasts: kindsOf('dealcasts'),
  polls: kindsOf('polls'),
  monkeychats: kindsOf('monkeychats'),
};

function kindsOf(source: Source['kind']): KindsOfSource {
  const all = ANNOUNCEMENT_KINDS.filter((kind) => KINDS[kind].source === source);
  return { all, usual: all.filter((kind) => KINDS[kind].isDefault) };
}

/** Whether subscriptions to the source can have the setting. */
export function hasSetting(source: Source['kind'], setting: Setting): boolean {
  return !('only' in setting) || KINDS_OF[source].all.includes(setting.only);
}

/** A new subscription with the defaults for all that a person need not set. */
export function newSubscription(
  given: Pick<Subscription, 'id' | 'guildId' | 'channelId' | 'source' | 'createdBy' | 'createdAtMs' | 'catchUp'>,
): Subscription {
  return {
    ...USUAL_SETTINGS,
    target: 'channel',
    kinds: [...KINDS_OF[given.source.kind].usual],
    problem: null,
    pausedBy: null,
    ...given,
  };
}

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

type GivenOfWatch = Pick<
  Subscription,
  'id' | 'guildId' | 'channelId' | 'source' | 'createdBy' | 'createdAtMs' | 'filter'
> &
  Pacing &
  Required<Pick<Subscription, 'watch'>>;

/** A new watch. One for a price looks at that alone, besides what its filter says. */
export function newWatch({ watch, filter, ...given }: GivenOfWatch): Subscription {
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
