import { deliveryId, entityKey } from '../../announcements/kinds/index.ts';
import type { Match } from '../../announcements/outbox/enqueue.ts';
import type { OwedPosts } from '../../announcements/poll/owed-posts.ts';
import type { Records } from '../../store/store.ts';

/**
 * The occurrence of an event's board that is made in a channel which has had the event's post and has it no more: it came in a
 * roll-up, or was deleted. '' for its first one.
 */
export const BOARD_AGAIN = 'board';

/**
 * The boards of live events that channels don't have, whenever the event began or the setting was switched on. What was looked
 * for once in a run is looked for no more.
 */
export function createOwedBoards(store: Records): OwedPosts {
  /** The boards that are known to be made, or on their way: each by its subscription and event. */
  const made = new Set<string>();
  return {
    resource: 'events',
    async of(live, wanted, changes) {
      const withBoards = store.subscriptions
        .all()
        .filter(({ isBoard, pausedBy, source }) => isBoard === true && pausedBy === null && source.kind === 'events');
      if (withBoards.length === 0) return [];
      const events = live.filter(({ kind }) => kind === 'event-started');
      const matches = wanted(events, withBoards);
      const unknown = matches.filter((match) => !made.has(boardName(match)));
      const about = await store.posts.about(unknown.map(({ announcement }) => entityKey(announcement)));
      const owed: Match[] = [];
      for (const match of unknown) {
        const { announcement, subscription } = match;
        const { channelId } = subscription;
        const ended = await store.deliveries.ended(deliveryId(channelId, announcement));
        const posts = about.get(entityKey(announcement)) ?? [];
        const stands = posts.some(
          (post) => post.channelId === channelId && post.announcement.kind === announcement.kind,
        );
        if (ended?.outcome !== 'posted' || ended.isFound) owed.push(match);
        else if (!stands) owed.push({ ...match, announcement: { ...announcement, occurrence: BOARD_AGAIN } });
      }
      changes.afterwards(() => {
        made.clear();
        for (const match of matches) made.add(boardName(match));
      });
      return owed;
    },
  };
}

function boardName({ announcement, subscription }: Match): string {
  return `${subscription.id} ${announcement.subject}`;
}
