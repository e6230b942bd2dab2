import type { EntityUpdate } from '../../deals/announcement.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Edit } from '../../store/edits.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
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
  /** Queues the edits of the posts about these entities, in a commit that may read. */
  refresh(changes: Changes, updates: readonly EntityUpdate[]): Promise<void>;
  /** Queues an edit where a post shows an outdated state. */
  check(changes: Changes, post: Post): void;
}

export interface EditingParts {
  store: Pick<Store, 'commit' | 'transact' | 'posts' | 'edits' | 'paces' | 'deliveries'>;
  currentState: Pick<CurrentState, 'of' | 'entity'>;
  renderer: MessageRenderer;
  courier: Courier;
  clock: Clock;
  log: Log;
}

export function createEditing({ store, currentState, renderer, courier, clock, log }: EditingParts): Editing {
  const { posts, edits, paces } = store;
  const removal = createRemoval({ store, courier, clock, log });
  const paceOf = ({ messageId }: Pick<Edit, 'messageId'>) => `edit/${messageId}`;
  const end = (edit: Edit) => store.commit((changes) => edits.end(changes, edit));
  /** Only edits of published messages are counted. */
  function readyAtMs(edit: Edit): number {
    const others = paces.of(paceOf(edit), clock.now()).filter(({ id }) => id !== String(edit.queuedAtMs));
    return freeAt(others, MOST_PER_HOUR);
  }

  async function make(edit: Edit): ReturnType<Task['step']> {
    const post = await posts.get(edit.thing, edit.deliveryId);
    if (!post) {
      await end(edit);
      return { kind: 'done' };
    }
    // Before the first poll, and where the entity is no longer known, only the edit holds its state.
    const announcement = withItem(post.announcement, currentState.entity(edit.thing) ?? edit.item);
    if (post.look?.whenOver === 'delete' && isDealOver(announcement, clock.now())) {
      const outcome = await removal.remove(post, edit);
      if (outcome.kind !== 'stays') return outcome;
    }
    const { guildId, mentionRoleIds } = post;
    const card = renderer.card(announcement, post, clock.now());
    const face = cardHash(card);
    if (face !== post.face) {
      if (edit.isPublished) {
        await store.commit((changes) => paces.note(changes, paceOf(edit), String(edit.queuedAtMs)));
      }
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
          await removal.forget(post, edit);
          return { kind: 'done' };
        case 'refused':
          log.warn({ delivery: post.deliveryId, reason: outcome.reason }, 'not edited');
          break;
        case 'done':
          await store.commit((changes) => {
            posts.save(changes, { ...post, announcement, face });
            edits.end(changes, edit);
          });
          log.info({ delivery: post.deliveryId, channel: edit.channelId, kind: announcement.kind }, 'edited');
          return { kind: 'done' };
      }
    }
    await end(edit);
    return { kind: 'done' };
  }

  return {
    dueAtMs: (channelId) => Math.min(...edits.pending(channelId).map(readyAtMs), Number.POSITIVE_INFINITY),
    async step(channelId) {
      const nowMs = clock.now();
      const next = edits.pending(channelId).find((edit) => readyAtMs(edit) <= nowMs);
      return next ? make(next) : { kind: 'done' };
    },
    async refresh(changes, updates) {
      const about = await posts.about(updates.map(({ key }) => key));
      for (const update of updates) {
        for (const post of about.get(update.key) ?? []) edits.add(changes, [editOf(post, update, clock.now())]);
      }
    },
    check(changes, post) {
      const announcement = currentState.of(post.announcement);
      if (cardHash(renderer.card(announcement, post, clock.now())) === post.face) return;
      const update = { key: entityKey(announcement), item: announcement.item };
      edits.add(changes, [editOf(post, update, clock.now())]);
    },
  };
}

function editOf(post: Post, { key, item }: EntityUpdate, queuedAtMs: number): Edit {
  const { deliveryId, channelId, messageId, isPublished } = post;
  return { thing: key, item, deliveryId, channelId, messageId, isPublished, queuedAtMs };
}
