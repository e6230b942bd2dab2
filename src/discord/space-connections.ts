import { SimpleShardingStrategy, type WebSocketOptions, WebSocketShardStatus } from 'discord.js';
import { backOffMs } from '../shared/backoff.ts';
import type { Clock } from '../shared/clock.ts';

type BuildStrategy = NonNullable<WebSocketOptions['buildStrategy']>;

/** A connection that lasts at least this long is not a failure: Discord requests reconnections now and then. */
const LASTING_MS = 60_000;
/** Even if every connection fails, this allows fewer than the 1,000 sessions that a bot may begin a day. */
const BACK_OFF = { firstMs: 1_000, factor: 2, longestMs: 120_000 };

/**
 * The wait before the next gateway connection after `failures` short-lived ones in a row: milliseconds. The first retry
 * is immediate.
 */
export function connectionDelayMs(failures: number): number {
  return failures < 2 ? 0 : backOffMs(failures - 1, BACK_OFF);
}

/**
 * Spaces a client's gateway connections: discord.js reconnects half a second after each failure, for ever, even for a
 * client that was destroyed in that half second.
 * @param signal aborted with the client: no connection begins after that
 * @param onWait called before each wait
 */
export function spaceConnections(clock: Clock, signal: AbortSignal, onWait: () => void): BuildStrategy {
  return (manager) => {
    const strategy = new SimpleShardingStrategy(manager);
    const retrieveSessionInfo = manager.options.retrieveSessionInfo.bind(manager.options);
    /** By shard; `atMs` is when the connection began, by the monotonic clock. */
    const latest = new Map<number, { failures: number; atMs: number }>();

    async function untilMayConnect(shardId: number): Promise<void> {
      const last = latest.get(shardId);
      const lastedMs = last ? clock.monotonicMs() - last.atMs : Number.POSITIVE_INFINITY;
      const failures = last && lastedMs < LASTING_MS ? last.failures + 1 : 0;
      const delayMs = connectionDelayMs(failures);
      if (delayMs > 0) {
        onWait();
        await clock.sleep(delayMs, signal);
      }
      latest.set(shardId, { failures, atMs: clock.monotonicMs() });
    }

    // A shard requests its session before it connects, and also with each event: it is idle only before it connects.
    manager.options.retrieveSessionInfo = async (shardId) => {
      const status = (await strategy.fetchStatus()).get(shardId);
      if (status === undefined || signal.aborted) return NEVER;
      if (status === WebSocketShardStatus.Idle) await untilMayConnect(shardId).catch(() => NEVER);
      return retrieveSessionInfo(shardId);
    };
    return strategy;
  };
}

const NEVER = new Promise<never>(() => undefined);
