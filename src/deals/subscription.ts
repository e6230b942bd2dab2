/** What a channel can subscribe to. */
export type Source = { kind: 'feed'; feed: string } | { kind: 'events' } | { kind: 'dealcasts' };

export const SOURCE_KINDS = ['feed', 'events', 'dealcasts'] as const satisfies readonly Source['kind'][];

/** Most of the newest that a new subscription can have posted at once. */
export const MOST_CATCH_UP = 10;

/** A channel's wish to have something announced. */
export interface Subscription {
  version: 1;
  id: string;
  guildId: string;
  channelId: string;
  source: Source;
  /** The person's user id. */
  createdBy: string;
  createdAtMs: number;
  /** How many of the newest are still to be posted, so that the channel sees what it will get; 0 once they are. */
  catchUp: number;
  /** Why nothing can be posted, in a plain sentence; null while all is well. */
  problem: string | null;
  /** True where nothing new is put on its way: the channel is gone. */
  isPaused: boolean;
}

/** A part of the catalog that is polled as a whole. Subscriptions to the same one share its polls. */
export type ResourceKey = `feed:${string}` | 'events' | 'dealcasts';

/** The resource that tells what a source brings. */
export function resourceOf(source: Source): ResourceKey {
  return source.kind === 'feed' ? `feed:${source.feed}` : source.kind;
}

/** The source in a person's words. */
export function describeSource(source: Source): string {
  return source.kind === 'feed' ? `feed ${source.feed}` : source.kind;
}
