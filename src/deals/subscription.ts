import type { AnnouncementKind } from './announcement.ts';
import type { EventType, SitePrefix } from './event.ts';
import { feedKey } from './known-offer.ts';
import type { Settings } from './settings.ts';

/** The part of the catalog that a channel can subscribe to. An empty list of sites or types means all of them. */
export type Source =
  | { kind: 'feed'; feed: string }
  | { kind: 'events'; sites: SitePrefix[]; types: EventType[] }
  | { kind: 'dealcasts' }
  | { kind: 'polls' }
  | { kind: 'monkeychats' };

/** The kinds of source in the order in which people see them. */
export const SOURCE_KINDS = [
  'feed',
  'events',
  'dealcasts',
  'polls',
  'monkeychats',
] as const satisfies readonly Source['kind'][];

/** The most recent entities that a new subscription can have posted at once, at most. */
export const MOST_CATCH_UP = 10;

/** Why a subscription is paused: a person paused it, or its channel is gone. */
export type Pause = 'person' | 'gone';

/** A channel's, or a person's, request to have entities announced. */
export interface Subscription extends Settings {
  id: string;
  /** The server, or the person as `placeOfPerson` writes them. */
  guildId: string;
  /**
   * A text or announcement channel, a thread, or a forum in which each announcement becomes a post; or the direct
   * messages with the person.
   */
  channelId: string;
  target: 'channel' | 'thread' | 'forum';
  source: Source;
  kinds: AnnouncementKind[];
  /** The person's user id. */
  createdBy: string;
  createdAtMs: number;
  /**
   * When a person last changed, paused or resumed it: epoch milliseconds; absent where that never happened or was not
   * recorded.
   */
  changedAtMs?: number;
  /** When the bot last resumed it, as its server or channel was back: epoch milliseconds; absent for never. */
  resumedAtMs?: number;
  /** How many of the newest entities are still to be posted as examples after subscribing; 0 once they are. */
  catchUp: number;
  /** Why nothing can be posted: the key of a message without its `problem.` prefix; null where nothing prevents it. */
  problem: string | null;
  /** null while the subscription is active. */
  pausedBy: Pause | null;
}

/** A part of the catalog that is polled as a whole. Subscriptions to the same resource share its polls. */
export type ResourceKey = `feed:${string}` | Exclude<Source['kind'], 'feed'>;

/** The resource to poll for a source. */
export function resourceOf(source: Source): ResourceKey {
  return source.kind === 'feed' ? `feed:${source.feed}` : source.kind;
}

/** The interface of the catalog that serves a resource. */
export function interfaceOf(resource: ResourceKey): 'portal' | 'v2' {
  return isFeed(resource) ? 'portal' : 'v2';
}

export function isFeed(resource: ResourceKey): resource is `feed:${string}` {
  return resource.startsWith('feed:');
}

/** The feed's name in the catalog's spelling. */
export function feedName(resource: `feed:${string}`): string {
  return resource.slice('feed:'.length);
}

/** Normalises a resource key: feed names are matched without regard to case. */
export function sameResource(resource: ResourceKey): ResourceKey {
  return isFeed(resource) ? `feed:${feedKey(feedName(resource))}` : resource;
}
