import type { AnnouncementKind } from '../../deals/announcement.ts';
import { type Setting, USUAL_SETTINGS } from '../../deals/settings.ts';
import type { Source, Subscription } from '../../deals/subscription.ts';
import { ANNOUNCEMENT_KINDS, isDetected, KINDS } from './index.ts';

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

/** Whether a subscription goes by its filter: what only gets announcements that a feature makes doesn't. */
export function goesByFilter({ kinds }: Pick<Subscription, 'kinds'>): boolean {
  return kinds.length === 0 || kinds.some(isDetected);
}
