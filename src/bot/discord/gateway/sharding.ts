import type { WebSocketOptions } from 'discord.js';

export type BuildStrategy = NonNullable<WebSocketOptions['buildStrategy']>;

/** The gateway connections (shards) of a client, where they are not all that Discord asks for, made by itself. */
export interface Sharding {
  /** The numbers of its shards. */
  ids: number[];
  /** How many there are in all processes together. */
  count: number;
  /** @param connecting connects to Discord; absent from what comes of it where other processes connect */
  buildStrategy: (connecting: BuildStrategy) => BuildStrategy;
  buildIdentifyThrottler?: WebSocketOptions['buildIdentifyThrottler'];
}
