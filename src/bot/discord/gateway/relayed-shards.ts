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
import type { GatewayReader } from '../../../shared/storage/gateway-reader.ts';
import type { GuildState } from './guild-state.ts';
import type { BuildStrategy, Sharding } from './sharding.ts';

/** How long a change that nobody was notified of stays unseen at most, in milliseconds. */
const LOOK_MS = 2_000;
/** A connection that closed for a reason nobody told: discord.js shows the shard as reconnecting. */
const CLOSED_ABNORMALLY = 1006;

export interface RelayedShardsParts {
  reader: GatewayReader;
  count: number;
  clock: Clock;
  log: Log;
  /** Ends everything. */
  signal: AbortSignal;
}

export interface RelayedShards {
  sharding: Sharding;
  /** Reads what a shard has that is new. */
  look: (shard: number) => void;
}

/**
 * Gateway connections that processes of the same bot hold: the client gets their events from the database, as if it had
 * the connections. What it has missed for longer than events are kept is made up by telling it every server again.
 */
export function relayShards({ reader, count, clock, log, signal }: RelayedShardsParts): RelayedShards {
  const ids = Array.from({ length: count }, (_, shard) => shard);
  const reading = new PQueue({ concurrency: 1 });
  /** Shards that wait to be read: once is enough. */
  const waiting = new Set<number>();
  let relay: Relay | null = null;

  function look(shard: number): void {
    if (relay === null || waiting.has(shard)) return;
    waiting.add(shard);
    void reading.add(async () => {
      waiting.delete(shard);
      try {
        await relay?.read(shard);
      } catch (error) {
        log.warn({ err: error, shard }, "a shard's events could not be read");
      }
    });
  }

  async function lookAtAll(): Promise<void> {
    for (let looks = 1; !signal.aborted && relay !== null; looks += 1) {
      for (const shard of ids) look(shard);
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
      const missing = ids.filter((shard) => relay?.knows(shard) === false);
      if (looks === 1 && missing.length > 0) {
        log.warn({ shards: missing }, 'waiting for shards that no process has connected yet');
      }
    }
  }

  function strategyOf(manager: Manager): IShardingStrategy {
    const own = new Relay(manager, reader, count);
    return {
      spawn: () => undefined,
      async connect() {
        await reader.listen();
        relay = own;
        void lookAtAll();
      },
      destroy() {
        if (relay === own) relay = null;
      },
      fetchStatus: () =>
        // The library's type comes from a copy of its own.
        new Collection(ids.map((shard) => [shard, own.statusOf(shard)])) as unknown as Awaited<
          ReturnType<IShardingStrategy['fetchStatus']>
        >,
      send: () => Promise.reject(new Error('The process that holds a shard sends to it, not the one that leads.')),
    };
  }

  return { look, sharding: { ids, count, buildStrategy: () => strategyOf } };
}

type Manager = Parameters<BuildStrategy>[0];
type Ready = Omit<GatewayReadyDispatchData, 'guilds'>;

/** A shard as far as a client knows it. */
interface Known {
  /** The number of the last event that the client has. */
  position: number;
  /** Whether the client takes its connection for standing. */
  isUp: boolean;
}

/** Tells one client what the shards receive, and remembers how far it has been told. */
class Relay {
  readonly #client: Manager;
  readonly #reader: GatewayReader;
  readonly #count: number;
  readonly #known = new Map<number, Known>();

  constructor(client: Manager, reader: GatewayReader, count: number) {
    this.#client = client;
    this.#reader = reader;
    this.#count = count;
  }

  /** Tells the client what a shard has that is new. */
  async read(shard: number): Promise<void> {
    const known = this.#known.get(shard);
    const found = await this.#reader.since(shard, known?.position ?? 0);
    if (!found?.state.ready) return;
    const { state, events } = found;
    const isWhole = known !== undefined && (events[0]?.position ?? state.position + 1) === known.position + 1;
    if (!isWhole) {
      // The servers may be told newer than this position: the events after it lead to the same.
      this.#known.set(shard, { position: state.position, isUp: true });
      return this.#tellAll(shard, state.ready as Ready);
    }
    let hasBegun = false;
    for (const { position, dispatch } of events) {
      // First, so that no command is answered twice, whatever comes of it.
      known.position = position;
      if (dispatch === null) continue;
      this.#tell(shard, dispatch as GatewayDispatchPayload);
      hasBegun ||= (dispatch as GatewayDispatchPayload).t === Event.Ready;
    }
    if (hasBegun) known.isUp = true;
    // A client is ready once each shard has been told of, whether or not its connection stands.
    if (state.isUp === known.isUp || this.#known.size < this.#count) return;
    known.isUp = state.isUp;
    if (state.isUp) this.#client.emit(WebSocketShardEvents.Resumed, { shardId: shard });
    else this.#client.emit(WebSocketShardEvents.Closed, { code: CLOSED_ABNORMALLY, shardId: shard });
  }

  knows(shard: number): boolean {
    return this.#known.has(shard);
  }

  statusOf(shard: number): WebSocketShardStatus {
    return this.#known.get(shard)?.isUp === true ? WebSocketShardStatus.Ready : WebSocketShardStatus.Connecting;
  }

  /** Tells the client of a shard as of one whose session begins. */
  async #tellAll(shard: number, ready: Ready): Promise<void> {
    const guilds: GuildState[] = [];
    for await (const guild of this.#reader.guilds(shard)) guilds.push(guild as GuildState);
    const listed = guilds.map(({ id }) => ({ id, unavailable: true }));
    this.#tell(shard, { op: GatewayOpcodes.Dispatch, s: 0, t: Event.Ready, d: { ...ready, guilds: listed } });
    for (const guild of guilds) {
      if (guild.unavailable === true) continue;
      this.#tell(shard, { op: GatewayOpcodes.Dispatch, s: 0, t: Event.GuildCreate, d: guild } as never);
    }
  }

  #tell(shardId: number, data: GatewayDispatchPayload): void {
    if (data.t === Event.Ready) this.#client.emit(WebSocketShardEvents.Ready, { data: data.d, shardId });
    this.#client.emit(WebSocketShardEvents.Dispatch, { data, shardId });
  }
}
