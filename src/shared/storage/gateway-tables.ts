import { type Clock, systemClock } from '../clock.ts';
import { StoreError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type ChangeFeed, changeTablesOf, createChangeFeed, STATE_CHANGED } from './change-feed.ts';
import { createGatewayReader, type GatewayReader } from './gateway-reader.ts';
import { createGatewayWriter, type GatewayWriter } from './gateway-writer.ts';
import { PostgresSession } from './postgres-session.ts';
import { postgresPlace } from './state-place.ts';
import { orStoreError } from './store-errors.ts';

/** PostgreSQL cuts a longer name off without a word. */
const LONGEST_NAME = 63;

/**
 * Gateway events on their way from the processes that hold the shards to the one that leads, what the events say of each
 * server, and which rows of the state have changed. In a schema of its own beside the state's, because none of it belongs
 * to the state. Every failure rejects with a StoreError.
 */
export interface GatewayTables {
  writer: GatewayWriter;
  reader: GatewayReader;
  changes: ChangeFeed;
  close(): Promise<void>;
}

export interface GatewayTablesParts {
  /** How many shards there are in all processes together. */
  count: number;
  /** This process, among all that hold shards: letters, digits and hyphens. */
  holder: string;
  log: Log;
  /** The clock of waits for the database: see `BackendParts`. */
  networkClock?: Clock;
  /** Called with each shard of which there is something new. */
  onChange?: (shard: number) => void;
  /** Called when rows of the state have changed. */
  onStateChange?: () => void;
}

/** @param stateUrl address of a state on PostgreSQL */
export async function openGatewayTables(
  stateUrl: string,
  { count, holder, log, networkClock: clock = systemClock, onChange, onStateChange }: GatewayTablesParts,
): Promise<GatewayTables> {
  const { url, schema: stateSchema, label } = postgresPlace(stateUrl);
  const schema = `${stateSchema}_gateway`;
  if (schema.length > LONGEST_NAME) {
    throw new StoreError(`The name of the schema ${stateSchema} is too long for SHARDS.`);
  }
  const session = new PostgresSession({
    url,
    clock,
    log,
    onAway: () => undefined,
    onNotification: (payload) => (payload === STATE_CHANGED ? onStateChange?.() : onChange?.(Number(payload))),
  });
  const place = `the gateway's tables of ${label}`;
  const parts = {
    schema,
    count,
    query: (sql: string, values?: readonly unknown[]) => orStoreError('use', place, () => session.query(sql, values)),
    prepare: (sql: string) => orStoreError('use', place, () => session.prepare(sql)),
  };
  try {
    await parts.query(tablesOf(schema));
  } catch (error) {
    await session.close();
    throw error;
  }
  return {
    writer: createGatewayWriter(parts, holder),
    reader: createGatewayReader(parts),
    changes: createChangeFeed({ ...parts, stateSchema }),
    close: () => session.close(),
  };
}

/** Creates what is missing, in one transaction. */
function tablesOf(schema: string): string {
  return `
    SELECT pg_advisory_xact_lock(hashtextextended('dealbell tables', 0));
    DO $$ BEGIN IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF; END $$;
    CREATE TABLE IF NOT EXISTS ${schema}.shards (
      shard int PRIMARY KEY, count int NOT NULL, holder text NOT NULL, position bigint NOT NULL DEFAULT 0, ready text,
      is_up boolean NOT NULL DEFAULT false
    );
    CREATE TABLE IF NOT EXISTS ${schema}.guilds (
      guild text COLLATE "C" PRIMARY KEY, data text NOT NULL,
      shard int NOT NULL REFERENCES ${schema}.shards ON DELETE CASCADE
    );
    CREATE INDEX IF NOT EXISTS guilds_of_shard ON ${schema}.guilds (shard, guild);
    CREATE UNLOGGED TABLE IF NOT EXISTS ${schema}.events (
      shard int, position bigint, dispatch text, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (shard, position)
    );
    CREATE TABLE IF NOT EXISTS ${schema}.turns (key int PRIMARY KEY, at timestamptz NOT NULL);
    ${changeTablesOf(schema)}`;
}
