import type { Courier } from '../../discord/courier.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Store } from '../../store/store.ts';
import type { Task } from './channel-work.ts';
import { freeAt } from './hourly-limit.ts';

/** The messages per hour that Discord lets a channel publish (approximate). */
const MOST_PER_HOUR = 10;

export interface PublishingParts {
  store: Pick<Store, 'commit' | 'publications' | 'paces'>;
  courier: Courier;
  clock: Clock;
  log: Log;
}

/** Publishes posts in announcement channels, at the rate that Discord allows. */
export function createPublishing({ store, courier, clock, log }: PublishingParts): Task {
  const { publications, paces } = store;
  const paceOf = (channelId: string) => `publish/${channelId}`;
  return {
    dueAtMs(channelId) {
      const [next] = publications.pending(channelId);
      if (!next) return Number.POSITIVE_INFINITY;
      const others = paces.of(paceOf(channelId), clock.now()).filter(({ id }) => id !== next.messageId);
      return freeAt(others, MOST_PER_HOUR);
    },
    async step(channelId) {
      const [next] = publications.pending(channelId);
      if (!next) return { kind: 'done' };
      const { messageId } = next;
      await store.commit((changes) => paces.note(changes, paceOf(channelId), messageId));
      const outcome = await courier.publish({ channelId, messageId });
      switch (outcome.kind) {
        case 'unknown':
        case 'blocked':
        case 'later':
          log.warn({ channel: channelId, message: messageId, reason: outcome.reason }, 'not published yet');
          return outcome;
        case 'gone':
        case 'missing':
        case 'refused':
          log.warn({ channel: channelId, message: messageId, reason: outcome.reason }, 'not published');
          break;
        case 'done':
          log.info({ channel: channelId, message: messageId }, 'published');
      }
      await store.commit((changes) => publications.end(changes, next));
      return { kind: 'done' };
    },
  };
}
