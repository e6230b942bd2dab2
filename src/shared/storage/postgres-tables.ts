import { LEASE, type RawRow } from './contract.ts';
import type { Query } from './postgres-session.ts';
import { rewritten } from './state-file.ts';
import { NOT_HELD } from './store-errors.ts';

/** Rows that are read and rewritten at a time. */
const PAGE_ROWS = 500;

interface Place {
  schema: string;
  table: string;
}

/**
 * Creates a table with its fence, unless it exists. The fence looks up in the transaction of each write whether the lease
 * names the holder that the connection has been given, and keeps the lease as it is until that transaction's end; a
 * connection without a holder writes.
 * @param place letters, digits and underscores
 */
export async function createIfMissing(query: Query, { schema, table }: Place): Promise<void> {
  const [found] = await query('SELECT to_regclass($1) IS NOT NULL AS is_there', [`${schema}.${table}`]);
  if (found?.['is_there'] === true) return;
  const fence =
    table === LEASE.table
      ? ''
      : `CREATE OR REPLACE TRIGGER fence BEFORE INSERT OR UPDATE OR DELETE ON ${schema}.${table}
           FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.refuse_unless_held();`;
  // One transaction. The lock comes first: two processes that create the same thing at once would refuse each other.
  await query(`
    SELECT pg_advisory_xact_lock(hashtextextended('dealbell tables', 0));
    DO $$ BEGIN IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF; END $$;
    CREATE TABLE IF NOT EXISTS ${schema}.${table} (key TEXT COLLATE "C" PRIMARY KEY, value TEXT NOT NULL);
    CREATE OR REPLACE FUNCTION ${schema}.refuse_unless_held() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE holder text := nullif(current_setting('dealbell.holder', true), '');
      BEGIN
        IF holder IS NOT NULL THEN
          PERFORM 1 FROM ${schema}.${LEASE.table}
            WHERE key = '${LEASE.key}' AND value::jsonb ->> 'holder' = holder FOR SHARE;
          IF NOT FOUND THEN RAISE EXCEPTION 'the lease is not held' USING ERRCODE = '${NOT_HELD}'; END IF;
        END IF;
        RETURN NULL;
      END $$;
    ${fence}`);
}

/** The names of a schema's tables. */
export async function tableNames(query: Query, schema: string): Promise<string[]> {
  const rows = await query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [schema]);
  // A name of any other form is none of ours, and may not be put into a statement.
  return rows.map(({ tablename }) => String(tablename)).filter((name) => /^\w+$/.test(name));
}

/** Writes and deletes rows in one statement, which can be run twice without harm. */
export async function changeTable(
  query: Query,
  { schema, table }: Place,
  { set, deleted }: { set: readonly RawRow[]; deleted: readonly string[] },
): Promise<void> {
  await query(
    `WITH gone AS (DELETE FROM ${schema}.${table} WHERE key = ANY($3::text[]))
     INSERT INTO ${schema}.${table} (key, value) SELECT * FROM unnest($1::text[], $2::text[])
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [set.map(({ key }) => key), set.map(({ value }) => value), deleted],
  );
}

/**
 * Rewrites the rows of a table that `change` changes, within a transaction of the caller's.
 * @param change takes null for a row that can't be read; returns the same value where nothing is to change
 */
export async function rewriteTable(
  query: Query,
  { schema, table }: Place,
  change: (row: unknown) => unknown,
): Promise<void> {
  if (!(await tableNames(query, schema)).includes(table)) return;
  let after = '';
  for (;;) {
    const rows = (await query(
      `SELECT key, value FROM ${schema}.${table} WHERE key > $1 ORDER BY key LIMIT ${PAGE_ROWS}`,
      [after],
    )) as unknown as RawRow[];
    const set = rows.flatMap(({ key, value }) => {
      const next = rewritten(value, change);
      return next === null ? [] : [{ key, value: next }];
    });
    if (set.length > 0) await changeTable(query, { schema, table }, { set, deleted: [] });
    const last = rows.at(-1);
    if (!last) return;
    after = last.key;
  }
}
