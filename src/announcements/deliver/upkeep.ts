import type { EntityUpdate } from '../../deals/announcement.ts';
import type { Edit } from '../../store/channel-records.ts';
import type { Post } from '../../store/posts.ts';
import type { Changes } from '../../store/table/state.ts';
import { withItem } from '../current-state.ts';
import { entityKey, isDealOver } from '../kinds/index.ts';
import { type Channel, type DelivererParts, DONE, type Result, type Task } from './channel.ts';
import { cardHash, type Messages } from './message.ts';
import { freeAt } from './plan.ts';

/** The messages per hour that Discord lets a channel publish (approximate). */
const MOST_PUBLISHED_PER_HOUR = 10;
/** The edits per hour that Discord allows of a published message (approximate). */
const MOST_EDITED_PER_HOUR = 3;

/** The messages that Discord has denied once: one such answer proves nothing. */
class Denials {
  readonly #messageIds = new Set<string>();

  /** Notes a denial. Whether it is the second. */
  isSecond(messageId: string): boolean {
    if (this.#messageIds.delete(messageId)) return true;
    this.#messageIds.add(messageId);
    return false;
  }

  /** Discord has found the message. */
  withdraw(messageId: string): void {
    this.#messageIds.delete(messageId);
  }
}

/** Publishes posts in announcement channels, at the rate that Discord allows. */
export class Publishing implements Task {
  readonly #parts: DelivererParts;
  readonly #denials = new Denials();

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  dueAtMs({ id }: Channel): number {
    const { store, clock } = this.#parts;
    const [next] = store.publications.pending(id);
    if (!next) return Number.POSITIVE_INFINITY;
    const others = store.paces.of(publicationsIn(id), clock.now()).filter((done) => done.id !== next.messageId);
    return freeAt(others, MOST_PUBLISHED_PER_HOUR);
  }

  async step({ id: channelId }: Channel): Promise<Result> {
    const { store, courier, log } = this.#parts;
    const [next] = store.publications.pending(channelId);
    if (!next) return DONE;
    const { messageId } = next;
    await store.commit((changes) => store.paces.note(changes, publicationsIn(channelId), messageId));
    const outcome = await courier.publish({ channelId, messageId });
    switch (outcome.kind) {
      case 'unknown':
      case 'blocked':
      case 'later':
        log.warn({ channel: channelId, message: messageId, reason: outcome.reason }, 'not published yet');
        return outcome;
      case 'unfound':
      case 'missing':
        log.warn({ channel: channelId, message: messageId, reason: outcome.reason }, 'the message was not found');
        if (!this.#denials.isSecond(messageId)) return { kind: 'unknown' };
        break;
      case 'gone':
      case 'refused':
        log.warn({ channel: channelId, message: messageId, reason: outcome.reason }, 'not published');
        break;
      case 'done':
        this.#denials.withdraw(messageId);
        log.info({ channel: channelId, message: messageId }, 'published');
    }
    await store.commit((changes) => store.publications.end(changes, next));
    return DONE;
  }
}

/** The key under which the publications of a channel are counted. */
function publicationsIn(channelId: string): string {
  return `publish/${channelId}`;
}

/** Keeps posts up to date: sold out, cheaper, ended, back. Deletes those that are over, where their look says so. */
export class Editing implements Task {
  readonly #parts: DelivererParts;
  readonly #messages: Messages;
  readonly #denials = new Denials();

  constructor(parts: DelivererParts, messages: Messages) {
    this.#parts = parts;
    this.#messages = messages;
  }

  /** Queues the edits of the posts about these entities, in a commit that may read. */
  async refresh(changes: Changes, updates: readonly EntityUpdate[]): Promise<void> {
    const { store, clock } = this.#parts;
    const about = await store.posts.about(updates.map(({ key }) => key));
    for (const update of updates) {
      for (const post of about.get(update.key) ?? []) store.edits.add(changes, [editOf(post, update, clock.now())]);
    }
  }

