import type { Query } from './postgres-session.ts';

/** The gateway's tables as their statements see them. */
export interface GatewaySchema {
  /** Letters, digits and underscores. */
  schema: string;
  /** How many shards there are in all processes together. */
  count: number;
  query: Query;
  /** Runs statements now, and at the beginning of each later connection. */
  prepare: (sql: string) => Promise<void>;
}

/** The arguments of the advisory lock of a shard. */
export function lockOf({ schema }: GatewaySchema, shard: number): string {
  return `hashtext('${schema}'), ${shard}`;
}

/** An SQL condition: the process that holds the shard of `row` has a connection. */
export function isHeld({ schema }: GatewaySchema): string {
  return `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = hashtext('${schema}')::oid AND objid = row.shard::oid)`;
}

/** The value of a column that holds JSON as text; null where it is empty. */
export function parsedJson(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : null;
}
