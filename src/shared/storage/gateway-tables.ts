import { type Clock, systemClock } from '../clock.ts';
import { StateInUseError, StoreError } from '../errors.ts';
import type { Log } from '../log.ts';
import { PostgresSession } from './postgres-session.ts';
import { postgresPlace } from './state-place.ts';
import { orStoreError } from './store-errors.ts';

/** A process that neither lets go of its shards nor writes for this long loses them, by the database's clock. */
const SILENCE_MS = 15_000;
/** How long an event can be read, by the database's clock: milliseconds. Discord waits 3 s for an answer to one. */
const KEPT_MS = 60_000;
/** Pause between two sessions that begin under the same rate limit key: Discord's 5 seconds, and some for the network. */
const IDENTIFY_MS = 5_500;
/** A turn that is further away than this comes from a clock that was set back since. */
const LONGEST_TURN_MS = 600_000;
/** PostgreSQL cuts a longer name off without a word. */
const LONGEST_NAME = 63;
/** Servers that are read at a time. */
const PAGE_ROWS = 200;

/** What a process writes of one gateway event. All of it is JSON, as Discord sent it. */
export interface GatewayEvent {
  /** The event for the process that leads; null where it has no use for it. */
  dispatch: unknown;
  /** What is known of one server from now on; `data` is null where the bot is no longer in it. */
  guild?: { id: string; data: unknown } | undefined;
  /** The session's first event; it begins a session. Without its servers. */
  ready?: unknown;
  isUp?: boolean;
}

/** One shard as it stands in the database. */
export interface ShardState {
  /** The number of its last event; each is one more than the former. */
  position: number;
  /** The first event of its session; null before the first session. */
  ready: unknown;
  /** Whether its connection stands, and the process that holds it lives. */
  isUp: boolean;
}

/**
 * Gateway events on their way from the processes that hold the shards to the one that leads, and what the events say of
 * each server. In a schema of its own beside the state's, because none of it belongs to the state. Every failure rejects
 * with a StoreError.
 */
export interface GatewayTables {
  /**
   * Makes this process the holder of a shard. Resolves with the number of the shard's last event; null where another
   * process that lives holds it.
   * @throws StateInUseError where another process counts a different number of shards
   */
  claim(shard: number): Promise<number | null>;
  /**
   * Writes an event of a shard that this process holds, in one statement that can be run twice without harm.
   * @throws StateInUseError where another process has taken the shard over
   */
  write(shard: number, position: number, event: GatewayEvent): Promise<void>;
  /** Keeps only those servers of a shard, and adds those of them that are missing, as unavailable. */
  keepGuilds(shard: number, guildIds: readonly string[]): Promise<void>;
  /** What is known of a server; null where it is in none of the shards. */
  guild(guildId: string): Promise<unknown>;
  /** Shows that this process lives, and deletes events that are over a minute old. */
  beat(shards: readonly number[]): Promise<void>;
  /**
   * Takes the next turn to begin a session.
   * @param key the rate limit key: shards with different ones begin side by side
   * @returns the milliseconds until the turn
   * @see https://discord.com/developers/docs/events/gateway#sharding-max-concurrency
   */
  identifyTurn(key: number): Promise<number>;

  /** Begins to listen; `onChange` is then called with each shard that has an event, though now and then one is missed. */
  listen(): Promise<void>;
  /** A shard's state and the events after a position that are still there, in order; null where nobody has held it. */
  since(
    shard: number,
    position: number,
  ): Promise<{ state: ShardState; events: { position: number; dispatch: unknown }[] } | null>;
  /** The servers of a shard. What is written meanwhile may or may not be included. */
  guilds(shard: number): AsyncIterable<unknown>;
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
}

