import PQueue from 'p-queue';
import type { Log } from '../../../shared/log.ts';
import type { Store } from '../../store/store.ts';
import type { ChannelProblems } from './channel-problems.ts';
import type { ChannelWork } from './channel-work.ts';
import type { Posting } from './posting.ts';

export interface ServersParts extends Pick<Store, 'subscriptions' | 'deliveries'> {
  channelProblems: ChannelProblems;
  posting: Posting;
  work: ChannelWork;
  log: Log;
}

/** What it means for the outbox that the bot leaves a server, joins one, or loses a channel. */
export interface Servers {
  /**
   * The bot is no longer in the server, or the channel no longer exists: what waits there ends, and its subscriptions rest.
   * @param channelIds the channels that are gone; null for all of the server's
   */
  left: (guildId: string, channelIds: readonly string[] | null) => void;
  /**
   * The bot is in the server: subscriptions that rest since it was not, or whose channel was not to be seen, go on with
   * what comes from now on. @param isVisible whether the gateway has told of a channel
   */
  joined: (guildId: string, isVisible: (channelId: string) => boolean) => void;
  /** The servers that something is subscribed or to be posted in. */
  guildIds: () => Set<string>;
  /** Resolves when all that was told is done. */
  settled(): Promise<unknown>;
}

export function createServers({
  subscriptions,
  deliveries,
  channelProblems,
  posting,
  work,
  log,
}: ServersParts): Servers {
  /** What the gateway tells is done one after another: a server may be left and joined again at once. */
  const changes = new PQueue({ concurrency: 1 });

  function inTurn(change: () => Promise<void>): void {
    const kept = changes.add(change);
    kept.catch((error: unknown) => log.error({ err: error }, 'what the gateway told was not kept'));
  }

  const guildOf = (channelId: string) =>
    (deliveries.pendingRollUp(channelId) ?? deliveries.pending(channelId)[0])?.guildId;

  function channelsOf(guildId: string): Set<string> {
    const subscribed = subscriptions.ofGuild(guildId).map(({ channelId }) => channelId);
    return new Set([...subscribed, ...deliveries.channels().filter((channelId) => guildOf(channelId) === guildId)]);
  }

  return {
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
          log.warn({ guild: guildId, channels: gone.length, reason }, 'paused: the bot is not there any more');
      });
    },
    joined(guildId, isVisible) {
      inTurn(() => channelProblems.resume(guildId, isVisible));
    },
    guildIds() {
      const subscribed = subscriptions.all().map((subscription) => subscription.guildId);
      return new Set([...subscribed, ...deliveries.channels().flatMap((channelId) => guildOf(channelId) ?? [])]);
    },
    settled: () => changes.onIdle(),
  };
}
