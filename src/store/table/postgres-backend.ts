import { KeyvPostgres } from '@keyv/postgres';
import {
  type Backend,
  type BackendParts,
  LAST,
  LEASE_KEY,
  type LeaseCell,
  PROBE,
  type RawRow,
  TABLE,
} from './contract.ts';
import { PostgresSession, type Query } from './postgres-session.ts';
import { postgresPlace, requireFileState } from './state-place.ts';
import { NOT_HELD, orStoreError } from './store-errors.ts';
import { createWriteWatch } from './write-watch.ts';

/** Rows that one statement reads. */
const PAGE_ROWS = 500;
/**
 * The longest silence of a holder, by the database's clock: after it the database ends the connection, which frees the
 * lock. A holder writes every 1.5 s. Milliseconds.
 */
const SILENCE_MS = 15_000;

/**
 * A state is one table in a schema of its own, and all statements go over one connection.
 * @param stateUrl `postgres://` and what the library takes, and `schema` for another schema than `dealbell`
 */
export function openPostgresBackend(stateUrl: string, { clock, networkClock, log }: BackendParts): Backend {
  const { url, schema, label } = postgresPlace(stateUrl);
  const table = `${schema}.${TABLE}`;
  const watch = createWriteWatch({ probe, clock, log });
  const session = new PostgresSession({ url, clock: networkClock, log, onAway: () => watch.failed('unreachable') });
  const created = createdOnce(session, schema);
  const query: Query = async (sql, values) => {
    await created();
    return session.query(sql, values);
  };
  /** The holder that the lease must name for a write to be done; null before `fence`, when every write is done. */
  let holder: string | null = null;

  function attempt<R>(doing: string, run: () => Promise<R>): Promise<R> {
    return orStoreError(doing, label, run, watch.failed);
  }

  const write: Backend['write'] = (rows) =>
    attempt('write', async () => {
      const written = [...rows].filter(([, value]) => value !== null);
      const deleted = [...rows.keys()].filter((key) => rows.get(key) === null);
      const [done] = await query(writeSql(table), [
        written.map(([key]) => key),
        written.map(([, value]) => value),
        deleted,
        holder,
      ]);
      if (done?.['is_held'] !== true) throw Object.assign(new Error('the lease is not held'), { code: NOT_HELD });
    });

  async function probe(): Promise<void> {
    if (holder === null) {
      // Only the process that holds the lease writes: a standby asks whether the database answers.
      await session.query('SELECT 1');
      return;
    }
    await write(new Map([[PROBE.key, PROBE.value]]));
    await write(new Map([[PROBE.key, null]]));
  }

  const inFile = async () => requireFileState(stateUrl);

  return {
    label,
    keyv: new Rows({ schema, query }),
    page: (after, before) =>
      attempt('read', async () => {
        // The column compares keys byte by byte, as UTF-8 sorts.
        const sql = `SELECT key, value FROM ${table} WHERE key > $1 AND key < $2 ORDER BY key LIMIT ${PAGE_ROWS}`;
        return (await query(sql, [after, before])) as unknown as RawRow[];
      }),
    under: (starts) =>
      attempt('read', async () => {
        // For each of them, the planner reads a part of the index.
        const sql = `SELECT row.key, row.value FROM unnest($1::text[]) AS start CROSS JOIN LATERAL
          (SELECT key, value FROM ${table} WHERE key >= start AND key < start || $2 ORDER BY key OFFSET 0) AS row
          ORDER BY row.key`;
        return (await query(sql, [starts, LAST])) as unknown as RawRow[];
      }),
    write,
    lease: leaseOf({ schema, query, session, attempt, onFence: (name) => (holder = name) }),
    writeProblem: watch.problem,
    isForeign: () =>
      attempt('read', async () => {
        const sql = 'SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename <> $2 LIMIT 1';
        return (await session.query(sql, [schema, TABLE])).length > 0;
      }),
    copyTo: inFile,
    verify: inFile,
    replaceWith: inFile,
    async close() {
      watch.stop();
      await session.close();
    },
  };
}

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

/** Creates the table once, and again after that has failed. */
function createdOnce(session: PostgresSession, schema: string): () => Promise<unknown> {
  let creating: Promise<unknown> | null = null;
  return () => {
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
    return creating;
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

function leaseOf(parts: {
  schema: string;
  query: Query;
  session: PostgresSession;
  attempt: <R>(doing: string, run: () => Promise<R>) => Promise<R>;
  onFence: (holder: string) => unknown;
}): LeaseCell {
  const { schema, query, session, attempt, onFence } = parts;
  const table = `${schema}.${TABLE}`;
  // In one statement: where the network falls apart after it, the database still ends the connection.
  const lockSql = `SELECT set_config('idle_session_timeout', '${SILENCE_MS}', false),
    pg_try_advisory_lock(hashtextextended('dealbell ${schema}', 0)) AS is_held`;
  return {
    read: () =>
      attempt('read the lease of', async () => {
        const [row] = await query(`SELECT value FROM ${table} WHERE key = $1`, [LEASE_KEY]);
        return row && String(row['value']);
      }),
    // By this call, or by an earlier one of the same whose answer was lost.
    replace: (seen, next) =>
      attempt('write the lease of', async () => {
        const changed =
          seen === undefined
            ? await query(
                `INSERT INTO ${table} AS row VALUES ($1, $2)
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE row.value = excluded.value RETURNING key`,
                [LEASE_KEY, next],
              )
            : await query(`UPDATE ${table} SET value = $1 WHERE key = $2 AND value IN ($1, $3) RETURNING key`, [
                next,
                LEASE_KEY,
                seen,
              ]);
        return changed.length > 0;
      }),
    fence: (name) =>
      attempt('write the lease of', async () => {
        await session.prepare(`SET idle_session_timeout = ${SILENCE_MS}`);
        onFence(name);
      }),
    lock: () =>
      attempt('take the lease of', async () => {
        const [answer] = await session.query(lockSql);
        if (answer?.['is_held'] !== true) return false;
        await session.prepare(lockSql);
        return true;
      }),
  };
}
