import type { EntityUpdate } from '../../deals/announcement.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import type { CurrentState } from '../current-state.ts';
import { isLive } from '../kinds/index.ts';
import { Channels } from './channel.ts';
import { createChannelProblems } from './channel-problems.ts';
import { createChannelWork } from './channel-work.ts';
import { countEndings, type DeliveryMetrics } from './delivery-metrics.ts';
import { createEditing } from './editing.ts';
import { createMessageRenderer } from './message-renderer.ts';
import { closedUntilMs, createPosting, type Posting, type ReachedLimit } from './posting.ts';
import { createPublishing } from './publishing.ts';
import { createServers, type Servers } from './servers.ts';
import { createWakeUps } from './wake-ups.ts';

/** Empties the outbox and keeps posts up to date: one step at a time in a channel, channels in parallel. */
export interface Deliverer extends Pick<Servers, 'abandon' | 'left' | 'joined' | 'guildIds'> {
  /** Starts on all due work that is not running yet, and schedules the next wake-up. */
  kick(): void;
  /** Resolves when no step is running and no retry is pending: all due work is done, or the deliverer was stopped. */
  settled(): Promise<void>;
  /** Ends the waits, and resolves when no step is running any more. */
  stop(): Promise<void>;
  /**
   * Queues the edits of all posts about these entities, in the commit of their new states. A later `kick` makes them.
   * Rejects with a StoreError.
   */
  refresh: (changes: Changes, updates: readonly EntityUpdate[]) => Promise<void>;
  /** Retries a channel at once where the bot was not allowed to post. */
  retry: (channelId: string) => void;
  /** How the channel's hourly limit holds back due deliveries; null where it does not. */
  limitOf: (channelId: string) => ReachedLimit | null;
  /** Forgets people who were away for long, and posts that are too old to be edited. */
  sweep(): Promise<void>;
  status(): DeliveryStatus;
}

export interface DeliveryStatus {
  /** How announcements have ended. Each one in a roll-up counts separately. */
  ended: DeliveryMetrics;
  pending: number;
  /** When the oldest due delivery became due: epoch milliseconds; null where none is due. */
  oldestDueAtMs: number | null;
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

export interface DelivererParts {
  store: Pick<
    Store,
    | 'commit'
    | 'transact'
    | 'deliveries'
    | 'subscriptions'
    | 'people'
    | 'looks'
    | 'posts'
    | 'edits'
    | 'publications'
    | 'paces'
    | 'newestMessages'
    | 'postingPause'
  >;
  courier: Courier;
  /** The translator for a server's language. */
  translatorOf: (guildId: string) => Translator;
  currentState: Pick<CurrentState, 'of' | 'entity'>;
  clock: Clock;
  log: Log;
  /** Monotonic time before which no channel is worked on: until then another process's posts may still arrive. */
  clearFromMs?: number;
}

const DAY_MS = 86_400_000;
/** How long a post about an ended entity is kept after posting: a sold-out offer may come back. */
const OVER_MS = 45 * DAY_MS;
/** How long any other post is kept after posting: its entity has no end, or its end was not seen. */
const ANY_MS = 120 * DAY_MS;

export function createDeliverer(parts: DelivererParts): Deliverer {
  const { store, courier, translatorOf, currentState, clock, log, clearFromMs = 0 } = parts;
  const { deliveries, edits, publications } = store;
  const endings = countEndings(deliveries, clock);
  const stopping = new AbortController();
  const channels = new Channels(clock);
  const renderer = createMessageRenderer(translatorOf, store.subscriptions, currentState);
  const common = { store, courier, clock, log };
  const editing = createEditing({ ...common, currentState, renderer });
  const channelProblems = createChannelProblems(store, courier, translatorOf, clock);
  const posting = createPosting({ ...common, editing, channelProblems, currentState, renderer, channels });
  const publishing = createPublishing(common);
  const wakeUps = createWakeUps({
    channels,
    wake: (channelId) => work.kick(channelId),
    clock,
    signal: stopping.signal,
  });
  const work = createChannelWork({
    channels,
    tasks: { post: posting, publish: publishing, edit: editing },
    onIdle: wakeUps.at,
    isHeld: () => store.postingPause.sinceMs() !== null,
    clearFromMs,
    clock,
    log,
    signal: stopping.signal,
  });
  const servers = createServers({ ...store, channelProblems, posting, work, clock, log });

  return {
    kick() {
      void redate(store.paces, log);
      const channels = [...deliveries.channels(), ...publications.channels(), ...edits.channels()];
      for (const channelId of new Set(channels)) work.kick(channelId);
    },
    settled: work.settled,
    async stop() {
      stopping.abort();
      await redate(store.paces, log);
      await servers.settled();
      await work.settled();
    },
    refresh: (changes, updates) => editing.refresh(changes, updates),
    retry: work.retry,
    left: servers.left,
    joined: servers.joined,
    guildIds: servers.guildIds,
    abandon: servers.abandon,
    limitOf: (channelId) => posting.limitOf(channelId),
    async sweep() {
      const nowMs = clock.now();
      await servers.sweepPeople();
      await store.posts.sweep((post) => isOutdated(post, nowMs));
      await store.paces.sweep();
    },
    status: () => ({
      ...outboxStatus(store, posting, clock.now()),
      ended: endings(),
      blockedChannels: work.blockedChannels(),
      editsPending: edits.size(),
      publicationsPending: publications.size(),
      pausedSinceMs: store.postingPause.sinceMs(),
    }),
  };
}

/** Dates the paces anew after a change of the wall clock: at each tick, and at the end of a run. */
async function redate(paces: Store['paces'], log: Log): Promise<void> {
  try {
    await paces.redate();
  } catch (error) {
    log.error({ err: error }, 'could not adjust the hourly limits to the new clock');
  }
}

type OutboxStatus = Pick<DeliveryStatus, 'pending' | 'oldestDueAtMs' | 'limitedChannels' | 'nextRoomAtMs'>;

function outboxStatus(store: Pick<Store, 'deliveries' | 'people'>, posting: Posting, nowMs: number): OutboxStatus {
  const { deliveries } = store;
  const channels = deliveries.channels();
  const waiting = channels.flatMap((channelId) => deliveries.pending(channelId));
  const rolledUp = channels.flatMap((channelId) => deliveries.pendingRollUp(channelId)?.members ?? []);
  const limits = channels.flatMap((channelId) => posting.limitOf(channelId) ?? []);
  return {
    pending: waiting.length + rolledUp.length,
    // A delivery to a person who takes no messages is not late.
    oldestDueAtMs: earliest(
      waiting
        .filter(({ dueAtMs, channelId }) => dueAtMs <= nowMs && closedUntilMs(store, channelId, nowMs) <= nowMs)
        .map(({ dueAtMs }) => dueAtMs),
    ),
    limitedChannels: limits.length,
    nextRoomAtMs: earliest(limits.map(({ nextPostAtMs }) => nextPostAtMs)),
  };
}

/** The earliest of these moments; null for none. */
function earliest(moments: readonly number[]): number | null {
  return moments.length === 0 ? null : moments.reduce((a, b) => Math.min(a, b));
}

/** Whether a post is too old to be edited, and so need not be kept. */
function isOutdated({ postedAtMs, announcement }: Post, nowMs: number): boolean {
  return postedAtMs < nowMs - ANY_MS || (postedAtMs < nowMs - OVER_MS && !isLive(announcement, nowMs));
}
