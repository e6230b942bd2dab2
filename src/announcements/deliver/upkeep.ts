import type { EntityUpdate } from '../../deals/announcement.ts';
import { type AsideMessage, isPlainNext, type ThingsAside } from '../../discord/bad-answers.ts';
import { type Failure, unlessUnexplained } from '../../discord/outcome.ts';
import { wallMsOf } from '../../shared/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { Edit, Publication, Removal, Unpublished } from '../../store/channel-records.ts';
import type { Post } from '../../store/posts.ts';
import type { Changes } from '../../store/table/state.ts';
import { withItem } from '../current-state.ts';
import { entityKey, isDealOver, isEntityOver, isKnownKind } from '../kinds/index.ts';
import { type Channel, type DelivererParts, DONE, type Result, type Task } from './channel.ts';
import { type KeptPosts, markedBy } from './kept.ts';
import { cardHash, type Messages } from './message.ts';
import { freeAt, MOST_PUBLISHED_PER_HOUR } from './plan.ts';

/**
 * A post that could not be published for a day is no news any more, and stays a normal post. A hub's is published whenever
 * that is possible: what follows it waits for that.
 */
const PUBLISHED_WITHIN_MS = DAY_MS;
/** The edits per hour that Discord allows of a published message (approximate). */
const MOST_EDITED_PER_HOUR = 3;
/** Those of an event's post before its end, so that one is left to tell of that. */
const MOST_BEFORE_END = 2;
/**
 * The edits of messages older than an hour that Discord allows in this time and channel. The time is counted from the
 * answers, so that no request arrives early, however long it takes.
 */
