import type { AnnouncementKind } from '../../deals/announcement.ts';
import { type Pacing, type Setting, USUAL_SETTINGS } from '../../deals/settings.ts';
import type { Source, Subscription } from '../../deals/subscription.ts';
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
  const all = ANNOUNCEMENT_KINDS.filter((kind) => KINDS[kind].source === source && KINDS[kind].tells !== 'watch');
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

type GivenOfWatch = Pick<
  Subscription,
  'id' | 'guildId' | 'channelId' | 'source' | 'createdBy' | 'createdAtMs' | 'filter'
> &
  Pacing &
  Required<Pick<Subscription, 'watch'>>;

/** A new watch. One for new offers also gets those whose product was sold before. */
export function newWatch({ watch, filter, ...given }: GivenOfWatch): Subscription {
  return {
    ...newSubscription({ ...given, catchUp: 0 }),
    watch,
    kinds: watch.product ? ['watch-reached'] : ['new-offer', 'relisted'],
    filter,
  };
}
