import { parseFilter } from './filter/index.ts';
import type { Source, Subscription } from './subscription.ts';

/** The part of a subscription that decides what it announces; when and how it posts does not count. */
type NewSubscription = Pick<Subscription, 'channelId' | 'source' | 'kinds' | 'filter'>;

/** Whether two subscriptions announce the same in one channel: same source, same kinds, equivalent filters. */
export function isSameRequest(one: NewSubscription, other: NewSubscription): boolean {
  return (
    one.channelId === other.channelId &&
    sourceKey(one.source) === sourceKey(other.source) &&
    setKey(one.kinds) === setKey(other.kinds) &&
    meaningOf(one.filter) === meaningOf(other.filter)
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

const setKey = (values: readonly string[]) => [...new Set(values)].toSorted().join();

function meaningOf(filter: string): string {
  const parsed = parseFilter(filter);
  return parsed.ok ? parsed.filter.canonical : filter;
}
