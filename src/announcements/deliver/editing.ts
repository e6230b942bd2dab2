import type { Announcement, EntityUpdate } from '../../deals/announcement.ts';
import { isMinorChange } from '../../deals/offer.ts';
import { messageUrl } from '../../discord/format.ts';
import { wallMsOf } from '../../shared/clock.ts';
import { MINUTE_MS } from '../../shared/time.ts';
import type { Edit, Removal } from '../../store/channel-records.ts';
import type { Post } from '../../store/posts.ts';
import type { Changes } from '../../store/table/state.ts';
import { withItem } from '../current-state.ts';
import { entityKey, isDealOver, isEntityOver, isKnownKind, shownOf } from '../kinds/index.ts';
import { type Channel, DONE, type Result, type Task } from './channel.ts';
import { type KeptPosts, markedBy } from './kept.ts';
import { cardHash, type Messages } from './message.ts';
import type { DelivererParts } from './parts.ts';
import { freeAt } from './plan.ts';
import { giveUp } from './publishing.ts';
import type { Upkeep, UpkeepRequest } from './upkeep.ts';

/** The edits per hour that Discord allows of a published message (approximate). */
const MOST_EDITED_PER_HOUR = 3;
/** Those of an event's post before its end, so that one is left to tell of that. */
const MOST_BEFORE_END = 2;
/**
 * The edits of messages older than an hour that Discord allows in this time and channel. The time is counted from the
 * answers, so that no request arrives early, however long it takes.
 */
const OLD_EDITS = { most: 3, withinMs: 6_000 };
/** So many minor edits of a message an hour are made at once; more wait until this long after the last one. */
export const MINOR_EDITS = { most: 3, apartMs: 10 * MINUTE_MS };
/** A message counts as old a minute early: its age is that of its record. */
export const OLD_MS = 59 * MINUTE_MS;

/**
 * Keeps posts up to date: sold out, cheaper, ended, back. Deletes those that are over, where their appearance says so, and
 * messages that are too many.
 */
export class Editing implements Task {
  readonly #parts: DelivererParts;
  readonly #messages: Messages;
  readonly #upkeep: Upkeep;

  constructor(parts: DelivererParts, messages: Messages, upkeep: Upkeep) {
    this.#parts = parts;
    this.#messages = messages;
    this.#upkeep = upkeep;
  }

