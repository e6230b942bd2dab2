import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Setback } from './backoff.ts';

/** Deletes posts, and records that their messages no longer exist. */
export interface Removal {
  /** Deletes a post. `stays`: people's replies or a missing permission keep it, so it has to be edited. */
  remove(post: Post): Promise<{ kind: 'done' } | { kind: 'stays' } | Setback>;
  /**
   * Records that the message no longer exists: first in the ledger, then among the posts. After a crash in between, the
   * edit finds no message and records it again.
   */
  forget(post: Post): Promise<void>;
}

interface RemovalParts {
  store: Pick<Store, 'posts' | 'deliveries'>;
  courier: Pick<Courier, 'remove'>;
  clock: Clock;
  log: Log;
}

export function createRemoval({ store: { posts, deliveries }, courier, clock, log }: RemovalParts): Removal {
  async function forget(post: Post): Promise<void> {
    await deliveries.noteDeleted([post.deliveryId, ...(post.alsoTells ?? [])], clock.now());
    await posts.forget(post);
  }

  return {
    forget,
    async remove(post) {
      const about = { delivery: post.deliveryId, channel: post.channelId, kind: post.announcement.kind };
      const place = { channelId: post.messageChannelId, messageId: post.messageId };
      // Written before: where the deal is back after a crash, the next edit asks Discord whether the message still stands.
      await posts.save({ ...post, face: null });
      const outcome = await courier.remove(place, post.guildId);
      switch (outcome.kind) {
        case 'unknown':
        case 'blocked':
        case 'later':
          log.warn({ ...about, reason: outcome.reason }, 'not deleted yet');
          return outcome;
        case 'refused':
          log.info({ ...about, reason: outcome.reason }, 'edited in place of deleted');
          await posts.save(post);
          return { kind: 'stays' };
        case 'gone':
        case 'missing':
        case 'done':
          await forget(post);
          log.info(about, 'deleted');
          return { kind: 'done' };
      }
    },
  };
}
