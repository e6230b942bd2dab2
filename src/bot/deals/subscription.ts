import type { AnnouncementKind } from './announcement.ts';
import type { EventType, SitePrefix } from './event.ts';

/** What a channel can subscribe to. An empty list of sites or types means all of them. */
export type Source =
  | { kind: 'feed'; feed: string }
  | { kind: 'events'; sites: SitePrefix[]; types: EventType[] }
  | { kind: 'dealcasts' }
  | { kind: 'polls' }
  | { kind: 'monkeychats' };

/** Most of the newest that a new subscription can have posted at once. */
export const MOST_CATCH_UP = 10;

export const TIMING_MODES = ['at-once', 'hourly', 'daily'] as const;

/** When what matches is posted: each thing by itself at once, or many things together in a digest. */
export interface Timing {
  mode: (typeof TIMING_MODES)[number];
  /** When a daily digest is posted: minutes after midnight in `timeZone`. */
  dailyAtMinute: number;
  /** An IANA name, `Europe/Berlin`. */
  timeZone: string;
  /** Hours in which nothing is posted, minutes after midnight in `timeZone`; `from` may be later than `to`. What falls in them waits. */
  quiet: { fromMinute: number; toMinute: number } | null;
}

export const USUAL_TIMING: Timing = { mode: 'at-once', dailyAtMinute: 9 * 60, timeZone: 'UTC', quiet: null };
/** The most posts an hour that can be asked for in one channel: one every six seconds. */
export const MOST_PER_HOUR = 600;
/** Why a subscription rests: a person paused it, or its channel is gone. */
export type Pause = 'person' | 'gone';

/** A channel's wish to have something announced. */
export interface Subscription {
  version: 2;
  id: string;
  guildId: string;
  /** A text or announcement channel, a thread, or a forum in which each announcement becomes a post. */
  channelId: string;
  target: 'channel' | 'thread' | 'forum';
  source: Source;
  kinds: AnnouncementKind[];
  /** In the filter language; '' lets everything through. */
  filter: string;
  priceDropPercent: number;
  timing: Timing;
  mostPerHour: number;
  mentionRoleId: string | null;
  /** Whether posts in an announcement channel are published to the servers that follow it. */
  isPublished: boolean;
  /** Tags of the posts in a forum. */
  tagIds: string[];
  /** The person's user id. */
  createdBy: string;
  createdAtMs: number;
  /** When a person last changed, paused or resumed it: epoch milliseconds; absent where nobody has, or nobody kept count. */
  changedAtMs?: number;
  /** How many of the newest are still to be posted, so that the channel sees what it will get; 0 once they are. */
  catchUp: number;
  /** Why nothing can be posted, as the key of a sentence without its `problem.`; null while all is well. */
  problem: string | null;
  /** null while it is at work. */
  pausedBy: Pause | null;
}

/** A part of the catalog that is polled as a whole. Subscriptions to the same one share its polls. */
export type ResourceKey = `feed:${string}` | Exclude<Source['kind'], 'feed'>;

/** The resource that tells what a source brings. */
export function resourceOf(source: Source): ResourceKey {
  return source.kind === 'feed' ? `feed:${source.feed}` : source.kind;
}
