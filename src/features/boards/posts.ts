import type { CurrentState } from '../../announcements/current-state.ts';
import type { Deliverer } from '../../announcements/deliver/deliverer.ts';
import type { KeptPosts } from '../../announcements/deliver/kept.ts';
import { unwantPin, wantPin } from '../../announcements/deliver/pinning.ts';
import { deliveryId, entityKey, isDealOver } from '../../announcements/kinds/index.ts';
import { titleOf } from '../../discord/cards/announcement-card.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { clamp } from '../../discord/limits.ts';
import { escapeLine } from '../../discord/markdown.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Delivery, DeliveryMatch } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import type { Records } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import { boardOf } from './board.ts';
import { boardCard } from './card.ts';
import { BOARD_AGAIN } from './owed.ts';

interface BoardParts {
  store: Records;
  currentState: CurrentState;
  deliverer: Deliverer;
  courier: Courier;
  /** The translator for a server's language. */
  translatorOf: (guildId: string) => Translator;
  /** How old what is known of events may be by the next look at the catalog; null where that isn't known. */
  lagMs: () => number | null;
  /** Whether a message stands; true where Discord does not say. */
  isThere: (place: MessagePlace) => Promise<boolean>;
  clock: Clock;
  log: Log;
}

const MOST_TITLE = 200;
/** The boards that one run of the job looks at, so that a bot with very many leaves room for other requests. */
const MOST_LOOKED_AT = 50;

/** Posts of events that always show what is on now, and are pinned until the event is over. */
export class Boards implements KeptPosts {
  readonly mark = 'isBoard';
  readonly resource = 'events';
  readonly #parts: BoardParts;
  /** Whether there were boards in this run: those that were switched off become usual posts again. */
  #wereThere = false;
  /** As of the last look at all boards, or their first card; null where neither knew it. */
  #lagMs: number | null = null;
  /** The live boards by their message's id; those that were looked at the longest ago first. */
  readonly #live = new Map<string, Post>();

  constructor(parts: BoardParts) {
    this.#parts = parts;
  }

  readonly wants: KeptPosts['wants'] = ({ kind }, { isBoard = false }) => kind === 'event-started' && isBoard;

