import { StateInUseError } from '../errors.ts';
import { type GatewaySchema, isHeld, lockOf, parsedJson } from './gateway-schema.ts';

/** A process that neither lets go of its shards nor writes for this long loses them, by the database's clock. */
const SILENCE_MS = 15_000;
/** How long an event can be read, by the database's clock: milliseconds. Discord waits 3 s for an answer to one. */
const KEPT_MS = 60_000;
/** Pause between two sessions that begin under the same rate limit key: Discord's 5 seconds, and some for the network. */
const IDENTIFY_MS = 5_500;
/** A turn that is further away than this comes from a clock that was set back since. */
const LONGEST_TURN_MS = 600_000;

/** One gateway event, as the process that received it writes it down. All of it is JSON, as Discord sent it. */
export interface GatewayEvent {
  /** The event for the process that leads; null where it has no use for it. */
  dispatch: unknown;
  /** The event's server as it is after the event; `data` is null where the bot is no longer in it. */
  guild?: { id: string; data: unknown } | undefined;
  /** The session's first event; it begins a session. Without its servers. */
  ready?: unknown;
  isUp?: boolean;
}

/** Writes what the shards receive that this process holds. */
export interface GatewayWriter {
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
  /** Reads a server as it was last written; null where it is in none of the shards. */
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
}

export function createGatewayWriter(gateway: GatewaySchema, holder: string): GatewayWriter {
  const { schema, query } = gateway;
  return {
    claim: (shard) => claim(gateway, holder, shard),

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
      if (rows.length === 0) throw new StateInUseError(`Another Dealbell has taken over shard ${shard}.`);
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
      return row ? parsedJson(row['data']) : null;
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
  };
}

async function claim(gateway: GatewaySchema, holder: string, shard: number): Promise<number | null> {
  const { schema, count, query, prepare } = gateway;
  // In one statement: where the network falls apart after it, the database still ends the connection.
  const lockSql = `SELECT set_config('idle_session_timeout', '${SILENCE_MS}', false),
    pg_try_advisory_lock(${lockOf(gateway, shard)}) AS is_held`;
  const [lock] = await query(lockSql);
  if (lock?.['is_held'] !== true) return null;
  // A lock goes with its connection: each later one takes it again.
  await prepare(lockSql);
  const others = await query(
    `SELECT count FROM ${schema}.shards AS row WHERE count <> $1 AND holder <> $2 AND ${isHeld(gateway)} LIMIT 1`,
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
         ON CONFLICT (shard) DO UPDATE SET holder = excluded.holder, is_up = false RETURNING position`,
    [shard, count, holder],
  );
  return Number(row?.['position']);
}

function asText(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