  /** Queues an edit where a post shows an outdated state. */
  check(changes: Changes, post: Post): void {
    const { store, currentState, clock } = this.#parts;
    const announcement = currentState.of(post.announcement);
    if (cardHash(this.#messages.card(announcement, post, clock.now())) === post.face) return;
    const update = { key: entityKey(announcement), item: announcement.item };
    store.edits.add(changes, [editOf(post, update, clock.now())]);
  }

  dueAtMs({ id }: Channel): number {
    const pending = this.#parts.store.edits.pending(id);
    return Math.min(...pending.map((edit) => this.#readyAtMs(edit)), Number.POSITIVE_INFINITY);
  }

  async step({ id }: Channel): Promise<Result> {
    const nowMs = this.#parts.clock.now();
    const next = this.#parts.store.edits.pending(id).find((edit) => this.#readyAtMs(edit) <= nowMs);
    return next ? this.#make(next) : DONE;
  }

  /** Only edits of published messages are counted. */
  #readyAtMs(edit: Edit): number {
    const { store, clock } = this.#parts;
    const others = store.paces.of(editsOf(edit), clock.now()).filter(({ id }) => id !== String(edit.queuedAtMs));
    return freeAt(others, MOST_EDITED_PER_HOUR);
  }

  async #make(edit: Edit): Promise<Result> {
    const { store, currentState, courier, clock, log } = this.#parts;
    const post = await store.posts.get(edit.thing, edit.deliveryId);
    if (!post) return this.#end(edit);
    // Before the first poll, and where the entity is no longer known, only the edit holds its state.
    const announcement = withItem(post.announcement, currentState.entity(edit.thing) ?? edit.item);
    if (post.look?.whenOver === 'delete' && isDealOver(announcement, clock.now())) {
      const result = await this.#delete(post, edit);
      if (result !== 'stays') return result;
    }
    const { guildId, mentionRoleIds } = post;
    const card = this.#messages.card(announcement, post, clock.now());
    const face = cardHash(card);
    if (face === post.face) return this.#end(edit);
    if (edit.isPublished) {
      await store.commit((changes) => store.paces.note(changes, editsOf(edit), String(edit.queuedAtMs)));
    }
    const outcome = await courier.edit(placeOf(post), { guildId, card, mentionRoleIds });
    switch (outcome.kind) {
      case 'unknown':
      case 'blocked':
      case 'later':
        log.warn({ delivery: post.deliveryId, reason: outcome.reason }, 'not edited yet');
        return outcome;
      case 'unfound':
      case 'missing':
        return this.#denied(post, edit, outcome.reason);
      case 'gone':
        return this.#forget(post, edit);
      case 'refused':
        log.warn({ delivery: post.deliveryId, reason: outcome.reason }, 'not edited');
        return this.#end(edit);
      case 'done':
        this.#denials.withdraw(post.messageId);
        await store.commit((changes) => {
          store.posts.save(changes, { ...post, announcement, face });
          store.edits.end(changes, edit);
        });
        log.info({ delivery: post.deliveryId, channel: edit.channelId, kind: announcement.kind }, 'edited');
        return DONE;
    }
  }

  /** Deletes a post. `stays`: people's replies or a missing permission keep it, so it has to be edited. */
  async #delete(post: Post, edit: Edit): Promise<Result | 'stays'> {
    const { store, courier, log } = this.#parts;
    const about = { delivery: post.deliveryId, channel: post.channelId, kind: post.announcement.kind };
    // Written before: where the deal is back after a crash, the next edit asks Discord whether the message still stands.
    await store.commit((changes) => store.posts.save(changes, { ...post, face: null }));
    const outcome = await courier.remove(placeOf(post), post.guildId);
    switch (outcome.kind) {
      case 'unknown':
      case 'blocked':
      case 'later':
        log.warn({ ...about, reason: outcome.reason }, 'not deleted yet');
        return outcome;
      case 'refused':
        log.info({ ...about, reason: outcome.reason }, 'edited in place of deleted');
        await store.commit((changes) => store.posts.save(changes, post));
        return 'stays';
      case 'unfound':
      case 'missing':
        return this.#denied(post, edit, outcome.reason);
      case 'gone':
      case 'done':
        await this.#forget(post, edit);
        log.info(about, 'deleted');
        return DONE;
    }
  }

  /** Forgets a post whose message Discord denies for the second time; one answer proves nothing. */
  async #denied(post: Post, edit: Edit, reason: string): Promise<Result> {
    this.#parts.log.warn({ delivery: post.deliveryId, reason }, 'the message was not found');
    return this.#denials.isSecond(post.messageId) ? this.#forget(post, edit) : { kind: 'unknown' };
  }

  /** Records that the message no longer exists, and that this edit of it is done. */
  async #forget(post: Post, edit: Edit): Promise<Result> {
    const { store, clock } = this.#parts;
    await store.transact(async (changes) => {
      await store.deliveries.noteDeleted(changes, [post.deliveryId, ...post.alsoTells], clock.now());
      store.posts.forget(changes, post);
      store.edits.end(changes, edit);
    });
    return DONE;
  }

  async #end(edit: Edit): Promise<Result> {
    const { store } = this.#parts;
    await store.commit((changes) => store.edits.end(changes, edit));
    return DONE;
  }
}

/** The key under which the edits of a message are counted. */
function editsOf({ messageId }: Pick<Edit, 'messageId'>): string {
  return `edit/${messageId}`;
}

function placeOf({ messageChannelId, messageId }: Post): { channelId: string; messageId: string } {
  return { channelId: messageChannelId, messageId };
}

function editOf(post: Post, { key, item }: EntityUpdate, queuedAtMs: number): Edit {
  const { deliveryId, channelId, messageId, isPublished } = post;
  return { thing: key, item, deliveryId, channelId, messageId, isPublished, queuedAtMs };
}