  /**
   * Queues the edits of the posts about these entities, in a commit that may read. A post whose deal is over is published
   * no more.
   */
  async refresh(changes: Changes, updates: readonly EntityUpdate[]): Promise<void> {
    const { store, kinds, clock } = this.#parts;
    const nowMs = clock.now();
    const about = await store.posts.about(updates.map(({ key }) => key));
    for (const update of updates) {
      for (const post of about.get(update.key) ?? []) {
        // A post of a feature that was deleted stays as it is: nothing can make its card.
        if (!isKnownKind(post.announcement, kinds)) continue;
        const isMinor = isMinorUpdate(post, update);
        store.edits.add(changes, [{ ...editOf(post, update, nowMs), ...(isMinor && { isMinor }) }]);
        const unpublished = store.publications
          .pending(post.channelId)
          .find(({ messageId }) => messageId === post.messageId);
        if (unpublished && isDealOver(withItem(post.announcement, update.item), nowMs)) {
          giveUp(changes, unpublished, 'over', this.#parts);
        }
      }
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

  dueAtMs(channel: Channel): number {
    const { edits, removals } = this.#parts.store;
    const readyAtMs = [
      ...removals.pending(channel.id).map((removal) => this.#upkeep.againAtMs(removalKey(removal))),
      ...edits.pending(channel.id).map((edit) => this.#readyAtMs(edit, channel)),
    ];
    return Math.min(...readyAtMs, Number.POSITIVE_INFINITY);
  }

  /**
   * Deletes what is too many, and makes the next edit: the fewer bad answers it had, the sooner; of those with as many,
   * those of what is sold out or has ended.
   */
  async step(channel: Channel): Promise<Result> {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const [removal] = this.#upkeep.ready(store.removals.pending(channel.id), removalKey);
    if (removal) return this.#remove(removal);
    const due = store.edits.pending(channel.id).filter((edit) => this.#readyAtMs(edit, channel) <= nowMs);
    const overFirst = due.toSorted((one, other) => Number(this.#isOver(other)) - Number(this.#isOver(one)));
    const [next] = this.#upkeep.ready(overFirst, editKey);
    return next ? this.#make(channel, next) : DONE;
  }

  #isOver({ thing, item }: Edit): boolean {
    const { currentState, clock } = this.#parts;
    return isEntityOver(currentState.entity(thing) ?? item, clock.now());
  }

  /** Discord limits the edits of published messages, and those of old ones in a channel. */
  #readyAtMs(edit: Edit, channel: Channel): number {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const others = store.rateLog.recent(editsOf(edit), nowMs).filter(({ id }) => id !== String(edit.queuedAtMs));
    const most = this.#isOver(edit) || !edit.thing.startsWith('event:') ? MOST_EDITED_PER_HOUR : MOST_BEFORE_END;
    const oldestMs = isOld(edit, nowMs) ? channel.oldEditsMs.at(-OLD_EDITS.most) : undefined;
    const pacedMs = oldestMs === undefined ? 0 : wallMsOf(oldestMs + OLD_EDITS.withinMs, clock);
    const minor = edit.isMinor ? store.rateLog.recent(minorEditsOf(edit), nowMs) : [];
    const last = minor.length >= MINOR_EDITS.most ? minor.at(-1) : undefined;
    const minorMs = last && last.id !== String(edit.queuedAtMs) ? last.atMs + MINOR_EDITS.apartMs : 0;
    return Math.max(freeAt(others, most), pacedMs, minorMs, this.#upkeep.againAtMs(editKey(edit)));
  }

  async #make(channel: Channel, edit: Edit): Promise<Result> {
    const { store, courier, clock } = this.#parts;
    const post = await store.posts.get(edit.thing, edit.deliveryId);
    if (!post) return this.#end(edit);
    const attachments = await this.#messages.attachmentsOf(this.#now(post, edit), post);
    const announcement = this.#now(post, edit);
    if (post.look?.whenOver === 'delete' && isDealOver(announcement, clock.now())) {
      // Written before: where the deal is back after a crash, the next edit asks Discord whether the message still stands.
      await store.transact((changes) => this.#update(changes, post, { face: null }));
      const { ending, result } = await this.#upkeep.make(this.#deletionOf(post, edit));
      if (ending !== 'refused') return result;
    }
    const { guildId, mentionRoleIds } = post;
    const keeper = this.#messages.keeperOf(announcement, post, clock.now());
    const card = this.#messages.card(announcement, post, clock.now());
    const face = cardHash(card);
    if (face === post.face) return this.#end(edit);
    const counted = [...(edit.isPublished ? [editsOf(edit)] : []), ...(edit.isMinor ? [minorEditsOf(edit)] : [])];
    if (counted.length > 0) {
      await store.commit((changes) => {
        for (const place of counted) store.rateLog.record(changes, place, String(edit.queuedAtMs));
      });
    }
    const { result } = await this.#upkeep.make({
      ...this.#requestOf(post, edit),
      done: 'edited',
      send: async (isPlain) => {
        const shown = isPlain
          ? this.#messages.plain(announcement, card, guildId)
          : this.#messages.whole(card, attachments, announcement, post);
        const outcome = await courier.edit(placeOf(post), { guildId, card: shown, mentionRoleIds });
        if (isOld(edit, clock.now())) {
          channel.oldEditsMs = [...channel.oldEditsMs, clock.monotonicMs()].slice(-OLD_EDITS.most);
        }
        return outcome;
      },
      end: (changes, ending) => {
        if (ending === 'done') return this.#edited(changes, edit, { ...post, announcement, face }, keeper);
        if (ending === 'refused') return store.edits.end(changes, edit);
        return this.#lost(changes, post, edit, ending);
      },
    });
    return result;
  }

  /** The announcement as it is now. Before the first poll, and where its entity is no longer known, only the edit holds that. */
  #now({ announcement }: Post, { thing, item }: Edit): Announcement {
    return withItem(announcement, this.#parts.currentState.entity(thing) ?? item);
  }

  /** Deletes the post of a deal that is over. `refused`: people's replies or a missing permission keep it. */
  #deletionOf(post: Post, edit: Edit): UpkeepRequest {
    const { courier } = this.#parts;
    return {
      ...this.#requestOf(post, edit),
      done: 'deleted',
      send: () => courier.remove(placeOf(post), post.guildId),
      // `missing`: the request was done before, maybe by a run that was stopped before the answer.
      end: (changes, ending) =>
        ending === 'refused' ? this.#update(changes, post, { face: post.face }) : this.#forget(changes, post, edit),
    };
  }

  #requestOf({ guildId, announcement, matches }: Post, edit: Edit): Omit<UpkeepRequest, 'done' | 'send' | 'end'> {
    const { deliveryId: delivery, channelId } = edit;
    const title = this.#messages.title(announcement, guildId);
    const subscriptionIds = matches.map(({ subscriptionId }) => subscriptionId);
    return {
      key: editKey(edit),
      logged: { delivery, channel: channelId, kind: announcement.kind },
      about: { what: 'edit', deliveryId: delivery, guildId, channelId, title, subscriptionIds },
      hasPlain: true,
    };
  }

  /** Deletes a message that is too many. People's replies or a missing permission keep it. */
  async #remove(removal: Removal): Promise<Result> {
    const { store, courier } = this.#parts;
    const { guildId, channelId, messageChannelId, messageId } = removal;
    const { result } = await this.#upkeep.make({
      key: removalKey(removal),
      done: 'deleted',
      logged: { channel: channelId, message: messageId },
      about: null,
      send: () => courier.remove({ channelId: messageChannelId, messageId }, guildId),
      end: (changes) => store.removals.end(changes, removal),
    });
    return result;
  }

