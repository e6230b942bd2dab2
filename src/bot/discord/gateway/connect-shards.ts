import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from '@discordjs/ws';
import { DiscordAPIError, GatewayIntentBits, REST } from 'discord.js';
import type { Clock } from '../../../shared/clock.ts';
import { DiscordRefusedError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import { closedForGood, isClosedForGood, TOKEN_REFUSED } from '../close-codes.ts';
import { reasonOf, retryUnlessRefused } from '../retry.ts';
import { GATEWAY_AWAY, spaceConnections } from '../space-connections.ts';
import type { Sharding } from './sharding.ts';

/** Beginning a session uses one of the day's, so tries become rare. */
const BACK_OFF = { firstMs: 1_000, factor: 2, longestMs: 300_000 };

export interface ShardConnection {
  token: string;
  /** Base address of the REST API; null for Discord's own. */
  api: string | null;
  sharding: Sharding;
  clock: Clock;
  log: Log;
  /** Cancels all attempts and closes every connection. */
  signal: AbortSignal;
  /** Why Discord can't be reached, in a sentence; null once it can. */
  onProblem: (problem: string | null) => void;
  /** Called when Discord closes a connection and allows no reconnection. */
  onRefused: (error: DiscordRefusedError) => void;
}

/**
 * Connects shards without a client, which would keep every server in memory. Resolves with what closes them when all are
 * connected, with retries for however long Discord takes.
 * @throws DiscordRefusedError where Discord rejects the token or a connection; the signal's reason
 */
export function connectShards(connection: ShardConnection): Promise<() => Promise<void>> {
  const { clock, signal, onProblem } = connection;
  const onFailure = (error: unknown) => onProblem(`Connecting the shards failed: ${reasonOf(error)}.`);
  return retryUnlessRefused(() => connectOnce(connection), { ...BACK_OFF, clock, signal, onFailure });
}

async function connectOnce(connection: ShardConnection): Promise<() => Promise<void>> {
  const { token, api, sharding, clock, log, signal, onProblem, onRefused } = connection;
  const failed = new AbortController();
  // The bot's signal outlives every attempt: a listener on it would stay after an attempt that failed.
  const attempt = AbortSignal.any([signal, failed.signal]);
  const sessions = new Map<number, SessionInfo | null>();
  const { ids, count, buildStrategy, buildIdentifyThrottler } = sharding;
  const manager = new WebSocketManager({
    token,
    intents: GatewayIntentBits.Guilds,
    rest: new REST(api === null ? {} : { api }).setToken(token),
    shardIds: ids,
    shardCount: count,
    retrieveSessionInfo: (shard) => sessions.get(shard) ?? null,
    updateSessionInfo: (shard, session) => void sessions.set(shard, session),
    buildStrategy: buildStrategy(spaceConnections(clock, attempt, () => onProblem(GATEWAY_AWAY))),
    ...(buildIdentifyThrottler && { buildIdentifyThrottler }),
  });
  manager.on(WebSocketShardEvents.Error, ({ error }) =>
    log.debug({ reason: reasonOf(error) }, 'gateway connection failed'),
  );
  for (const event of [WebSocketShardEvents.Ready, WebSocketShardEvents.Resumed] as const) {
    manager.on(event, () => onProblem(null));
  }
  try {
    await new Promise<void>((resolve, reject) => {
      attempt.addEventListener('abort', () => reject(attempt.reason as Error), { once: true });
      manager.on(WebSocketShardEvents.Closed, ({ code }) => {
        if (!isClosedForGood(code)) return;
        const error = new DiscordRefusedError(closedForGood(code));
        log.error({ code }, error.message);
        reject(error);
        onRefused(error);
      });
      manager.connect().then(resolve, reject);
    });
  } catch (error) {
    failed.abort();
    void manager.destroy();
    if (error instanceof DiscordAPIError && error.status === 401) throw new DiscordRefusedError(TOKEN_REFUSED);
    throw error;
  }
  return async () => {
    failed.abort();
    await manager.destroy();
  };
}
