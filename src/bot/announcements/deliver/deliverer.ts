import PQueue from 'p-queue';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { ThingUpdate } from '../../deals/announcement.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import { isLive } from '../kinds/index.ts';
import { createChannelProblems } from './channel-problems.ts';
import { createChannelWork } from './channel-work.ts';
import { type DeliveryMetrics, withMetrics } from './delivery-metrics.ts';
import { createEditing } from './editing.ts';
import { createMessageRenderer } from './message-renderer.ts';
import { createPosting, type Posting, type ReachedLimit } from './posting.ts';
import { createPublishing } from './publishing.ts';
import { createServers, type Servers } from './servers.ts';
import { createWakeUps } from './wake-ups.ts';

/** Empties the outbox, and keeps what it has posted as it is: one step at a time in a channel, the channels side by side. */
export interface Deliverer extends Pick<Servers, 'left' | 'joined' | 'guildIds'> {
  /** Starts on whatever is due and has nobody working on it, and sleeps until the next is due. */
  kick(): void;
  /** Resolves when nothing is being worked on or waits for another try: what is due is done, or the deliverer was stopped. */
  settled(): Promise<void>;
  /** Ends the waits and resolves when nothing is under way any more. */
  stop(): Promise<void>;
  /**
   * Queues the edits of all posts that tell of these things, and resolves when they are kept: before these states are
   * committed. A kick after that makes them. Rejects with a StoreError.
   */
  refresh: (updates: readonly ThingUpdate[]) => Promise<void>;
  /** Tries a channel again at once where the bot was not allowed to post. */
  retry: (channelId: string) => void;
  /** How the channel's hourly limit holds back what is due; null where it does not. */
  limitOf: (channelId: string) => ReachedLimit | null;
  /** Forgets posts, roll-ups and ledger entries that are too old to matter. */
  sweep(): Promise<void>;
  status(): DeliveryStatus;
}

export interface DeliveryStatus {
  /** How announcements have ended, each counted by itself whatever it was posted in. */
  ended: DeliveryMetrics;
  pending: number;
  /** When the delivery that has waited longest was due: epoch milliseconds; null where none is due. */
  oldestDueAtMs: number | null;
  /** Channels where the bot may not post just now. */
  blockedChannels: number;
  /** Channels whose hourly limit holds back what is due, and when the first has room: epoch milliseconds, null for none. */
  limitedChannels: number;
  nextRoomAtMs: number | null;
  editsPending: number;
  publicationsPending: number;
}

export interface DelivererParts {
  store: Pick<Store, 'deliveries' | 'subscriptions' | 'posts' | 'edits' | 'publications' | 'paces' | 'newestMessages'>;
  courier: Courier;
  /** The words of a server. */
  wordsOf: (guildId: string) => Translator;
  currentState: Pick<CurrentState, 'of' | 'committed' | 'isUncommitted'>;
  clock: Clock;
  log: Log;
}

const DAY_MS = 86_400_000;
/** A post whose thing is over is kept this long after it was posted: what is sold out may come back. */
const OVER_MS = 45 * DAY_MS;
/** Any other, that has no end or whose end nobody saw. */
const ANY_MS = 120 * DAY_MS;

export function createDeliverer({ store, courier, wordsOf, currentState, clock, log }: DelivererParts): Deliverer {
  const { edits, publications } = store;
  const { deliveries, deliveryMetrics } = withMetrics(store.deliveries, clock);
  const stopping = new AbortController();

  const renderer = createMessageRenderer(wordsOf, store.subscriptions);
  const editing = createEditing({ store, currentState, renderer, courier, clock, log });
  const channelProblems = createChannelProblems(store.subscriptions, courier, wordsOf);
  const posting = createPosting({
    store: { ...store, deliveries },
    editing,
    channelProblems,
    currentState,
    renderer,
    courier,
    clock,
    log,
  });
  const publishing = createPublishing({ store, courier, clock, log });
  const wakeUps = createWakeUps({ wake: (channelId) => work.kick(channelId), clock, signal: stopping.signal });
  const work = createChannelWork({
    tasks: { post: posting, publish: publishing, edit: editing },
    onIdle: wakeUps.at,
    clock,
    log,
    signal: stopping.signal,
  });
  const servers = createServers({
    subscriptions: store.subscriptions,
    deliveries,
    channelProblems,
    posting,
    work,
    log,
  });

  const redates = new PQueue({ concurrency: 1 });

  /** A clock that was set is noticed at each tick, and at the end of a run. */
  function redatePaces(): void {
    const redated = redates.add(() => store.paces.redate());
    redated.catch((error: unknown) => log.error({ err: error }, 'the posts of the past hour were not dated anew'));
  }

  return {
    kick() {
      redatePaces();
      const channels = [...deliveries.channels(), ...publications.channels(), ...edits.channels()];
      for (const channelId of new Set(channels)) work.kick(channelId);
    },
    settled: work.settled,
    async stop() {
      stopping.abort();
      redatePaces();
      await redates.onIdle();
      await servers.settled();
      await work.settled();
    },
    refresh: (updates) => editing.refresh(updates),
    retry: work.retry,
    left: servers.left,
    joined: servers.joined,
    guildIds: servers.guildIds,
    limitOf: (channelId) => posting.limitOf(channelId),
    async sweep() {
      const nowMs = clock.now();
      await deliveries.sweep(nowMs);
      await store.posts.sweep((post) => isOutdated(post, nowMs));
      await store.paces.sweep(nowMs);
    },
    status: () => ({
      ...outboxStatus(deliveries, posting, clock.now()),
      ended: deliveryMetrics(),
      blockedChannels: work.blockedChannels(),
      editsPending: edits.size(),
      publicationsPending: publications.size(),
    }),
  };
}

type OutboxStatus = Pick<DeliveryStatus, 'pending' | 'oldestDueAtMs' | 'limitedChannels' | 'nextRoomAtMs'>;

function outboxStatus(deliveries: Store['deliveries'], posting: Posting, nowMs: number): OutboxStatus {
  const channels = deliveries.channels();
  const waiting = channels.flatMap((channelId) => deliveries.pending(channelId));
  const rolledUp = channels.flatMap((channelId) => deliveries.pendingRollUp(channelId)?.members ?? []);
  const limits = channels.flatMap((channelId) => posting.limitOf(channelId) ?? []);
  return {
    pending: waiting.length + rolledUp.length,
    oldestDueAtMs: earliest(waiting.map(({ dueAtMs }) => dueAtMs).filter((atMs) => atMs <= nowMs)),
    limitedChannels: limits.length,
    nextRoomAtMs: earliest(limits.map(({ nextPostAtMs }) => nextPostAtMs)),
  };
}

/** null for none. */
function earliest(moments: readonly number[]): number | null {
  return moments.length === 0 ? null : moments.reduce((a, b) => Math.min(a, b));
}

/** Whether a post is so old that it is not edited any more, and need not be known. */
function isOutdated({ postedAtMs, announcement }: Post, nowMs: number): boolean {
  return postedAtMs < nowMs - ANY_MS || (postedAtMs < nowMs - OVER_MS && !isLive(announcement, nowMs));
}
