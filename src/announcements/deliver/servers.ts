import PQueue from 'p-queue';
import { personAt, placeOfPerson, retentionOf } from '../../deals/watch.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Store } from '../../store/store.ts';
import type { ChannelProblems } from './channel-problems.ts';
import type { ChannelWork } from './channel-work.ts';
import type { Posting } from './posting.ts';

export interface ServersParts extends Pick<Store, 'commit' | 'subscriptions' | 'people' | 'deliveries'> {
  channelProblems: ChannelProblems;
  posting: Posting;
  work: ChannelWork;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

/** Updates the outbox when the bot joins or leaves a server, or a channel disappears. */
export interface Servers {
  /**
   * The bot has left the server, or channels were deleted: pending deliveries end, and the subscriptions are paused.
   * @param channelIds the deleted channels; null for all of the server's
   */
  left: (guildId: string, channelIds: readonly string[] | null) => void;
  /**
   * The bot is in the server: subscriptions that were paused because it was not, or because their channel was not
   * visible, resume with new announcements. @param isVisible whether the gateway has reported a channel
   */
  joined: (guildId: string, isVisible: (channelId: string) => boolean) => void;
  /** Ends all that waits for a channel, and resolves when nothing is under way there. */
  abandon: (channelId: string) => Promise<void>;
  /**
   * Ends what waits for people who have taken no direct messages for long, pauses their watches, and forgets them at
   * last.
   */
  sweepPeople(): Promise<void>;
  /** The servers with subscriptions or pending deliveries. */
  guildIds: () => Set<string>;
  /** Resolves when all reported changes are handled. */
  settled(): Promise<unknown>;
}

export function createServers(parts: ServersParts): Servers {
  const { commit, subscriptions, people, deliveries, channelProblems, posting, work, clock, log } = parts;
  /** Gateway events are handled one after another: the bot may leave a server and join it again at once. */
  const changes = new PQueue({ concurrency: 1 });

  function inTurn(change: () => Promise<void>): void {
    const kept = changes.add(change);
    kept.catch((error: unknown) => log.error({ err: error }, 'could not process a gateway event'));
  }

  const guildOf = (channelId: string) =>
    (deliveries.pendingRollUp(channelId) ?? deliveries.pending(channelId)[0])?.guildId;

  function channelsOf(guildId: string): Set<string> {
    const subscribed = subscriptions.ofGuild(guildId).map(({ channelId }) => channelId);
    return new Set([...subscribed, ...deliveries.channels().filter((channelId) => guildOf(channelId) === guildId)]);
  }

  function abandon(channelId: string): Promise<void> {
    posting.abandon(channelId);
    work.restart(channelId);
    return work.settled(channelId);
  }

  return {
    abandon,
    left(guildId, channelIds) {
      inTurn(async () => {
        const reason = channelIds === null ? 'server-gone' : 'channel-gone';
        const all = channelsOf(guildId);
        const gone = channelIds === null ? [...all] : channelIds.filter((channelId) => all.has(channelId));
        for (const channelId of gone) {
          await channelProblems.report({ guildId, channelId }, reason, true);
          posting.abandon(channelId);
          work.restart(channelId);
        }
        if (gone.length > 0)
          log.warn({ guild: guildId, channels: gone.length, reason }, 'paused: the bot or its channels are gone');
      });
    },
    joined(guildId, isVisible) {
      inTurn(async () => {
        // Deliveries that could not be ended yet go on: they would end together with those that are new from now on.
        for (const { channelId, problem } of subscriptions.ofGuild(guildId))
          if (problem === 'server-gone' || isVisible(channelId)) posting.reclaim(channelId);
        await channelProblems.resume(guildId, isVisible);
      });
    },
    async sweepPeople() {
      const nowMs = clock.now();
      for (const person of people.all()) {
        const watches = subscriptions.ofGuild(placeOfPerson(person.id));
        const retention = retentionOf(person, watches.length > 0, nowMs);
        if (retention === 'kept') continue;
        await commit((changes) => {
          for (const { id, pausedBy } of watches) {
            if (retention === 'forgotten') subscriptions.delete(changes, id);
            else if (pausedBy === null) subscriptions.change(changes, id, (watch) => ({ ...watch, pausedBy: 'gone' }));
          }
          if (retention === 'forgotten') people.delete(changes, person.id);
        });
        await abandon(person.channelId);
      }
    },
    guildIds() {
      const subscribed = subscriptions.all().map((subscription) => subscription.guildId);
      const all = [...subscribed, ...deliveries.channels().flatMap((channelId) => guildOf(channelId) ?? [])];
      return new Set(all.filter((guildId) => personAt(guildId) === null));
    },
    settled: () => changes.onIdle(),
  };
}