  /** What it shows besides the event itself (stock, pace, what comes) changes with every poll, and boards alone show that. */
  readonly card: KeptPosts['card'] = (announcement, context, updatedAtMs) => {
    const { store, currentState } = this.#parts;
    if (announcement.kind !== 'event-started') throw new Error(`${announcement.kind} has no board.`);
    const { item: event } = announcement;
    const foretold = currentState.stock.foretold(event, context.nowMs);
    this.#lagMs ??= this.#parts.lagMs();
    const board = boardOf(foretold, store.eventSales.get(event.id), currentState.comingEvents(context.nowMs));
    return boardCard({ event, board, updatedAtMs, lagMs: this.#lagMs }, context);
  };

  posted(changes: Changes, post: Post): void {
    wantPin(changes, this.#parts.store.pins, post);
  }

  /** Compares each board, and its pin, with what it has to show, however that came about. */
  async keep(): Promise<void> {
    const { store, currentState, deliverer, clock } = this.#parts;
    const { subscriptions, pins, posts } = store;
    const areThere = subscriptions.all().some(({ isBoard }) => isBoard === true) || pins.all().length > 0;
    if (!areThere && !this.#wereThere) return;
    this.#wereThere = areThere;
    this.#lagMs = this.#parts.lagMs();
    const live = new Map<string, Post>();
    const known = await currentState.entities('events');
    await store.transact(async (changes) => {
      const nowMs = clock.now();
      const about = await posts.about([...known.keys()]);
      for (const post of [...about.values()].flat()) {
        if (post.announcement.kind !== 'event-started') continue;
        const announcement = currentState.of(post.announcement);
        const isBoard = deliverer.keeperOf(announcement, post) === this;
        if (!isBoard && post.isBoard !== true) continue;
        if (this.#isChecked(post, isBoard)) deliverer.check(changes, post);
        if (!isBoard || isDealOver(announcement, nowMs)) continue;
        live.set(post.messageId, post);
        wantPin(changes, pins, post);
      }
      for (const pin of pins.all()) if (!live.has(pin.messageId)) unwantPin(changes, pins, pin, nowMs);
    });
    for (const messageId of this.#live.keys()) if (!live.has(messageId)) this.#live.delete(messageId);
    for (const [messageId, post] of live) this.#live.set(messageId, post);
  }

  /**
   * Looks whether live boards still stand, as Discord tells nobody of a deleted message who doesn't read all messages. One that
   * doesn't is edited, which settles whether it is there. Rejects with a StoreError.
   */
  async look(): Promise<void> {
    const { store, deliverer, isThere } = this.#parts;
    for (const [messageId, post] of [...this.#live].slice(0, MOST_LOOKED_AT)) {
      this.#live.delete(messageId);
      this.#live.set(messageId, post);
      const { channelId, messageChannelId, deliveryId, announcement } = post;
      if (this.#isEdited(post) || (await isThere({ channelId: messageChannelId, messageId }))) continue;
      await store.transact(async (changes) => {
        const current = await store.posts.get(entityKey(announcement), deliveryId);
        if (current) deliverer.correct(changes, current);
      });
      this.#parts.log.info({ delivery: deliveryId, channel: channelId }, 'a board was not found');
      deliverer.kick();
    }
  }

  /**
   * Whether a post is compared: an edit that waits shows what is so when it is made. Discord takes few edits of published
   * messages, so stock alone is no reason for one.
   */
  #isChecked(post: Post, isBoard: boolean): boolean {
    const { isPublished, isBoard: was = false } = post;
    if (isPublished && was === isBoard) return false;
    return !this.#isEdited(post);
  }

  /** Whether an edit waits. */
  #isEdited({ channelId, deliveryId }: Post): boolean {
    return this.#parts.store.edits.pending(channelId).some((edit) => edit.deliveryId === deliveryId);
  }

  /** A board is made again once. Where that is deleted, too, nobody wants it: those of other events are another matter. */
  async deleted(changes: Changes, post: Post): Promise<void> {
    const { store, clock, log } = this.#parts;
    const { deliveryId: delivery, channelId: channel, announcement } = post;
    if (announcement.occurrence !== BOARD_AGAIN) {
      await store.deliveries.add(changes, [boardAgain(post, clock.now())], (fresh) => [...fresh]);
      changes.afterwards(() => log.info({ delivery, channel }, 'a board was deleted: it is made again'));
      return;
    }
    changes.afterwards(() => {
      log.info({ delivery, channel }, 'a board was deleted twice: it is not made again');
      void this.#sayGone(post);
    });
  }

  async #sayGone({ guildId, channelId, announcement, matches }: Post): Promise<void> {
    const { courier, store, translatorOf } = this.#parts;
    const translator = translatorOf(guildId);
    const event = `**${escapeLine(clamp(titleOf(announcement, translator), MOST_TITLE))}**`;
    const sentence = translator.t('board.toldGone', { channel: `<#${channelId}>`, event });
    const wanting = matches.flatMap(({ subscriptionId }) => store.subscriptions.get(subscriptionId) ?? []);
    const personIds = wanting.filter(({ isBoard }) => isBoard).map(({ createdBy }) => createdBy);
    for (const personId of new Set(personIds)) {
      // Added by the command line, for nobody on Discord.
      if (personId !== '') await courier.sendDirectMessage(personId, sentence);
    }
  }
}

/** The delivery of a board that is made again. It rings nobody. */
function boardAgain(
  { guildId, channelId, matches, announcement: { kind, subject }, announcement }: Post,
  nowMs: number,
): Delivery {
  return {
    id: deliveryId(channelId, { kind, subject, occurrence: BOARD_AGAIN }),
    guildId,
    channelId,
    matches: matches.map(ringingNobody),
    announcement: { ...announcement, occurrence: BOARD_AGAIN },
    alsoTells: [],
    createdAtMs: nowMs,
    sequence: 0,
    dueAtMs: nowMs,
    isDigest: false,
    isLate: false,
  };
}

function ringingNobody(match: DeliveryMatch): DeliveryMatch {
  const { roleIds: _, ...rest } = match;
  return rest;
}

declare module '../../store/posts.ts' {
  interface KeptMarks {
    /** Whether it is a board; absent where it is not. */
    isBoard?: boolean;
  }
}
