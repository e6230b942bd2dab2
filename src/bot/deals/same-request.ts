import { parseFilter } from './filter/index.ts';
import type { Source, Subscription } from './subscription.ts';

/** What a subscription asks for, whatever it says about when and how it is posted. */
type NewSubscription = Pick<Subscription, 'channelId' | 'source' | 'kinds' | 'filter'>;

/** Whether two subscriptions would tell one channel the same things: same source, same kinds, and filters of one meaning. */
export function isSameWish(one: NewSubscription, other: NewSubscription): boolean {
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
