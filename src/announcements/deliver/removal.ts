import type { Courier } from '../../discord/courier.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Edit } from '../../store/channel-records.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Setback } from './channel.ts';

/** Deletes posts, and records that their messages no longer exist. */
export interface Removal {
  /** Deletes a post. `stays`: people's replies or a missing permission keep it, so it has to be edited. */
  remove(post: Post, edit: Edit): Promise<{ kind: 'done' } | { kind: 'stays' } | Setback>;
  /** Records that the message no longer exists, and that this edit of it is done. */
  forget(post: Post, edit: Edit): Promise<void>;
}

interface RemovalParts {
  store: Pick<Store, 'commit' | 'transact' | 'posts' | 'edits' | 'deliveries'>;
  courier: Pick<Courier, 'remove'>;
  clock: Clock;
  log: Log;
}

export function createRemoval({ store, courier, clock, log }: RemovalParts): Removal {
  const { posts, edits, deliveries } = store;
  function forget(post: Post, edit: Edit): Promise<void> {
    return store.transact(async (changes) => {
      await deliveries.noteDeleted(changes, [post.deliveryId, ...post.alsoTells], clock.now());
      posts.forget(changes, post);
      edits.end(changes, edit);
    });
  }

  return {
    forget,
    async remove(post, edit) {
      const about = { delivery: post.deliveryId, channel: post.channelId, kind: post.announcement.kind };
      const place = { channelId: post.messageChannelId, messageId: post.messageId };
      // Written before: where the deal is back after a crash, the next edit asks Discord whether the message still stands.
      await store.commit((changes) => posts.save(changes, { ...post, face: null }));
      const outcome = await courier.remove(place, post.guildId);
      switch (outcome.kind) {
        case 'unknown':
        case 'blocked':
        case 'later':
          log.warn({ ...about, reason: outcome.reason }, 'not deleted yet');
          return outcome;
        case 'refused':
          log.info({ ...about, reason: outcome.reason }, 'edited in place of deleted');
          await store.commit((changes) => posts.save(changes, post));
          return { kind: 'stays' };
        case 'gone':
        case 'missing':
        case 'done':
          await forget(post, edit);
          log.info(about, 'deleted');
          return { kind: 'done' };
      }
    },
  };
}
