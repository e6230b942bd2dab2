import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { EntityUpdate } from '../../deals/announcement.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Edit } from '../../store/edits.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import { type CurrentState, withItem } from '../current-state.ts';
import { entityKey, isDealOver } from '../kinds/index.ts';
import type { Task } from './channel-work.ts';
import { freeAt } from './hourly-limit.ts';
import { cardHash, type MessageRenderer } from './message-renderer.ts';
import { createRemoval } from './removal.ts';

/** The edits per hour that Discord allows of a published message (approximate). */
const MOST_PER_HOUR = 3;

/** Keeps posts up to date: sold out, cheaper, ended, back. */
export interface Editing extends Task {
  /** Queues the edits of the posts about these entities. */
  refresh(updates: readonly EntityUpdate[]): Promise<void>;
  /** Queues an edit where a post shows an outdated state, or one whose commit may still fail. */
  check(post: Post): Promise<void>;
}

export interface EditingParts {
  store: Pick<Store, 'posts' | 'edits' | 'paces' | 'deliveries'>;
  currentState: Pick<CurrentState, 'of' | 'committed' | 'isUncommitted'>;
  renderer: MessageRenderer;
  courier: Courier;
  clock: Clock;
  log: Log;
}

export function createEditing({ store, currentState, renderer, courier, clock, log }: EditingParts): Editing {
  const { posts, edits, paces } = store;
  const removal = createRemoval({ store, courier, clock, log });
  const paceOf = ({ messageId }: Pick<Edit, 'messageId'>) => `edit/${messageId}`;
  /** An edit waits while its entity has uncommitted changes, and then shows the committed state. */
  function readyAtMs(edit: Edit): number {
    if (currentState.isUncommitted(edit.thing)) return Number.POSITIVE_INFINITY;
    // Only edits of published messages are counted.
    const others = paces.of(paceOf(edit), clock.now()).filter(({ id }) => id !== String(edit.queuedAtMs));
    return freeAt(others, MOST_PER_HOUR);
  }

  async function make(edit: Edit): ReturnType<Task['step']> {
    const post = await posts.get(edit.thing, edit.deliveryId);
    if (!post) {
      await edits.end(edit);
      return { kind: 'done' };
    }
    // Before the first poll, and where the entity is no longer known, only the edit holds its state.
    const announcement = withItem(post.announcement, currentState.committed(edit.thing) ?? edit.item);
    if (post.look?.whenOver === 'delete' && isDealOver(announcement, clock.now())) {
      const outcome = await removal.remove(post);
      if (outcome.kind === 'done') await edits.end(edit);
      if (outcome.kind !== 'stays') return outcome;
    }
    const { guildId, mentionRoleIds } = post;
    const card = renderer.card(announcement, post, clock.now());
    const face = cardHash(card);
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
          await removal.forget(post);
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
      const queued: Edit[] = [];
      for (const update of updates) {
        for (const post of await posts.of(update.key)) queued.push(editOf(post, update, clock.now()));
      }
      await edits.add(queued);
    },
    async check(post) {
      const announcement = currentState.of(post.announcement);
      const key = entityKey(announcement);
      const isShown = () => cardHash(renderer.card(announcement, post, clock.now())) === post.face;
      if (!currentState.isUncommitted(key) && isShown()) return;
      await edits.add([editOf(post, { key, item: announcement.item }, clock.now())]);
    },
  };
}

function editOf(post: Post, { key, item }: EntityUpdate, queuedAtMs: number): Edit {
  const { deliveryId, channelId, messageId, isPublished } = post;
  return { version: 1, thing: key, item, deliveryId, channelId, messageId, isPublished, queuedAtMs };
}