/** @param stateUrl address of a state on PostgreSQL */
export async function openGatewayTables(
  stateUrl: string,
  { count, holder, log, networkClock: clock = systemClock, onChange }: GatewayTablesParts,
): Promise<GatewayTables> {
  const { url, schema: stateSchema, label } = postgresPlace(stateUrl);
  const schema = `${stateSchema}_gateway`;
  if (schema.length > LONGEST_NAME)
    throw new StoreError(`The name of the schema ${stateSchema} is too long for SHARDS.`);
  const session = new PostgresSession({
    url,
    clock,
    log,
    onAway: () => undefined,
    onNotification: (payload) => onChange?.(Number(payload)),
  });
  const query: typeof session.query = (sql, values) =>
    orStoreError('use', `the gateway's tables of ${label}`, () => session.query(sql, values));
  const lockOf = (shard: number | string) => `hashtext('${schema}'), ${shard}`;
  const isHeld = `EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = hashtext('${schema}')::oid AND objid = row.shard::oid)`;
  await query(tablesOf(schema));

  function requireOwn(rows: readonly unknown[], shard: number): void {
    if (rows.length === 0) throw new StateInUseError(`Another Dealbell has taken over shard ${shard}.`);
  }

  return {
    async claim(shard) {
      const [lock] = await query(`SELECT pg_try_advisory_lock(${lockOf(shard)}) AS is_held`);
      if (lock?.['is_held'] !== true) return null;
      // A lock goes with its connection: each later one takes it again.
      await session.prepare(`SET idle_session_timeout = ${SILENCE_MS}; SELECT pg_try_advisory_lock(${lockOf(shard)})`);
      const others = await query(
        `SELECT count FROM ${schema}.shards AS row WHERE count <> $1 AND holder <> $2 AND ${isHeld} LIMIT 1`,
        [count, holder],
      );
      if (others[0]) {
        throw new StateInUseError(
          `Another Dealbell counts ${String(others[0]['count'])} shards where SHARDS says ${count}. All processes must say the same number: stop the others first.`,
        );
      }
      await query(`DELETE FROM ${schema}.shards WHERE count <> $1`, [count]);
      const [row] = await query(
        `INSERT INTO ${schema}.shards AS row (shard, count, holder) VALUES ($1, $2, $3)
         ON CONFLICT (shard) DO UPDATE SET holder = excluded.holder, is_up = false RETURNING position::int`,
        [shard, count, holder],
      );
      return Number(row?.['position']);
    },

    async write(shard, position, { dispatch, guild, ready, isUp }) {
      const rows = await query(
        `WITH own AS (
           UPDATE ${schema}.shards
           SET position = greatest(position, $3), ready = coalesce($4, ready), is_up = coalesce($5, is_up)
           WHERE shard = $1 AND holder = $2 RETURNING shard
         ), kept AS (
           INSERT INTO ${schema}.guilds (guild, shard, data) SELECT $6::text, shard, $7 FROM own WHERE $7::text IS NOT NULL
           ON CONFLICT (guild) DO UPDATE SET shard = excluded.shard, data = excluded.data
         ), gone AS (
           DELETE FROM ${schema}.guilds USING own WHERE guild = $6 AND $7 IS NULL
         ), sent AS (
           INSERT INTO ${schema}.events (shard, position, dispatch) SELECT shard, $3, $8 FROM own
           ON CONFLICT DO NOTHING
         )
         SELECT pg_notify('${schema}', shard::text) FROM own`,
        [shard, holder, position, asText(ready), isUp, guild?.id, asText(guild?.data), asText(dispatch)],
      );
      requireOwn(rows, shard);
    },

    async keepGuilds(shard, guildIds) {
      await query(
        `WITH gone AS (DELETE FROM ${schema}.guilds WHERE shard = $1 AND NOT guild = ANY($2::text[]))
         INSERT INTO ${schema}.guilds (guild, shard, data)
         SELECT id, $1, json_build_object('id', id, 'unavailable', true)::text FROM unnest($2::text[]) AS id
         ON CONFLICT (guild) DO UPDATE SET shard = excluded.shard`,
        [shard, guildIds],
      );
    },

    async guild(guildId) {
      const [row] = await query(`SELECT data FROM ${schema}.guilds WHERE guild = $1`, [guildId]);
      return row ? parsed(row['data']) : null;
    },

    async beat(shards) {
      await query(
        `DELETE FROM ${schema}.events WHERE shard = ANY($1::int[])
         AND abs(extract(epoch FROM now() - at)) > ${KEPT_MS / 1000}`,
        [shards],
      );
    },

    async identifyTurn(key) {
      const [row] = await query(
        `INSERT INTO ${schema}.turns AS row (key, at) VALUES ($1, clock_timestamp())
         ON CONFLICT (key) DO UPDATE SET at = CASE
           WHEN row.at > clock_timestamp() + interval '${LONGEST_TURN_MS} milliseconds' THEN clock_timestamp()
           ELSE greatest(row.at + interval '${IDENTIFY_MS} milliseconds', clock_timestamp()) END
         RETURNING extract(epoch FROM at - clock_timestamp()) * 1000 AS wait_ms`,
        [key],
      );
      return Math.max(0, Math.ceil(Number(row?.['wait_ms'])));
    },

    listen: () => session.prepare(`LISTEN "${schema}"`),

    async since(shard, position) {
      const rows = await query(
        `SELECT row.position::int, row.ready, row.is_up AND ${isHeld} AS is_up, event.position::int AS event_position,
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
        ready: parsed(first['ready']),
        isUp: first['is_up'] === true,
      };
      const events = rows.flatMap((row) =>
        row['event_position'] === null
          ? []
          : [{ position: Number(row['event_position']), dispatch: parsed(row['dispatch']) }],
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
        for (const { data } of rows) yield parsed(data);
        const last = rows.at(-1);
        if (!last) return;
        after = String(last['guild']);
      }
    },

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
    CREATE TABLE IF NOT EXISTS ${schema}.turns (key int PRIMARY KEY, at timestamptz NOT NULL);`;
}

function asText(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

function parsed(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : null;
}
