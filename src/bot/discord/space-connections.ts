import { SimpleShardingStrategy, type WebSocketOptions, WebSocketShardStatus } from 'discord.js';
import type { Clock } from '../../shared/clock.ts';
import { backOffMs } from './persist.ts';

type BuildStrategy = NonNullable<WebSocketOptions['buildStrategy']>;

/** Discord asks for a new connection now and then: only one that does not last makes the next one wait. */
const LASTING_MS = 60_000;
/** However long connections don't last, they are fewer than the 1,000 sessions that a bot may begin a day. */
const BACK_OFF = { firstMs: 1_000, longestMs: 120_000 };

/** Wait before the next gateway connection after so many in a row that did not last: milliseconds. The first repeat is free. */
export function connectionDelayMs(failures: number): number {
  return failures < 2 ? 0 : backOffMs(failures - 1, BACK_OFF);
}

/**
 * Spaces a client's gateway connections: discord.js makes the next one half a second after the last, for ever, even for
 * a client that was destroyed in that half second.
 * @param signal aborted with the client: no connection is begun after that
 * @param onWait called before each wait
 */
export function spaceConnections(clock: Clock, signal: AbortSignal, onWait: () => void): BuildStrategy {
  return (manager) => {
    const strategy = new SimpleShardingStrategy(manager);
    const retrieveSessionInfo = manager.options.retrieveSessionInfo.bind(manager.options);
    /** By shard; `atMs` is when the connection was begun, by the monotonic clock. */
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

    // A shard asks for its session before it connects, and with each event: only then it is not idle.
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