const OLD_EDITS = { most: 3, withinMs: 6_000 };
/** A message counts as old a minute early: its age is that of its record. */
const OLD_MS = 59 * MINUTE_MS;
/** Recomputed times within this are the same: they may differ by rounding. */
const SAME_MOMENT_MS = 1_000;
/** A longer rate limit of edits or deletions is worth a warning. */
const SHORT_LIMIT_MS = MINUTE_MS;

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

  dueAtMs(channel: Channel): number {
    const { store, clock } = this.#parts;
    const [next, ...others] = store.publications.pending(channel.id);
    if (!next) return Number.POSITIVE_INFINITY;
    const nowMs = clock.now();
    const done = store.paces.of(publicationsIn(channel.id), nowMs).filter(({ id }) => id !== next.messageId);
    const freeAtMs = freeAt(done, MOST_PUBLISHED_PER_HOUR);
    this.#logLimit(channel, others.length + 1, freeAtMs > nowMs ? freeAtMs : 0);
    return Math.min(freeAtMs, this.#givenUpAtMs(next));
  }

  /** When a post is left unpublished: epoch milliseconds; Infinity for never. */
  #givenUpAtMs({ channelId, queuedAtMs }: Publication): number {
    return this.#parts.isPublishedOnly?.(channelId) ? Number.POSITIVE_INFINITY : queuedAtMs + PUBLISHED_WITHIN_MS;
  }

  /** Logs each time at which the hour's publications are used up; 0 where they are not. */
  #logLimit(channel: Channel, waiting: number, nextAtMs: number): void {
    const isKnown = Math.abs(channel.loggedPublicationMs - nextAtMs) <= SAME_MOMENT_MS;
    channel.loggedPublicationMs = nextAtMs;
    if (nextAtMs === 0 || isKnown) return;
    const about = { channel: channel.id, waiting, nextAt: new Date(nextAtMs).toISOString() };
    this.#parts.log.info(about, 'publishing limit reached');
  }

  async step(channel: Channel): Promise<Result> {
    const { store, courier, clock, log } = this.#parts;
    const { id: channelId } = channel;
    const [next] = store.publications.pending(channelId);
    if (!next) return DONE;
    const { messageId } = next;
    if (clock.now() >= this.#givenUpAtMs(next)) {
      await store.commit((changes) => giveUp(changes, next, 'too-late', this.#parts));
      return DONE;
    }
    await store.commit((changes) => store.paces.note(changes, publicationsIn(channelId), messageId));
    const outcome = await courier.publish({ channelId, messageId });
    switch (outcome.kind) {
      case 'unknown':
      case 'blocked':
      case 'later':
        log.warn(
          {
            channel: channelId,
            message: messageId,
            reason: outcome.reason,
            waiting: store.publications.pending(channelId).length,
            ...(outcome.kind === 'later' && { nextAt: new Date(clock.now() + outcome.afterMs).toISOString() }),
          },
          'not published yet',
        );
        // This bot keeps to the hour's publications: where there are none left, others publish there.
        if (outcome.kind === 'later' && outcome.afterMs > SHORT_LIMIT_MS) {
          channel.contestedUntilMs = clock.monotonicMs() + outcome.afterMs + HOUR_MS;
        }
        return outcome;
      case 'unfound':
      case 'missing':
        log.warn({ channel: channelId, message: messageId, reason: outcome.reason }, 'the message was not found');
        if (!this.#denials.isSecond(messageId)) return { kind: 'unknown' };
        break;
      case 'gone':
      case 'refused':
        log.warn({ channel: channelId, message: messageId, reason: outcome.reason }, 'not published');
        if (outcome.kind === 'gone') break;
        await store.commit((changes) => leave(changes, next, 'refused', this.#parts));
        return DONE;
      case 'done':
        this.#denials.withdraw(messageId);
        log.info({ channel: channelId, message: messageId }, 'published');
    }
    await store.commit((changes) => store.publications.end(changes, next));
    return DONE;
  }
}

/** Leaves a post unpublished, because there was no time to publish it. */
function giveUp(changes: Changes, publication: Publication, reason: 'over' | 'too-late', parts: DelivererParts): void {
  const { channelId: channel, messageId: message } = publication;
  leave(changes, publication, reason, parts);
  changes.afterwards(() => parts.log.info({ channel, message, reason }, 'not published in time'));
}

/** Leaves a post unpublished for good: it stays a normal post. */
function leave(
  changes: Changes,
  publication: Publication,
  because: Unpublished['because'],
  { store, clock }: DelivererParts,
): void {
  store.publications.end(changes, publication);
  store.unpublished.note(changes, publication, { because, atMs: clock.now() });
}

/** The key under which the publications of a channel are counted. */
function publicationsIn(channelId: string): string {
  return `publish/${channelId}`;
}

/**
 * Keeps posts up to date: sold out, cheaper, ended, back. Deletes those that are over, where their appearance says so, and
 * messages that are too many.
 */
export class Editing implements Task {
  readonly #parts: DelivererParts;
  readonly #messages: Messages;
  /** The edits that Discord answers badly, as `asideKey` names them. */
  readonly #aside: ThingsAside<AsideMessage>;
  readonly #denials = new Denials();

  constructor(parts: DelivererParts, messages: Messages, aside: ThingsAside<AsideMessage>) {
    this.#parts = parts;
    this.#messages = messages;
    this.#aside = aside;
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
        store.edits.add(changes, [editOf(post, update, nowMs)]);
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
    const pending = edits.pending(channel.id);
    if (removals.pending(channel.id).length > 0) return 0;
    return Math.min(...pending.map((edit) => this.#readyAtMs(edit, channel)), Number.POSITIVE_INFINITY);
  }

  /**
   * Deletes what is too many, and makes the next edit: the fewer bad answers it had, the sooner, so that none holds up
   * others; of those with as many, those of what is sold out or has ended.
   */
  async step(channel: Channel): Promise<Result> {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const [removal] = store.removals.pending(channel.id);
    if (removal) return this.#remove(removal);
    const ready = store.edits.pending(channel.id).filter((edit) => this.#readyAtMs(edit, channel) <= nowMs);
    const fewest = Math.min(...ready.map((edit) => this.#aside.countOf(asideKey(edit))));
    const first = ready.filter((edit) => this.#aside.countOf(asideKey(edit)) === fewest);
    const next = first.find((edit) => this.#isOver(edit)) ?? first[0];
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
    const others = store.paces.of(editsOf(edit), nowMs).filter(({ id }) => id !== String(edit.queuedAtMs));
    const most = this.#isOver(edit) || !edit.thing.startsWith('event:') ? MOST_EDITED_PER_HOUR : MOST_BEFORE_END;
    const oldestMs = isOld(edit, nowMs) ? channel.oldEditsMs.at(-OLD_EDITS.most) : undefined;
    const pacedMs = oldestMs === undefined ? 0 : wallMsOf(oldestMs + OLD_EDITS.withinMs, clock);
    return Math.max(freeAt(others, most), pacedMs, this.#aside.againAtMs(asideKey(edit)) ?? 0);
  }

  async #make(channel: Channel, edit: Edit): Promise<Result> {
    const { store, currentState, courier, clock, log } = this.#parts;
    const post = await store.posts.get(edit.thing, edit.deliveryId);
    if (!post) return this.#end(edit);
    // Before the first poll, and where the entity is no longer known, only the edit holds its state.
    const known = () => withItem(post.announcement, currentState.entity(edit.thing) ?? edit.item);
    const attachments = await this.#messages.attachmentsOf(known(), post);
    const announcement = known();
    if (post.look?.whenOver === 'delete' && isDealOver(announcement, clock.now())) {
      const result = await this.#delete(post, edit);
      if (result !== 'stays') return result;
    }
    const { guildId, mentionRoleIds } = post;
    const keeper = this.#messages.keeperOf(announcement, post, clock.now());
    const card = this.#messages.card(announcement, post, clock.now());
    const face = cardHash(card);
    if (face === post.face) return this.#end(edit);
    if (edit.isPublished) {
      await store.commit((changes) => store.paces.note(changes, editsOf(edit), String(edit.queuedAtMs)));
    }
    const isPlain = isPlainNext(this.#aside.countOf(asideKey(edit)));
    const shown = isPlain
      ? this.#messages.plain(announcement, card, guildId)
      : this.#messages.whole(card, attachments, announcement, post);
    const outcome = unlessUnexplained(await courier.edit(placeOf(post), { guildId, card: shown, mentionRoleIds }));
    if (isOld(edit, clock.now())) {
      channel.oldEditsMs = [...channel.oldEditsMs, clock.monotonicMs()].slice(-OLD_EDITS.most);
    }
    switch (outcome.kind) {
      case 'unknown':
      case 'blocked':
      case 'later':
        log[levelOf(outcome)]({ delivery: post.deliveryId, reason: outcome.reason }, 'not edited yet');
        return outcome.kind === 'unknown' ? this.#answeredBadly(post, edit, outcome) : outcome;
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
        await store.commit((changes) => this.#edited(changes, edit, { ...post, announcement, face }, keeper));
        log.info({ delivery: post.deliveryId, channel: edit.channelId, kind: announcement.kind }, 'edited');
        if (this.#aside.end(asideKey(edit), !isPlain)) {
          const title = this.#messages.title(announcement, guildId);
          log.info({ delivery: post.deliveryId, channel: edit.channelId, title }, 'Discord has taken it after all');
        }
        return DONE;
    }
  }

  /** An edit that Discord answers badly while it answers others well steps aside, and the channel goes on at once. */
  #answeredBadly({ guildId, announcement, matches }: Post, edit: Edit, { reason }: { reason: string }): Result {
    const { deliveryId: delivery, channelId } = edit;
    const title = this.#messages.title(announcement, guildId);
    const subscriptionIds = matches.map(({ subscriptionId }) => subscriptionId);
    const subject = { guildId, channelId, title, subscriptionIds };
    const { isAside, isFirst } = this.#aside.note(asideKey(edit), subject, true);
    if (isFirst) {
      const about = { delivery, channel: channelId, title, reason };
      const nextAt = new Date(this.#aside.againAtMs(asideKey(edit)) ?? 0).toISOString();
      this.#parts.log.warn({ ...about, nextAt }, 'Discord keeps answering an edit with an error: others go first');
    }
    return isAside ? DONE : { kind: 'unknown' };
  }

  /** Forgets what Discord has answered about edits that are done. */
  sweep(): void {
    const { edits } = this.#parts.store;
    const pending = new Set(edits.channels().flatMap((channelId) => edits.pending(channelId).map(asideKey)));
    this.#aside.sweep((key) => pending.has(key));
  }

  /** Deletes a message that is too many. People's replies or a missing permission keep it. */
  async #remove(removal: Removal): Promise<Result> {
    const { store, courier, log } = this.#parts;
    const { guildId, channelId: channel, messageChannelId: channelId, messageId } = removal;
    const about = { channel, message: messageId };
    const outcome = await courier.remove({ channelId, messageId }, guildId);
    switch (outcome.kind) {
      case 'unknown':
      case 'blocked':
      case 'later':
        log[levelOf(outcome)]({ ...about, reason: outcome.reason }, 'not deleted yet');
        return outcome;
      case 'unfound':
      case 'missing':
        log.warn({ ...about, reason: outcome.reason }, 'the message was not found');
        if (!this.#denials.isSecond(messageId)) return { kind: 'unknown' };
        break;
      case 'gone':
      case 'refused':
        log.warn({ ...about, reason: outcome.reason }, 'not deleted');
        break;
      case 'done':
        this.#denials.withdraw(messageId);
        log.info(about, 'deleted a message that was too many');
    }
    await store.commit((changes) => store.removals.end(changes, removal));
    return DONE;
  }

  /** Records an edit. What a kept post shows may have changed while the request was on its way. */
  #edited(changes: Changes, edit: Edit, post: Post, keeper: KeptPosts | null): void {
    const { store } = this.#parts;
    const shown = markedBy(keeper, post, this.#messages.keepers());
    store.posts.save(changes, shown);
    store.edits.end(changes, edit);
    if (keeper) this.check(changes, shown);
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
        log[levelOf(outcome)]({ ...about, reason: outcome.reason }, 'not deleted yet');
        return outcome.kind === 'unknown' ? this.#answeredBadly(post, edit, outcome) : outcome;
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
    if (!this.#denials.isSecond(post.messageId)) return { kind: 'unknown' };
    const { currentState, clock } = this.#parts;
    const keeper = this.#messages.keeperOf(post.announcement, post, clock.now());
    if (!keeper || isDealOver(currentState.of(post.announcement), clock.now())) return this.#forget(post, edit);
    await keeper.deleted(post, (changes) => this.#forgetIn(changes, post, edit));
    return DONE;
  }

  /** Records that the message no longer exists, and that this edit of it is done. */
  async #forget(post: Post, edit: Edit): Promise<Result> {
    await this.#parts.store.transact((changes) => this.#forgetIn(changes, post, edit));
    return DONE;
  }

  async #forgetIn(changes: Changes, post: Post, edit: Edit): Promise<void> {
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

/** A rate limit of seconds is usual, where much changes at once. */
function levelOf(outcome: Failure): 'debug' | 'warn' {
  return outcome.kind === 'later' && outcome.afterMs <= SHORT_LIMIT_MS ? 'debug' : 'warn';
}

/** An edit among those that Discord answers badly: the next state of its message is another one. */
export function asideKey({ messageId, queuedAtMs }: Pick<Edit, 'messageId' | 'queuedAtMs'>): string {
  return `${messageId}/${queuedAtMs}`;
}

/** The key under which the edits of a message are counted. */
function editsOf({ messageId }: Pick<Edit, 'messageId'>): string {
  return `edit/${messageId}`;
}

function placeOf({ messageChannelId, messageId }: Post): { channelId: string; messageId: string } {
  return { channelId: messageChannelId, messageId };
}

function editOf(post: Post, { key, item }: EntityUpdate, queuedAtMs: number): Edit {
  const { deliveryId, channelId, messageId, isPublished, postedAtMs } = post;
  return { thing: key, item, deliveryId, channelId, messageId, isPublished, postedAtMs, queuedAtMs };
}
