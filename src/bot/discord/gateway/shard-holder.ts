import { WebSocketShardEvents } from '@discordjs/ws';
import {
  GatewayDispatchEvents as Event,
  type GatewayInteractionCreateDispatch,
  type GatewayReadyDispatch,
} from 'discord-api-types/v10';
import { StoreError } from '../../../shared/errors.ts';
import type { GatewayWriter } from '../../../shared/storage/gateway-writer.ts';
import { EventWriter, type EventWriterParts } from './event-writer.ts';
import type { Sharding } from './sharding.ts';

/** Pause between two looks at a shard that another process holds, in milliseconds. */
const CLAIM_MS = 1_000;
/** Pause between two signs of life, in milliseconds: a third of what the database allows. */
const BEAT_MS = 5_000;

/** Answers commands in this process. */
export interface CommandTaker {
  /** A session begins. */
  begin(ready: GatewayReadyDispatch): void;
  /**
   * Whether it takes the command.
   * @param relay called once where only the process that leads can answer it after all
   */
  take(dispatch: GatewayInteractionCreateDispatch, relay: () => void): boolean;
}

export interface ShardHolderParts extends EventWriterParts {
  commands: CommandTaker;
  writer: GatewayWriter;
  ids: readonly number[];
  count: number;
}

/** The shards that this process holds for the one that leads. */
export interface ShardHolder {
  /**
   * Resolves when this process is the holder of all its shards, however long another one keeps them.
   * @throws StateInUseError where another process counts a different number of shards
   */
  claim(): Promise<void>;
  /** Makes a client write its events down. */
  sharding: Sharding;
  /** Resolves when all events so far are written. */
  written(): Promise<void>;
}

export function createShardHolder({ ids, count, ...parts }: ShardHolderParts): ShardHolder {
  const { writer, commands, clock, signal } = parts;
  const events = new EventWriter(parts);
  let callOff: () => void = () => undefined;
  signal.addEventListener('abort', () => callOff(), { once: true });

  function beat(): void {
    events.beat(ids);
    callOff = clock.after(BEAT_MS, beat);
  }

  return {
    async claim() {
      for (const shard of ids) events.continueAfter(shard, await claimed(shard, parts));
      beat();
    },
    written: () => events.written(),
    sharding: {
      ids: [...ids],
      count,
      buildStrategy: (connecting) => (manager) => {
        manager.on(WebSocketShardEvents.Dispatch, ({ data, shardId }) => {
          if (data.t === Event.Resumed) return;
          if (data.t === Event.Ready) commands.begin(data);
          const relay = () => events.receive(shardId, data);
          if (data.t === Event.InteractionCreate && commands.take(data, relay)) return;
          relay();
        });
        manager.on(WebSocketShardEvents.Closed, ({ shardId }) => events.turn(shardId, false));
        manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => events.turn(shardId, true));
        return connecting(manager);
      },
      buildIdentifyThrottler: (manager) => ({
        async waitForIdentify(shardId, identifying) {
          const { session_start_limit } = await manager.fetchGatewayInformation();
          const waitMs = await writer.identifyTurn(shardId % session_start_limit.max_concurrency);
          if (waitMs > 0) await clock.sleep(waitMs, identifying);
        },
      }),
    },
  };
}

/** Resolves with the number of the shard's last event when this process holds it. */
async function claimed(
  shard: number,
  { writer, clock, log, signal }: Pick<ShardHolderParts, 'writer' | 'clock' | 'log' | 'signal'>,
): Promise<number> {
  for (let isFirst = true; ; isFirst = false) {
    const position = await writer.claim(shard).catch((error: unknown) => {
      // A database that is away comes back.
      if (!(error instanceof StoreError)) throw error;
      log.warn({ err: error, shard }, 'the shard could not be claimed');
      return null;
    });
    if (position !== null) return position;
    if (isFirst) log.info({ shard }, 'another process holds the shard: waiting for it');
    await clock.sleep(CLAIM_MS, signal);
  }
}
