import { WebSocketShardEvents } from '@discordjs/ws';
import {
  GatewayDispatchEvents as Event,
  type GatewayDispatchPayload,
  type GatewayReadyDispatchData,
} from 'discord-api-types/v10';
import PQueue from 'p-queue';
import type { Clock } from '../../../shared/clock.ts';
import { StateInUseError, StoreError } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import type { GatewayEvent, GatewayTables } from '../../../shared/storage/gateway-tables.ts';
import { type GuildState, guildAfter, guildIdOf } from './guild-state.ts';
import type { Sharding } from './sharding.ts';

/** Pause between two looks at a shard that another process holds, in milliseconds. */
const CLAIM_MS = 1_000;
/** Pause between two signs of life, in milliseconds: a third of what the database allows. */
const BEAT_MS = 5_000;
/** Pause between two tries to write an event, in milliseconds. */
const RETRY_MS = 1_000;
/** Where this many events wait, commands are left out: nobody waits for their answers any more. */
const MOST_WAITING = 1_000;

export interface ShardHolderParts {
  tables: GatewayTables;
  ids: readonly number[];
  count: number;
  clock: Clock;
  log: Log;
  /** Ends everything. */
  signal: AbortSignal;
  /** Called once where another process has taken a shard over. */
  onLost: (error: StateInUseError) => void;
}

/** The shards that this process holds for the one that leads. */
export interface ShardHolder {
  /** Resolves when this process is the holder of all its shards, however long another one keeps them. */
  claim(): Promise<void>;
  /** What makes a client write its events down. */
  sharding: Sharding;
  /** Resolves when all events so far are written. */
  written(): Promise<void>;
}

/** @throws StateInUseError from `claim`: see `GatewayTables.claim` */
export function createShardHolder({ tables, ids, count, clock, log, signal, onLost }: ShardHolderParts): ShardHolder {
  /** One event at a time, so that they stand in the order in which they came. */
  const writing = new PQueue({ concurrency: 1 });
  /** The number of the last event, by shard. */
  const positions = new Map<number, number>();
  let ownId = '';

  async function claimOne(shard: number): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      const position = await tables.claim(shard).catch((error: unknown) => {
        // A database that is away comes back.
        if (!(error instanceof StoreError)) throw error;
        log.warn({ err: error, shard }, 'the shard could not be claimed');
        return null;
      });
      if (position !== null) {
        positions.set(shard, position);
        return;
      }
      if (isFirst) log.info({ shard }, 'another process holds the shard: waiting for it');
      await clock.sleep(CLAIM_MS, signal);
    }
  }

  /** Writes one event, however long the database is away. */
  async function write(shard: number, event: GatewayEvent): Promise<void> {
    const position = (positions.get(shard) ?? 0) + 1;
    positions.set(shard, position);
    await persist(() => tables.write(shard, position, event));
  }

  async function persist(attempt: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof StateInUseError) return onLost(error);
        log.warn({ err: error }, 'a gateway event could not be written');
        await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      }
    }
  }

  async function relay(shard: number, dispatch: GatewayDispatchPayload): Promise<void> {
    if (dispatch.t === Event.Ready) return begin(shard, dispatch);
    const guildId = guildIdOf(dispatch);
    if (guildId === null || dispatch.t === Event.InteractionCreate) return write(shard, { dispatch });
    let before: GuildState | null = null;
    await persist(async () => {
      before = (await tables.guild(guildId)) as GuildState | null;
    });
    const data = guildAfter(before, dispatch, ownId);
    const isSame = data === before;
    await write(shard, {
      dispatch: dispatch.t === Event.GuildCreate ? { ...dispatch, d: data } : dispatch,
      ...(!isSame && { guild: { id: guildId, data } }),
    });
  }

  /** A session begins: Discord tells again which servers there are, and each of them. */
  async function begin(shard: number, dispatch: GatewayDispatchPayload & { d: unknown }): Promise<void> {
    const { guilds, ...ready } = dispatch.d as GatewayReadyDispatchData;
    ownId = ready.user.id;
    await persist(() =>
      tables.keepGuilds(
        shard,
        guilds.map(({ id }) => id),
      ),
    );
    await write(shard, { dispatch, ready, isUp: true });
  }

  function enqueue(run: () => Promise<void>, priority = 0): void {
    writing.add(run, { priority }).catch((error: unknown) => log.error({ err: error }, 'a gateway event was lost'));
  }

  function beat(): void {
    enqueue(() => tables.beat(ids).catch((error: unknown) => log.debug({ err: error }, 'no sign of life was given')));
    callOff = clock.after(BEAT_MS, beat);
  }
  let callOff: () => void = () => undefined;
  signal.addEventListener('abort', () => callOff(), { once: true });

  return {
    async claim() {
      for (const shard of ids) await claimOne(shard);
      beat();
    },
    written: () => writing.onIdle(),
    sharding: {
      ids: [...ids],
      count,
      buildStrategy: (connecting) => (manager) => {
        manager.on(WebSocketShardEvents.Dispatch, ({ data, shardId }) => {
          // Told by the event below.
          if (data.t === Event.Resumed) return;
          const isCommand = data.t === Event.InteractionCreate;
          if (isCommand && writing.size >= MOST_WAITING) return;
          // People wait for these, and no other event depends on them.
          enqueue(() => relay(shardId, data), isCommand ? 1 : 0);
        });
        manager.on(WebSocketShardEvents.Closed, ({ shardId }) => {
          enqueue(() => write(shardId, { dispatch: null, isUp: false }));
        });
        manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => {
          enqueue(() => write(shardId, { dispatch: null, isUp: true }));
        });
        return connecting(manager);
      },
      buildIdentifyThrottler: (manager) => ({
        async waitForIdentify(shardId, identifying) {
          const { session_start_limit } = await manager.fetchGatewayInformation();
          const waitMs = await tables.identifyTurn(shardId % session_start_limit.max_concurrency);
          if (waitMs > 0) await clock.sleep(waitMs, identifying);
        },
      }),
    },
  };
}
