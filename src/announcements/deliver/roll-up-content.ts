import { inRollUpOrder, type RollUpContent } from '../../discord/cards/announcement-card.ts';
import type { RollUp } from '../../store/delivery.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import type { CurrentState } from '../current-state.ts';

/**
 * The content of a roll-up for its post and its list: the order is that of what was found, so that both have the same,
 * and each entity is as it is now.
 */
export function rollUpContent(
  { members, reason }: Pick<RollUp, 'members' | 'reason'>,
  currentState: Pick<CurrentState, 'of'>,
  subscriptions: Pick<SubscriptionStore, 'get'>,
): RollUpContent {
  const sources = members
    .flatMap(({ matches }) => matches)
    .map(({ subscriptionId }) => subscriptions.get(subscriptionId)?.source);
  const feeds = sources.flatMap((source) => (source?.kind === 'feed' ? [source.feed] : []));
  return {
    announcements: inRollUpOrder(members.map(({ announcement }) => announcement)).map((announcement) =>
      currentState.of(announcement),
    ),
    reason: reason ?? null,
    feeds: feeds.length === sources.length ? [...new Set(feeds)] : [],
  };
}
