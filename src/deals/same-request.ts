import { parseFilter } from './filter/index.ts';
import type { Ping } from './ping.ts';
import type { Source, Subscription } from './subscription.ts';

/** The part of a subscription that decides what it announces, and to whom; when and how it posts does not count. */
type NewSubscription = Pick<Subscription, 'channelId' | 'source' | 'kinds' | 'filter' | 'pings'>;

/**
 * Whether two subscriptions announce the same in one channel, and ring the same roles for the same of it: same source, same
 * kinds, equivalent filters and pings.
 */
export function isSameRequest(one: NewSubscription, other: NewSubscription): boolean {
  return (
    one.channelId === other.channelId &&
    sourceKey(one.source) === sourceKey(other.source) &&
    setKey(one.kinds) === setKey(other.kinds) &&
    meaningOf(one.filter) === meaningOf(other.filter) &&
    setKey(one.pings.map(pingKey)) === setKey(other.pings.map(pingKey))
  );
}

function sourceKey(source: Source): string {
  switch (source.kind) {
    case 'feed':
      return `feed ${source.feed.toLowerCase()}`;
    case 'events':
      return `events ${setKey(source.types)} ${setKey(source.sites)}`;
    default:
      return source.kind;
  }
}

const pingKey = ({ roleId, kinds, filter }: Ping) => JSON.stringify([roleId, setKey(kinds), meaningOf(filter)]);

const setKey = (values: readonly string[]) => [...new Set(values)].toSorted().join();

function meaningOf(filter: string): string {
  const parsed = parseFilter(filter);
  return parsed.ok ? parsed.filter.canonical : filter;
}
