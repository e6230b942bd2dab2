import { type IShardingStrategy, WebSocketShardEvents, WebSocketShardStatus } from '@discordjs/ws';
import { Collection } from 'discord.js';
import {
  GatewayDispatchEvents as Event,
  type GatewayDispatchPayload,
  GatewayOpcodes,
  type GatewayReadyDispatchData,
} from 'discord-api-types/v10';
import PQueue from 'p-queue';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { GatewayTables } from '../../../shared/storage/gateway-tables.ts';
import type { GuildState } from './guild-state.ts';
import type { Sharding } from './sharding.ts';

/** How long a change that nobody was notified of stays unseen at most, in milliseconds. */
const LOOK_MS = 2_000;
/** A connection that closed for a reason nobody told: discord.js shows the shard as reconnecting. */
const CLOSED_ABNORMALLY = 1006;

export interface RelayedShardsParts {
  tables: Pick<GatewayTables, 'listen' | 'since' | 'guilds'>;
  count: number;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

export interface RelayedShards {
  sharding: Sharding;
  /** Reads what a shard has that is new. */
  look(shard: number): void;
}

type Manager = Parameters<Sharding['buildStrategy']>[0] extends (manager: infer M) => unknown ? M : never;

/** A shard as far as the client knows it. */
interface Seen {
  /** The number of the last event that the client has. */
  position: number;
  /** Whether the client takes its connection for standing. */
  isUp: boolean;
}

/**
 * Gateway connections that processes of the same bot hold: the client gets their events from the database, as if it had
 * the connections. What it has missed for longer than events are kept is made up by telling it every server again.
 */
export function relayShards({ tables, count, clock, log, signal }: RelayedShardsParts): RelayedShards {
  const ids = Array.from({ length: count }, (_, shard) => shard);
  const seen = new Map<number, Seen>();
  const reading = new PQueue({ concurrency: 1 });
  /** Shards that wait to be read: once is enough. */
  const waiting = new Set<number>();
  let client: Manager | null = null;

  function tell(shardId: number, data: GatewayDispatchPayload): void {
    if (data.t === Event.Ready) client?.emit(WebSocketShardEvents.Ready, { data: data.d, shardId });
    client?.emit(WebSocketShardEvents.Dispatch, { data, shardId });
  }

  async function read(shard: number): Promise<void> {
    waiting.delete(shard);
    const known = seen.get(shard);
    const found = await tables.since(shard, known?.position ?? 0);
    if (!found?.state.ready || client === null) return;
    const { state, events } = found;
    const isWhole = known !== undefined && (events[0]?.position ?? state.position + 1) === known.position + 1;
    if (!isWhole) {
      // The servers may be told newer than this position: the events after it lead to the same.
      seen.set(shard, { position: state.position, isUp: true });
      return tellAll(shard, state.ready as Omit<GatewayReadyDispatchData, 'guilds'>);
    }
    let hasBegun = false;
    for (const { position, dispatch } of events) {
      // First, so that no command is answered twice, whatever comes of it.
      known.position = position;
      if (dispatch === null) continue;
      tell(shard, dispatch as GatewayDispatchPayload);
      hasBegun ||= (dispatch as GatewayDispatchPayload).t === Event.Ready;
    }
    if (hasBegun) known.isUp = true;
    // A client is ready once each shard has been told of, whether or not its connection stands.
    if (state.isUp === known.isUp || seen.size < count) return;
    known.isUp = state.isUp;
    turn(shard, state.isUp);
  }

  /** Tells the client of a shard as of one whose session begins. */
  async function tellAll(shard: number, ready: Omit<GatewayReadyDispatchData, 'guilds'>): Promise<void> {
    const guilds: GuildState[] = [];
    for await (const guild of tables.guilds(shard)) guilds.push(guild as GuildState);
    const listed = guilds.map(({ id }) => ({ id, unavailable: true }));
    tell(shard, { op: GatewayOpcodes.Dispatch, s: 0, t: Event.Ready, d: { ...ready, guilds: listed } });
    for (const guild of guilds) {
      if (guild.unavailable === true) continue;
      tell(shard, { op: GatewayOpcodes.Dispatch, s: 0, t: Event.GuildCreate, d: guild } as never);
    }
  }

  function turn(shardId: number, isUp: boolean): void {
    if (isUp) client?.emit(WebSocketShardEvents.Resumed, { shardId });
    else client?.emit(WebSocketShardEvents.Closed, { code: CLOSED_ABNORMALLY, shardId });
  }

  function look(shard: number): void {
    if (client === null || waiting.has(shard)) return;
    waiting.add(shard);
    void reading.add(() =>
      read(shard).catch((error: unknown) => log.warn({ err: error, shard }, "a shard's events could not be read")),
    );
  }

  async function lookAtAll(): Promise<void> {
    while (!signal.aborted && client !== null) {
      for (const shard of ids) look(shard);
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    }
  }

  function strategyOf(manager: Manager): IShardingStrategy {
    return {
      spawn: () => undefined,
      async connect() {
        seen.clear();
        await tables.listen();
        client = manager;
        void lookAtAll();
      },
      destroy() {
        if (client === manager) client = null;
      },
      fetchStatus: () =>
        // The library's type comes from a copy of its own.
        new Collection(ids.map((shard) => [shard, statusOf(seen.get(shard))])) as unknown as Awaited<
          ReturnType<IShardingStrategy['fetchStatus']>
        >,
      send: () => Promise.reject(new Error('The process that holds a shard sends to it, not the one that leads.')),
    };
  }

  return { look, sharding: { ids, count, buildStrategy: () => strategyOf } };
}

function statusOf(shard: Seen | undefined): WebSocketShardStatus {
  return shard?.isUp === true ? WebSocketShardStatus.Ready : WebSocketShardStatus.Connecting;
}
