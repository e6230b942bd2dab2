import { KeyvPostgres } from '@keyv/postgres';
import { LAST, LEASE_KEY, type OpenDatabase, type Query, TABLE } from './database.ts';
import { notHeld } from './failures.ts';
import { PostgresSession } from './postgres-session.ts';
import { postgresPlace, requireFileState } from './state-place.ts';

/**
 * The longest silence of a holder, by the database's clock: after it the database ends the connection, which frees the
 * lock. A holder writes every 1.5 s. Milliseconds.
 */
const SILENCE_MS = 15_000;

/**
 * A state is one table in a schema of its own, and all statements go over one connection.
 * @param stateUrl `postgres://` and what the library takes, and `schema` for another schema than `dealbell`
 */
export const openPostgres: OpenDatabase = (stateUrl, { networkClock, ...parts }) => {
  const { url, schema, label } = postgresPlace(stateUrl);
  const table = `${schema}.${TABLE}`;
  const session = new PostgresSession({ url, clock: networkClock, ...parts });
  const query = onceCreated(session, schema);
  const inFile = async () => requireFileState(stateUrl);
  return {
    label,
    table,
    keyv: new Rows({ schema, query }),
    query,
    under(starts) {
      // For each of them, the planner reads a part of the index.
      const sql = `SELECT row.key, row.value FROM unnest($1::text[]) AS start CROSS JOIN LATERAL
        (SELECT key, value FROM ${table} WHERE key >= start AND key < start || $2 ORDER BY key OFFSET 0) AS row
        ORDER BY row.key`;
      return query(sql, [starts, LAST]);
    },
    async write(rows, holder) {
      const written = [...rows].filter(([, value]) => value !== null);
      const deleted = [...rows.keys()].filter((key) => rows.get(key) === null);
      const [done] = await query(writeSql(table), [
        written.map(([key]) => key),
        written.map(([, value]) => value),
        deleted,
        holder,
      ]);
      if (done?.['is_held'] !== true) throw notHeld();
    },
    scrub: async () => undefined,
    async lock() {
      // In one statement: where the network falls apart after it, the database still ends the connection.
      const sql = `SELECT set_config('idle_session_timeout', '${SILENCE_MS}', false),
        pg_try_advisory_lock(hashtextextended('dealbell ${schema}', 0)) AS is_held`;
      const [answer] = await session.query(sql);
      if (answer?.['is_held'] !== true) return false;
      await session.prepare(sql);
      return true;
    },
    async isForeign() {
      const sql = 'SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename <> $2 LIMIT 1';
      return (await session.query(sql, [schema, TABLE])).length > 0;
    },
    file: { copyTo: inFile, verify: inFile, replaceWith: inFile },
    end: () => session.close(),
  };
};

/** `@keyv/postgres` on a connection that is handed over, and a table that is there. */
class Rows extends KeyvPostgres {
  constructor({ schema, query }: { schema: string; query: Query }) {
    // The connection is handed over as an option, because the library connects before this class has any fields.
    super({ schema, table: TABLE, query } as ConstructorParameters<typeof KeyvPostgres>[0]);
  }

  override async connect(): Promise<Query> {
    const { query } = this.opts as unknown as { query: Query };
    // The first statement makes the library's own table, whose keys are short and sort by a language. Ours is there.
    return (sql, values) => (sql.startsWith('CREATE') ? Promise.resolve([]) : query(sql, values));
  }
}

/** Runs statements once the table is there. It is created once, and again after that has failed. */
function onceCreated(session: PostgresSession, schema: string): Query {
  let creating: Promise<unknown> | null = null;
  return async (sql, values) => {
    // One transaction. The lock comes first: two processes that create the same thing at once would refuse each other.
    creating ??= session
      .query(
        `SELECT pg_advisory_xact_lock(hashtextextended('dealbell tables', 0));
         DO $$ BEGIN IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF; END $$;
         CREATE TABLE IF NOT EXISTS ${schema}.${TABLE} (key TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL);`,
      )
      .catch((error: unknown) => {
        creating = null;
        throw error;
      });
    await creating;
    return session.query(sql, values);
  };
}

/**
 * One statement, which can be run twice without harm. It looks up the lease in the transaction of the write and keeps it
 * as it is until that ends, so that a takeover waits for a write under way and no later one goes through.
 */
function writeSql(table: string): string {
  return `WITH lease AS (
      SELECT key FROM ${table} WHERE key = '${LEASE_KEY}' AND value::jsonb ->> 'holder' = $4 FOR SHARE
    ), held AS (
      SELECT $4::text IS NULL OR EXISTS (SELECT FROM lease) AS is_held
    ), deleted AS (
      DELETE FROM ${table} WHERE key = ANY($3::text[]) AND (SELECT is_held FROM held)
    ), written AS (
      INSERT INTO ${table} (key, value) SELECT * FROM unnest($1::text[], $2::text[]) WHERE (SELECT is_held FROM held)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value
    )
    SELECT is_held FROM held`;
}
