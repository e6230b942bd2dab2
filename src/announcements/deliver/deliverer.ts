import type { Announcement, EntityUpdate } from '../../deals/announcement.ts';
import type { PublishingHindrance } from '../../deals/decision.ts';
import { personAt } from '../../deals/person.ts';
import type { ResourceKey, Subscription } from '../../deals/subscription.ts';
import { type AsideMessage, ThingsAside } from '../../discord/bad-answers.ts';
import type { Card } from '../../discord/cards/parts.ts';
import { textsOf } from '../../discord/find-posted.ts';
import type { Setback } from '../../discord/pause.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { LedgerEntry } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import type { Changes } from '../../store/table/state.ts';
import type { CurrentState } from '../current-state.ts';
import { entityKey, isDealOver } from '../kinds/index.ts';
import { Channels } from './channel.ts';
import { Editing, editKey } from './editing.ts';
import type { KeptPosts } from './kept.ts';
import { type Mentions, NO_MENTIONS } from './mentions.ts';
import { cardHash, Messages } from './message.ts';
import type { DelivererParts } from './parts.ts';
import { Pinning } from './pinning.ts';
import type { ReachedLimit } from './plan.ts';
import { Posting } from './posting.ts';
import { Publishing, publicationKey } from './publishing.ts';
import { Reading } from './reading.ts';
import { Recording } from './recording.ts';
import { Replying } from './replying.ts';
import { ChannelProblems, guildOf, Servers } from './servers.ts';
import { Upkeep } from './upkeep.ts';

/** Posts that wait to be published, when the next one is (epoch milliseconds), and why it waits. */
export interface PublishingWait {
  waiting: number;
  nextAtMs: number;
  because: PublishingHindrance;
}

/** A post, or an edit of one, that Discord keeps answering with an error, and its next try: epoch milliseconds. */
export type SetAside = AsideMessage & { againAtMs: number };

/** The card that a post has to show. */
export interface CurrentCard {
  announcement: Announcement;
  /** The texts of its card, in their order. */
  texts: readonly string[];
  /** Whether its record holds another state of what it is about, whose card differs. */
  isOutdated: boolean;
}

export interface DeliveryStatus {
  /** How announcements have ended. Each one in a roll-up counts separately. */
  ended: {
    sinceStart: Readonly<Record<LedgerEntry['outcome'], number>>;
    /** Since midnight UTC, or since the start where that was later. */
    postedToday: number;
  };
  pending: number;
  /** When the oldest due delivery became due: epoch milliseconds; null where none is due. */
  oldestDueAtMs: number | null;
  /**
   * The same of those that neither a channel's hourly limit nor a missing permission holds back, and that Discord does not
   * keep answering with an error.
   */
  oldestUnhinderedAtMs: number | null;
  /** The number of channels where the bot may not post now. */
  blockedChannels: number;
  /**
   * The number of channels whose hourly limit holds back due deliveries, and when the first of them may post again:
   * epoch milliseconds, null for none.
   */
  limitedChannels: number;
  nextRoomAtMs: number | null;
  editsPending: number;
  publicationsPending: number;
  /** Since when the application's owner has paused all posting: epoch milliseconds; null where that is not so. */
  pausedSinceMs: number | null;
}

/** The hindrances that keep posts from being published, by why the work on that is paused. */
const HINDRANCES = {
  unknown: 'silence',
  blocked: 'permission',
  later: 'limit',
} as const satisfies Record<Setback['kind'], PublishingHindrance>;

/** How long a post about an ended entity is kept after posting, once that is forgotten: it may come back under its id. */
const OVER_MS = 45 * DAY_MS;
/** How long any other post is kept after posting: its entity has no end, or its end was not seen. */
const ANY_MS = 120 * DAY_MS;

/** Empties the outbox and keeps posts up to date. */
export class Deliverer {
  /** Whom posts mention. */
  readonly mentions: Mentions;
  /** Makes requests about messages that stand, those of features, too. */
  readonly upkeep: Upkeep;
  readonly #parts: DelivererParts;
  readonly #stopping = new AbortController();
  readonly #editing: Editing;
  /** What Discord answers badly: deliveries and roll-ups by id, other requests by key. */
  readonly #aside: ThingsAside<AsideMessage | null>;
  readonly #messages: Messages;
  readonly #posting: Posting;
  readonly #channels: Channels;
  readonly #servers: Servers;
  readonly #ended = { posted: 0, over: 0, gone: 0, refused: 0 };
  /** The day of the last ending, and what was posted on it. */
  #today: { day: number; posted: number };

