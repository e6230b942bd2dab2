import { filterOf } from './filter-of.ts';
import type { FeatureFlags, Setting, SubscriptionFields } from './settings.ts';
import type { Source, Subscription } from './subscription.ts';

/** The part of a subscription that decides what it announces, and to whom; when and how it posts does not count. */
type NewSubscription = Pick<
  Subscription,
  'channelId' | 'source' | 'kinds' | 'filter' | keyof FeatureFlags | keyof SubscriptionFields
>;

/**
 * Whether two subscriptions announce the same in one channel, and to the same people: same source, same kinds, equivalent
 * filters, and the same meaning of what features add.
 * @param settings all those that a subscription can have
 */
export function isSameRequest(one: NewSubscription, other: NewSubscription, settings: readonly Setting[]): boolean {
  const isSame = (setting: Setting) =>
    setting.kind !== 'field' || setting.meaning?.(one[setting.field]) === setting.meaning?.(other[setting.field]);
  return (
    one.channelId === other.channelId &&
    sourceKey(one.source) === sourceKey(other.source) &&
    setKey(one.kinds) === setKey(other.kinds) &&
    takenBy(one, settings) === takenBy(other, settings) &&
    settings.every(isSame)
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

/** Equal for lists of the same values. */
export const setKey = (values: readonly string[]) => [...new Set(values)].toSorted().join();

/** Equal for subscriptions that take the same, whether their filters or their settings say so. */
const takenBy = (one: NewSubscription, settings: readonly Setting[]) =>
  filterOf(one, settings)?.canonical ?? one.filter;
