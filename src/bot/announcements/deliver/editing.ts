import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { ThingUpdate } from '../../deals/announcement.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Edit } from '../../store/edits.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import { thingOf } from '../kinds/index.ts';
import type { Task } from './channel-work.ts';
import { type Freshest, withItem } from './freshest.ts';
import { freeAt } from './hourly-limit.ts';
import { faceOf, type Showing } from './message-renderer.ts';

/** Discord takes about this many edits an hour of a message that was published. */
const MOST_PER_HOUR = 3;

/** Keeps what stands in the channels as it is: sold out, cheaper, over, back. */
export interface Editing extends Task {
  /** Queues what has to change, and resolves with the channels in which it does, when it is kept. */
  refresh(updates: readonly ThingUpdate[]): Promise<Set<string>>;
  /** Queues an edit where a post does not show its thing as it is now. */
  check(post: Post): Promise<void>;
}

export interface EditingParts {
  store: Pick<Store, 'posts' | 'edits' | 'paces'>;
  freshest: Freshest;
  showing: Showing;
  courier: Courier;
  clock: Clock;
  log: Log;
}

export function createEditing({ store, freshest, showing, courier, clock, log }: EditingParts): Editing {
  const { posts, edits, paces } = store;
  const paceOf = ({ messageId }: Pick<Edit, 'messageId'>) => `edit/${messageId}`;
  const editOf = (post: Post, { thing, item }: ThingUpdate): Edit => ({
    version: 1,
    thing,
    item,
    deliveryId: post.deliveryId,
    channelId: post.channelId,
    messageId: post.messageId,
    isPublished: post.isPublished,
    queuedAtMs: clock.now(),
  });

  function readyAtMs(edit: Edit): number {
    if (!edit.isPublished) return 0;
    const others = paces.of(paceOf(edit), clock.now()).filter(({ id }) => id !== String(edit.queuedAtMs));
    return freeAt(others, MOST_PER_HOUR);
  }

  async function make(edit: Edit): ReturnType<Task['step']> {
    const post = await posts.get(edit.thing, edit.deliveryId);
    if (!post) {
      await edits.end(edit);
      return { kind: 'done' };
    }
    const announcement = withItem(post.announcement, edit.item);
    const { guildId, mentionRoleIds } = post;
    const card = showing.card(announcement, post, clock.now());
    const face = faceOf(card);
    if (face !== post.face) {
      if (edit.isPublished) await paces.note(paceOf(edit), String(edit.queuedAtMs), clock.now());
      const place = { channelId: post.messageChannelId, messageId: post.messageId };
      const outcome = await courier.edit(place, { guildId, card, mentionRoleIds });
      switch (outcome.kind) {
        case 'unknown':
        case 'blocked':
        case 'later':
          log.warn({ delivery: post.deliveryId, reason: outcome.reason }, 'not edited yet');
          return outcome;
        case 'gone':
        case 'missing':
          await posts.forget(post);
          break;
        case 'refused':
          log.warn({ delivery: post.deliveryId, reason: outcome.reason }, 'not edited');
          break;
        case 'done':
          await posts.save({ ...post, announcement, face });
          log.info({ delivery: post.deliveryId, channel: edit.channelId, kind: announcement.kind }, 'edited');
      }
    }
    await edits.end(edit);
    return { kind: 'done' };
  }

  return {
    dueAtMs: (channelId) => Math.min(...edits.pending(channelId).map(readyAtMs), Number.POSITIVE_INFINITY),
    async step(channelId) {
      const nowMs = clock.now();
      const next = edits.pending(channelId).find((edit) => readyAtMs(edit) <= nowMs);
      return next ? make(next) : { kind: 'done' };
    },
    async refresh(updates) {
      // Whatever is being posted while the posts are looked through sees it here.
      freshest.note(updates, clock.now());
      const queued: Edit[] = [];
      for (const update of updates) {
        for (const post of await posts.of(update.thing)) queued.push(editOf(post, update));
      }
      await edits.add(queued);
      return new Set(queued.map(({ channelId }) => channelId));
    },
    async check(post) {
      const announcement = freshest.of(post.announcement);
      const card = showing.card(announcement, post, clock.now());
      if (faceOf(card) === post.face) return;
      await edits.add([editOf(post, { thing: thingOf(announcement), item: announcement.item })]);
    },
  };
}
