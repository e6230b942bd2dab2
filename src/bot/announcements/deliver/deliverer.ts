import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { ThingUpdate } from '../../deals/announcement.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Words } from '../../discord/i18n/translator.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import { createTroubles } from './channel-problems.ts';
import { createChannelWork } from './channel-work.ts';
import { type Tally, tallied } from './delivery-metrics.ts';
import { createEditing } from './editing.ts';
import { createShowing } from './message-renderer.ts';
import { createPosting, type ReachedLimit } from './posting.ts';
import { createPublishing } from './publishing.ts';
import { isOutdated } from './retention.ts';
import { createWakeUps } from './wake-ups.ts';

/** Empties the outbox, and keeps what it has posted as it is: one step at a time in a channel, the channels side by side. */
export interface Deliverer {
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
  /**
   * The bot is no longer in the server, or the channel no longer exists: what waits there ends, and its subscriptions rest.
   * @param channelIds the channels that are gone; null for all of the server's
   */
  left(guildId: string, channelIds: readonly string[] | null): void;
  /**
   * The bot is in the server: subscriptions that rest since it was not, or whose channel was not to be seen, go on with
   * what comes from now on. @param isVisible whether the gateway has told of a channel
   */
  joined(guildId: string, isVisible: (channelId: string) => boolean): void;
  /** The servers that something is subscribed or to be posted in. */
  guildIds(): Set<string>;
  /** How the channel's hourly limit holds back what is due; null where it does not. */
  limitOf: (channelId: string) => ReachedLimit | null;
  /** Forgets posts, roll-ups and ledger entries that are too old to matter. */
  sweep(): Promise<void>;
  status(): DeliveryStatus;
}

export interface DeliveryStatus {
  /** How announcements have ended, each counted by itself whatever it was posted in. */
  ended: Tally;
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
  wordsOf: (guildId: string) => Words;
  currentState: Pick<CurrentState, 'of' | 'committed' | 'isUncommitted'>;
  clock: Clock;
  log: Log;
}

export function createDeliverer({ store, courier, wordsOf, currentState, clock, log }: DelivererParts): Deliverer {
  const { edits, publications } = store;
  const { deliveries, tally } = tallied(store.deliveries, clock);
  const stopping = new AbortController();

  const showing = createShowing(wordsOf, store.subscriptions);
  const editing = createEditing({ store, currentState, showing, courier, clock, log });
  const troubles = createTroubles(store.subscriptions, courier, wordsOf);
  const posting = createPosting({
    store: { ...store, deliveries },
    editing,
    troubles,
    currentState,
    showing,
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
  /** What the gateway tells is done one after another: a server may be left and joined again at once. */
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn(change: () => Promise<void>): void {
    turn = turn.then(change).catch((error: unknown) => log.error({ err: error }, 'what the gateway told was not kept'));
  }

  const guildOf = (channelId: string) =>
    (deliveries.pendingRollUp(channelId) ?? deliveries.pending(channelId)[0])?.guildId;

  function channelsOf(guildId: string): Set<string> {
    const subscribed = store.subscriptions.ofGuild(guildId).map(({ channelId }) => channelId);
    return new Set([...subscribed, ...deliveries.channels().filter((channelId) => guildOf(channelId) === guildId)]);
  }

  const channels = () => new Set([...deliveries.channels(), ...publications.channels(), ...edits.channels()]);

  return {
    kick() {
      for (const channelId of channels()) work.kick(channelId);
    },
    settled: work.settled,
    async stop() {
      stopping.abort();
      await turn;
      await work.settled();
    },
    refresh: (updates) => editing.refresh(updates),
    retry: work.retry,
    left(guildId, channelIds) {
      inTurn(async () => {
        const reason = channelIds === null ? 'server-gone' : 'channel-gone';
        const all = channelsOf(guildId);
        const gone = channelIds === null ? [...all] : channelIds.filter((channelId) => all.has(channelId));
        for (const channelId of gone) {
          await troubles.note({ guildId, channelId }, reason, true);
          posting.abandon(channelId);
          work.restart(channelId);
        }
        if (gone.length > 0)
          log.warn({ guild: guildId, channels: gone.length, reason }, 'paused: the bot is not there any more');
      });
    },
    joined(guildId, isVisible) {
      inTurn(() => troubles.resume(guildId, isVisible));
    },
    guildIds() {
      const subscribed = store.subscriptions.all().map((subscription) => subscription.guildId);
      return new Set([...subscribed, ...deliveries.channels().flatMap((channelId) => guildOf(channelId) ?? [])]);
    },
    limitOf: (channelId) => posting.limitOf(channelId),
    async sweep() {
      const nowMs = clock.now();
      await deliveries.sweep(nowMs);
      await store.posts.sweep((post) => isOutdated(post, nowMs));
      await store.paces.sweep(nowMs);
    },
    status() {
      const nowMs = clock.now();
      const waiting = deliveries.channels().flatMap((channelId) => deliveries.pending(channelId));
      const rolledUp = deliveries.channels().flatMap((channelId) => deliveries.pendingRollUp(channelId)?.members ?? []);
      const limits = deliveries.channels().flatMap((channelId) => posting.limitOf(channelId) ?? []);
      const dueAtMs = waiting.map((delivery) => delivery.dueAtMs).filter((atMs) => atMs <= nowMs);
      return {
        ended: tally(),
        pending: waiting.length + rolledUp.length,
        oldestDueAtMs: dueAtMs.length > 0 ? dueAtMs.reduce((a, b) => Math.min(a, b)) : null,
        blockedChannels: work.blockedChannels(),
        limitedChannels: limits.length,
        nextRoomAtMs: limits.reduce<number | null>(
          (first, { nextPostAtMs }) => Math.min(first ?? nextPostAtMs, nextPostAtMs),
          null,
        ),
        editsPending: edits.size(),
        publicationsPending: publications.size(),
      };
    },
  };
}