  constructor(parts: DelivererParts) {
    const { deliveries } = parts.store;
    const messages = new Messages(parts);
    this.mentions = parts.mentions ?? NO_MENTIONS;
    this.#messages = messages;
    const channelProblems = new ChannelProblems(parts);
    this.#parts = parts;
    const aside = new ThingsAside<AsideMessage | null>(parts);
    const upkeep = new Upkeep(parts, aside);
    this.#aside = aside;
    this.upkeep = upkeep;
    this.#editing = new Editing(parts, messages, upkeep);
    const recording = new Recording(parts, messages, this.#editing);
    const reading = new Reading({ ...parts, recording, channelProblems, aside });
    this.#posting = new Posting({ ...parts, messages, recording, reading, channelProblems, aside, upkeep });
    const isDirect = (channelId: string) => personAt(guildOf(deliveries, channelId) ?? '') !== null;
    this.#channels = new Channels({
      ...parts,
      tasks: {
        post: this.#posting,
        reply: new Replying(parts, messages, upkeep),
        publish: new Publishing(parts, upkeep, channelProblems),
        edit: this.#editing,
        pin: new Pinning(parts, upkeep),
      },
      isDirect,
      hasNonces: (channelId) => isDirect(channelId) || parts.courier.hasNonces(channelId),
      signal: this.#stopping.signal,
    });
    this.#servers = new Servers(parts, this.#channels, channelProblems);
    this.#today = { day: dayOf(parts.clock.now()), posted: 0 };
    for (const channelId of deliveries.channels()) this.#posting.restore(this.#channels.get(channelId));
    deliveries.onEnded((outcome) => {
      this.#turnDay();
      this.#ended[outcome] += 1;
      if (outcome === 'posted') this.#today.posted += 1;
    });
  }

  /** Starts on all due work that is not running yet, and schedules the next wake-up. */
  kick(): void {
    const { deliveries, publications, edits, removals, replies, pins } = this.#parts.store;
    const channels = [deliveries, publications, edits, removals, replies, pins].flatMap((jobs) => jobs.channels());
    for (const channelId of new Set(channels)) this.#channels.get(channelId).kick();
  }

  /** Resolves when no step is running and no retry is pending: all due work is done, or the deliverer was stopped. */
  settled(): Promise<void> {
    return this.#channels.settled();
  }

  /** Ends the waits, and resolves when no step is running any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#servers.settled();
    await this.#channels.settled();
  }

  /**
   * Queues the edits of all posts about these entities, in the commit of their new states. A later `kick` makes them.
   * Rejects with a StoreError.
   */
  refresh(changes: Changes, updates: readonly EntityUpdate[]): Promise<void> {
    return this.#editing.refresh(changes, updates);
  }

  /** Queues the edit of a post whose message may show anything. A later `kick` makes it. */
  correct(changes: Changes, post: Post): void {
    const unknown = { ...post, face: null };
    this.#parts.store.posts.save(changes, unknown);
    this.#editing.check(changes, unknown);
  }

  /** Queues the edit of a post that shows what is so no more. A later `kick` makes it. */
  check(changes: Changes, post: Post): void {
    this.#editing.check(changes, post);
  }

  /** Lets features queue what their posts need. @param resource the one that was polled; absent for all */
  async keepPosts(resource?: ResourceKey): Promise<void> {
    for (const keeper of this.#messages.keepers()) {
      if (resource === undefined || keeper.resource === resource) await keeper.keep();
    }
  }

  /** The keeper of the post; null for a usual post. */
  keeperOf(announcement: Announcement, post: Post): KeptPosts | null {
    return this.#messages.keeperOf(announcement, post, this.#parts.clock.now());
  }

  /** Whether a subscription has the announcement posted at once, and by itself. */
  isApart(announcement: Announcement, subscription: Subscription): boolean {
    return this.#messages.keepers().some((keeper) => keeper.wants(announcement, subscription));
  }

  /** Retries a channel at once where the bot was not allowed to post. */
  retry(channelId: string): void {
    this.#channels.get(channelId).retry();
  }

  /** The card that a post has to show now. */
  currentCard(post: Post): CurrentCard {
    const { currentState, clock } = this.#parts;
    const announcement = currentState.of(post.announcement);
    const hashOf = (one: Announcement) => cardHash(this.#messages.card(one, post, clock.now()));
    const hash = hashOf(announcement);
    // The card of the record is made anew, because other words are no other state. What it says may have ended since.
    const isOutdated = hash !== post.face && hash !== hashOf(post.announcement);
    return {
      announcement,
      texts: textsOf(this.#messages.card(announcement, post, clock.now()).components),
      isOutdated,
    };
  }

  /** The card of a post for the subscription alone, as it would be made now. @param terms those that it matches */
  sample(announcement: Announcement, subscription: Subscription, terms: string[]): Card {
    return this.#messages.sample(announcement, subscription, terms, this.#parts.clock.now());
  }

  /** How the channel's hourly limit holds back due deliveries; null where it does not. */
  limitOf(channelId: string): ReachedLimit | null {
    return this.#posting.limitOf(this.#channels.get(channelId));
  }

  /**
   * How many posts wait to be published in a channel, and when the next one is: epoch milliseconds; null where none waits.
   */
  publishingOf(channelId: string): PublishingWait | null {
    const channel = this.#channels.get(channelId);
    const nextAtMs = channel.readyAtMs('publish');
    if (nextAtMs <= this.#parts.clock.now() || nextAtMs === Number.POSITIVE_INFINITY) return null;
    const waiting = this.#parts.store.publications.pending(channelId);
    const isAside = waiting.some((one) => this.upkeep.againAtMs(publicationKey(one)) === nextAtMs);
    const because = HINDRANCES[channel.pausedBecause('publish') ?? (isAside ? 'unknown' : 'later')];
    return { waiting: waiting.length, nextAtMs, because };
  }

  /** Whether a channel's posts are of use only once they are published. */
  isPublishedOnly(channelId: string): boolean {
    return this.#parts.isPublishedOnly?.(channelId) ?? false;
  }

  /** The posts and edits that Discord keeps answering with an error while it answers others well. */
  setAside(): SetAside[] {
    const { deliveries, edits } = this.#parts.store;
    return this.#aside.all().flatMap(({ key, about, againAtMs }) => {
      if (!about) return [];
      const isPending =
        about.what === 'post'
          ? deliveries.isPending(about.deliveryId)
          : edits.pending(about.channelId).some((edit) => editKey(edit) === key);
      return isPending ? [{ ...about, againAtMs }] : [];
    });
  }

  /** Ends all that waits for a channel, and resolves when nothing is under way there. */
  abandon(channelId: string): Promise<void> {
    return this.#servers.abandon(channelId);
  }

  /** As `Servers.left`. */
  left(guildId: string, channelIds: readonly string[] | null): void {
    this.#servers.left(guildId, channelIds);
  }

  /** As `Servers.joined`. */
  joined(guildId: string, isVisible: (channelId: string) => boolean): void {
    this.#servers.joined(guildId, isVisible);
  }

  /** The servers with subscriptions or pending deliveries. */
  guildIds(): Set<string> {
    return this.#servers.guildIds();
  }

  /** Forgets people who were away for long, and posts that are too old to be edited. */
  async sweep(): Promise<void> {
    const { store, currentState, clock } = this.#parts;
    const nowMs = clock.now();
    await this.#servers.sweepPeople();
    await store.posts.sweep(
      (post) =>
        post.postedAtMs < nowMs - ANY_MS ||
        (post.postedAtMs < nowMs - OVER_MS && isOverForEver(post.announcement, currentState, nowMs)),
    );
    await store.rateLog.sweep();
    this.#posting.sweep();
    this.upkeep.sweep();
  }

  status(): DeliveryStatus {
    const { store, clock } = this.#parts;
    const { deliveries, edits, publications, postingPause } = store;
    const nowMs = clock.now();
    const channels = deliveries.channels();
    const waiting = channels.flatMap((channelId) => deliveries.pending(channelId));
    const rolledUp = channels.flatMap((channelId) => deliveries.pendingMembers(channelId));
    const limits = new Map(channels.map((channelId) => [channelId, this.limitOf(channelId)]));
    const reached = [...limits.values()].filter((limit) => limit !== null);
    // A delivery to a person who takes no messages is not late, nor is one whose offer is missing.
    const due = [...waiting, ...rolledUp].filter(
      (delivery) =>
        delivery.dueAtMs <= nowMs &&
        this.#posting.closedUntilMs(delivery.channelId, nowMs) <= nowMs &&
        !this.#posting.isHeld(delivery),
    );
    const unhindered = due.filter(
      ({ id, channelId }) =>
        !limits.get(channelId) && !this.#channels.get(channelId).isBlocked && this.#aside.againAtMs(id) === null,
    );
    this.#turnDay();
    return {
      ended: { sinceStart: { ...this.#ended }, postedToday: this.#today.posted },
      pending: waiting.length + rolledUp.length,
      oldestDueAtMs: earliest(due.map(({ dueAtMs }) => dueAtMs)),
      oldestUnhinderedAtMs: earliest(unhindered.map(({ dueAtMs }) => dueAtMs)),
      blockedChannels: [...this.#channels.all()].filter(({ isBlocked }) => isBlocked).length,
      limitedChannels: reached.length,
      nextRoomAtMs: earliest(reached.map(({ nextPostAtMs }) => nextPostAtMs)),
      editsPending: edits.size(),
      publicationsPending: publications.size(),
      pausedSinceMs: postingPause.sinceMs(),
    };
  }

  /** Begins the day's count anew where midnight has passed. */
  #turnDay(): void {
    const day = dayOf(this.#parts.clock.now());
    if (day !== this.#today.day) this.#today = { day, posted: 0 };
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** The earliest of these moments; null for none. */
function earliest(moments: readonly number[]): number | null {
  return moments.length === 0 ? null : moments.reduce((a, b) => Math.min(a, b));
}

/** Whether a deal is over for good: one that is sold out and stays in its feed may come back after months. */
function isOverForEver(announcement: Announcement, currentState: CurrentState, nowMs: number): boolean {
  return isDealOver(announcement, nowMs) && currentState.entity(entityKey(announcement)) === undefined;
}
