import { WebSocketShardEvents, WebSocketShardStatus } from '@discordjs/ws';
import { Collection, Events, type Interaction } from 'discord.js';
import {
  GatewayDispatchEvents as Event,
  type GatewayInteractionCreateDispatch,
  GatewayOpcodes,
  type GatewayReadyDispatch,
} from 'discord-api-types/v10';
import { type BotClient, type Connection, connect } from '../client.ts';
import type { BuildStrategy, Sharding } from './sharding.ts';

/** The only shard that the client takes itself to have. */
const SHARD = 0;

/** A client without a gateway connection. It knows no server, and is told of single commands. */
export interface CommandClient {
  client: BotClient;
  /** Makes an interaction of a command; null where discord.js knows none of its type. */
  interactionOf(dispatch: GatewayInteractionCreateDispatch): Interaction | null;
}

/**
 * @param ready the first event of a session that this process holds
 * @throws as `connect` does
 */
export async function createCommandClient(
  connection: Omit<Connection, 'sharding'>,
  ready: GatewayReadyDispatch,
): Promise<CommandClient> {
  let manager: Manager | null = null;
  const sharding: Sharding = {
    ids: [SHARD],
    count: 1,
    buildStrategy: () => (created) => {
      manager = created;
      return strategyOf(created, ready);
    },
  };
  const client = await connect({ ...connection, sharding });
  return {
    client,
    interactionOf(dispatch) {
      let made: Interaction | null = null;
      const take = (interaction: Interaction): void => {
        made = interaction;
      };
      client.once(Events.InteractionCreate, take);
      // discord.js makes and passes on the interaction before this returns.
      manager?.emit(WebSocketShardEvents.Dispatch, { data: dispatch, shardId: SHARD });
      client.off(Events.InteractionCreate, take);
      return made;
    },
  };
}

type Manager = Parameters<BuildStrategy>[0];

function strategyOf(manager: Manager, ready: GatewayReadyDispatch): ReturnType<BuildStrategy> {
  return {
    spawn: () => undefined,
    connect() {
      const data = { ...ready.d, guilds: [], shard: [SHARD, 1] as [number, number] };
      manager.emit(WebSocketShardEvents.Ready, { data, shardId: SHARD });
      manager.emit(WebSocketShardEvents.Dispatch, {
        data: { op: GatewayOpcodes.Dispatch, s: 0, t: Event.Ready, d: data },
        shardId: SHARD,
      });
    },
    destroy: () => undefined,
    // The library's type comes from a copy of its own.
    fetchStatus: () =>
      new Collection([[SHARD, WebSocketShardStatus.Ready]]) as unknown as ReturnType<
        ReturnType<BuildStrategy>['fetchStatus']
      >,
    send: () => Promise.reject(new Error('This client has no connection to send over.')),
  };
}
