import type { Failure } from '../../discord/outcome.ts';
import type { Pin } from '../../store/channel-records.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import { entityKey, isDealOver } from '../kinds/index.ts';
import { type Channel, type DelivererParts, DONE, type Result, type Task } from './channel.ts';
import type { Messages } from './message.ts';
import type { Editing } from './upkeep.ts';

/** How long it is tried to take away a pin that the bot may not take away. */
const UNPINNED_WITHIN_MS = 7 * 24 * 3_600_000;
/** When a pin is tried again that Discord denies although the gateway has told that the bot may do it. */
const DENIED_MS = 3_600_000;

/** Wants a board pinned, in the commit of its post. In a forum it is a thread, which moderators pin. */
export function wantPin(changes: Changes, pins: Pick<Store['pins'], 'of' | 'save'>, post: Post): void {
  const { channelId, messageChannelId, messageId, announcement, postedAtMs } = post;
  const known = pins.of(messageId);
  if (channelId !== messageChannelId || (known && known.is !== 'unwanted')) return;
  pins.save(changes, { channelId, messageId, thing: entityKey(announcement), is: 'wanted', queuedAtMs: postedAtMs });
}

/** Wants a message pinned no more. One whose pin is wanted may be pinned already: a request may be on its way. */
function unwantPin(changes: Changes, pins: Pick<Store['pins'], 'save' | 'forget'>, pin: Pin, nowMs: number): void {
  if (pin.is === 'refused') pins.forget(changes, pin.messageId);
  else if (pin.is !== 'unwanted') pins.save(changes, { ...pin, is: 'unwanted', queuedAtMs: nowMs });
}

/**
 * Keeps boards true: compares each with what it has to show, however that came about, and queues its edit; and the same for
 * its pin. What it shows besides the event itself (stock, pace, what comes) changes with every poll, and boards alone show
 * that.
 */
export class Boards {
  readonly #parts: DelivererParts;
  readonly #messages: Messages;
  readonly #editing: Editing;
  /** Whether there were boards in this run: those that were switched off become usual posts again. */
  #wereThere = false;

  constructor(parts: DelivererParts, messages: Messages, editing: Editing) {
    this.#parts = parts;
    this.#messages = messages;
    this.#editing = editing;
  }

  /** Queues what has to be done. Rejects with a StoreError. */
  async keep(): Promise<void> {
    const { store, currentState, clock } = this.#parts;
    const { subscriptions, pins, posts } = store;
    const areThere = subscriptions.hasBoards() || pins.all().length > 0;
    if (!areThere && !this.#wereThere) return;
    this.#wereThere = areThere;
    const known = await currentState.entities('events');
    await store.transact(async (changes) => {
      const nowMs = clock.now();
      const about = await posts.about([...known.keys()]);
      const live = new Set<string>();
      for (const post of [...about.values()].flat()) {
        if (post.announcement.kind !== 'event-started') continue;
        const announcement = currentState.of(post.announcement);
        const isBoard = this.#messages.isBoard(announcement, post, nowMs);
        if (!isBoard && post.isBoard !== true) continue;
        if (this.#isChecked(post, isBoard)) this.#editing.check(changes, post);
        if (!isBoard || isDealOver(announcement, nowMs)) continue;
        live.add(post.messageId);
        wantPin(changes, pins, post);
      }
      for (const pin of pins.all()) if (!live.has(pin.messageId)) unwantPin(changes, pins, pin, nowMs);
    });
  }

  /**
   * Whether a post is compared: an edit that waits shows what is so when it is made. Discord takes few edits of published
   * messages, so stock alone is no reason for one.
   */
  #isChecked({ channelId, deliveryId, isPublished, isBoard: was = false }: Post, isBoard: boolean): boolean {
    if (isPublished && was === isBoard) return false;
    return !this.#parts.store.edits.pending(channelId).some((edit) => edit.deliveryId === deliveryId);
  }
}

/** Pins boards, and unpins them once they are over, where the bot may. Where it may not, nothing is tried and nothing said. */
export class Pinning implements Task {
  readonly #parts: DelivererParts;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  dueAtMs(channel: Channel): number {
    const { store, courier } = this.#parts;
    const [next] = store.pins.pending(channel.id);
    if (!next) return Number.POSITIVE_INFINITY;
    if (courier.mayPin(channel.id)) return next.queuedAtMs;
    const unwanted = store.pins.pending(channel.id).find(({ is }) => is === 'unwanted');
    return unwanted ? unwanted.queuedAtMs + UNPINNED_WITHIN_MS : Number.POSITIVE_INFINITY;
  }

  async step({ id: channelId }: Channel): Promise<Result> {
    const { store, courier, clock, log } = this.#parts;
    const isAllowed = courier.mayPin(channelId);
    const next = store.pins.pending(channelId).find(({ is }) => isAllowed || is === 'unwanted');
    if (!next) return DONE;
    const { messageId, is } = next;
    if (!isAllowed) {
      if (clock.now() >= next.queuedAtMs + UNPINNED_WITHIN_MS) await this.#end(next, null);
      return DONE;
    }
    const isPinned = is === 'wanted';
    const outcome = await courier.pin({ channelId, messageId }, isPinned);
    const about = { channel: channelId, message: messageId };
    if (outcome.kind === 'done') {
      await this.#end(next, isPinned ? 'pinned' : null);
      log.info(about, isPinned ? 'pinned' : 'unpinned');
      return DONE;
    }
    log.debug({ ...about, reason: outcome.reason }, 'not pinned');
    return this.#failed(next, outcome);
  }

  async #failed(pin: Pin, outcome: Failure): Promise<Result> {
    switch (outcome.kind) {
      case 'unknown':
      case 'later':
        return outcome;
      case 'blocked':
        return { kind: 'later', afterMs: DENIED_MS };
      case 'refused':
      case 'missing':
      case 'unfound':
      case 'gone':
        await this.#end(pin, pin.is === 'wanted' ? 'refused' : null);
        return DONE;
    }
  }

  /** Records what became of it, unless something else is wanted meanwhile. @param is null where nothing is left to do */
  #end(pin: Pin, is: Pin['is'] | null): Promise<void> {
    const { pins, commit } = this.#parts.store;
    return commit((changes) => {
      if (pins.of(pin.messageId) !== pin) return;
      if (is === null) pins.forget(changes, pin.messageId);
      else pins.save(changes, { ...pin, is });
    });
  }
}