  /** Records an edit. What a kept post shows may have changed while the request was on its way. */
  async #edited(changes: Changes, edit: Edit, post: Post, keeper: KeptPosts | null): Promise<void> {
    const { store } = this.#parts;
    store.edits.end(changes, edit);
    const record = await this.#recordOf(post);
    // Meanwhile its message may have been given to another announcement.
    if (!record) return;
    const { repliedFor } = record;
    const shown = markedBy(keeper, { ...post, ...(repliedFor && { repliedFor }) }, this.#messages.keepers());
    store.posts.save(changes, shown);
    this.#endContinued(changes, post);
    if (keeper) this.check(changes, shown);
  }

  /** Ends the delivery that waited for an edit of the post that it continues. */
  #endContinued(
    changes: Changes,
    { deliveryId, channelId, messageChannelId, messageId, guildId, announcement }: Post,
  ): void {
    const { store, clock, log } = this.#parts;
    const waiting = store.deliveries.pending(channelId).find(({ id }) => id === deliveryId);
    if (!waiting) return;
    store.deliveries.end(changes, waiting, { outcome: 'posted', messageChannelId, messageId, endedAtMs: clock.now() });
    const { kind } = announcement;
    const link = messageUrl(guildId, { channelId: messageChannelId, messageId });
    const title = this.#messages.title(announcement, guildId);
    changes.afterwards(() =>
      log.info({ delivery: deliveryId, channel: channelId, kind, title, link }, 'announced in an earlier post'),
    );
  }

  /** The post's record by now: a reply to it may have been made since it was read. */
  #recordOf({ announcement, deliveryId }: Post): Promise<Post | undefined> {
    return this.#parts.store.posts.get(entityKey(announcement), deliveryId);
  }

  async #update(changes: Changes, post: Post, { face }: Pick<Post, 'face'>): Promise<void> {
    const record = await this.#recordOf(post);
    if (record) this.#parts.store.posts.save(changes, { ...record, face });
  }

  /** Records that a message doesn't exist. Where it is denied while a feature keeps it, the feature decides what follows. */
  async #lost(changes: Changes, post: Post, edit: Edit, ending: 'missing' | 'gone'): Promise<void> {
    const nowMs = this.#parts.clock.now();
    await this.#forget(changes, post, edit);
    if (ending === 'missing' && !isDealOver(this.#now(post, edit), nowMs))
      await this.#messages.keeperOf(post.announcement, post, nowMs)?.deleted(changes, post);
  }

  async #forget(changes: Changes, post: Post, edit: Edit): Promise<void> {
    const { store, clock } = this.#parts;
    await store.deliveries.noteDeleted(changes, [post.deliveryId, ...post.alsoTells], clock.now());
    store.posts.forget(changes, post);
    store.edits.end(changes, edit);
  }

  async #end(edit: Edit): Promise<Result> {
    const { store } = this.#parts;
    await store.commit((changes) => store.edits.end(changes, edit));
    return DONE;
  }
}

function isOld({ postedAtMs = 0 }: Edit, nowMs: number): boolean {
  return nowMs - postedAtMs >= OLD_MS;
}

/** Names an edit among those that Discord answers badly: the next state of its message is another one. */
export function editKey({ messageId, queuedAtMs }: Pick<Edit, 'messageId' | 'queuedAtMs'>): string {
  return `${messageId}/${queuedAtMs}`;
}

function removalKey({ messageId }: Removal): string {
  return `delete/${messageId}`;
}

/** The key under which the edits of a message are counted. */
function editsOf({ messageId }: Pick<Edit, 'messageId'>): string {
  return `edit/${messageId}`;
}

/** The key under which those that change little are counted. */
function minorEditsOf({ messageId }: Pick<Edit, 'messageId'>): string {
  return `minor-edit/${messageId}`;
}

/** Whether an update changes an offer's post by a few cents alone. */
function isMinorUpdate({ announcement, face }: Post, { item }: EntityUpdate): boolean {
  if (face === null) return false;
  const [was, is] = [shownOf(announcement), shownOf(withItem(announcement, item))];
  return was.as === 'offer' && is.as === 'offer' && isMinorChange(was.item, is.item);
}

function placeOf({ messageChannelId, messageId }: Post): { channelId: string; messageId: string } {
  return { channelId: messageChannelId, messageId };
}

function editOf(post: Post, { key, item }: EntityUpdate, queuedAtMs: number): Edit {
  const { deliveryId, channelId, messageId, isPublished, postedAtMs } = post;
  return { thing: key, item, deliveryId, channelId, messageId, isPublished, postedAtMs, queuedAtMs };
}
