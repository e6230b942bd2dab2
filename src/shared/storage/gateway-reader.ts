import { type GatewaySchema, isHeld, parsedJson } from './gateway-schema.ts';

/** Servers that are read at a time. */
const PAGE_ROWS = 200;

/** One shard as it stands in the database. */
export interface ShardState {
  /** The number of its last event; each is one more than the former. */
  position: number;
  /** The first event of its session; null before the first session. */
  ready: unknown;
  /** Whether its connection stands, and the process that holds it lives. */
  isUp: boolean;
}

/** Reads what the shards of all processes receive. */
export interface GatewayReader {
  /** Begins to listen; `onChange` is then called with each shard that has an event, though now and then one is missed. */
  listen(): Promise<void>;
  /** A shard's state and the events after a position that are still there, in order; null where nobody has held it. */
  since(
    shard: number,
    position: number,
  ): Promise<{ state: ShardState; events: { position: number; dispatch: unknown }[] } | null>;
  /** The servers of a shard. What is written meanwhile may or may not be included. */
  guilds(shard: number): AsyncIterable<unknown>;
}

export function createGatewayReader(gateway: GatewaySchema): GatewayReader {
  const { schema, count, query, prepare } = gateway;
  let isListening = false;
  return {
    async listen() {
      // Each later connection listens by itself.
      if (isListening) return;
      isListening = true;
      await prepare(`LISTEN "${schema}"`);
    },

    async since(shard, position) {
      const rows = await query(
        `SELECT row.position, row.ready, row.is_up AND ${isHeld(gateway)} AS is_up, event.position AS event_position,
           event.dispatch
         FROM ${schema}.shards AS row
         LEFT JOIN ${schema}.events AS event ON event.shard = row.shard AND event.position > $2
         WHERE row.shard = $1 AND row.count = $3 ORDER BY event.position`,
        [shard, position, count],
      );
      const [first] = rows;
      if (!first) return null;
      const state = {
        position: Number(first['position']),
        ready: parsedJson(first['ready']),
        isUp: first['is_up'] === true,
      };
      const events = rows.flatMap((row) =>
        row['event_position'] === null
          ? []
          : [{ position: Number(row['event_position']), dispatch: parsedJson(row['dispatch']) }],
      );
      return { state, events };
    },

    async *guilds(shard) {
      let after = '';
      for (;;) {
        const rows = await query(
          `SELECT guild, data FROM ${schema}.guilds WHERE shard = $1 AND guild > $2 ORDER BY guild LIMIT ${PAGE_ROWS}`,
          [shard, after],
        );
        for (const { data } of rows) yield parsedJson(data);
        const last = rows.at(-1);
        if (!last) return;
        after = String(last['guild']);
      }
    },
  };
}
