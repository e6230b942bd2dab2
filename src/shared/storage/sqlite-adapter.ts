import { KeyvSqlite } from '@keyv/sqlite';
import type { RawRow } from './contract.ts';
import { PAGE_ROWS, rowsOfPages } from './row-pages.ts';

/** The longest wait of a connection for another connection's write to end. */
const BUSY_TIMEOUT_MS = 10_000;

/**
 * Page cache of a connection. Each table has a connection, so SQLite's default of 2 MiB would take 30 MiB for all. The
 * system caches the file as well.
 */
const CACHE_KIB = 256;

/** Most parameters of one statement. @see https://www.sqlite.org/limits.html#max_variable_number */
const MOST_PARAMETERS = 32_766;

/** Most attempts to switch a new file to write-ahead logging: each follows the end of another connection's write. */
const MOST_WAL_ATTEMPTS = 20;

/** Reads a value of any type as text. */
const COLUMNS = "key, ifnull(CAST(value AS TEXT), '') AS value";

interface Row {
  key: string;
  value: string;
}

/**
 * `@keyv/sqlite` with additions: write-ahead logging, one atomic statement for many rows, and an iterator that pages by
 * key, so that it skips no row when others are deleted meanwhile.
 */
export class SqliteAdapter extends KeyvSqlite {
  /** Resolves when the table exists and the connection is set up. */
  readonly ready: Promise<unknown>;

  /** @param options.isDurable whether a write, and every write before it, must survive a power cut */
  constructor({ uri, table, isDurable }: { uri: string; table: string; isDurable: boolean }) {
    super({ uri, table, busyTimeout: BUSY_TIMEOUT_MS });
    const query = this.query;
    // With WAL and NORMAL a killed process loses no write, a power cut loses those of the last moments, and a write
    // costs a tenth of the default's. FULL waits for the disk.
    this.ready = useWal(query)
      .then(() => query(`PRAGMA synchronous=${isDurable ? 'FULL' : 'NORMAL'}`))
      .then(() => query(`PRAGMA cache_size=-${CACHE_KIB}`));
  }

  /**
   * Writes `next` if the row holds exactly `seen`, or if `seen` is undefined and there is no row. Resolves with whether
   * it wrote.
   */
  async replace(key: string, seen: string | undefined, next: string): Promise<boolean> {
    const { table } = this.opts;
    const changed: unknown[] =
      seen === undefined
        ? await this.query(`INSERT INTO ${table} VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING key`, key, next)
        : await this.query(`UPDATE ${table} SET value = ? WHERE key = ? AND value = ? RETURNING key`, next, key, seen);
    return changed.length > 0;
  }

  /**
   * From now on this connection's writes fail, in their own transaction, unless `query` finds a row. The triggers are
   * temporary: they belong to this connection, and the file holds nothing of them.
   * @param query SQL written by the caller, never foreign text
   */
  async refuseUnless(query: string): Promise<void> {
    // A trigger does not notice a table created since this connection last read the schema; a direct query does.
    await this.query(query);
    // An upsert fires the INSERT trigger even when it updates.
    for (const change of ['INSERT', 'DELETE']) {
      await this.query(
        `CREATE TEMP TRIGGER IF NOT EXISTS fence_${change} BEFORE ${change} ON ${this.opts.table}
         WHEN NOT EXISTS (${query}) BEGIN SELECT RAISE(ABORT, 'the lease is not held'); END`,
      );
    }
  }

  override async get<Value>(key: string): Promise<Value | undefined> {
    const [value] = await this.getMany<Value>([key]);
    return value;
  }

  override async getMany<Value>(keys: string[]): Promise<(Value | undefined)[]> {
    const rows: Row[] = await this.query(
      `SELECT ${COLUMNS} FROM ${this.opts.table} WHERE key IN (SELECT value FROM json_each(?))`,
      JSON.stringify(keys),
    );
    const byKey = new Map(rows.map((row) => [row.key, row.value as Value]));
    return keys.map((key) => byKey.get(key));
  }

  async setMany(entries: readonly Row[]): Promise<void> {
    await writeRows(this, String(this.opts.table), entries);
  }

  override async delete(key: string): Promise<boolean> {
    return this.deleteMany([key]);
  }

  override async deleteMany(keys: string[]): Promise<boolean> {
    const deleted: unknown[] = await this.query(
      `DELETE FROM ${this.opts.table} WHERE key IN (SELECT value FROM json_each(?)) RETURNING key`,
      JSON.stringify(keys),
    );
    return deleted.length > 0;
  }

  rows(): AsyncIterable<readonly RawRow[]> {
    return rowsOfPages((after) =>
      this.query(`SELECT ${COLUMNS} FROM ${this.opts.table} WHERE key > ? ORDER BY key LIMIT ${PAGE_ROWS}`, after),
    );
  }

  /** The keys that begin with `prefix`, in order. SQLite compares them byte by byte, as UTF-8 sorts. */
  async keysWith(prefix: string): Promise<string[]> {
    const rows: Pick<Row, 'key'>[] = await this.query(
      `SELECT key FROM ${this.opts.table} WHERE key >= ? AND key < ? ORDER BY key`,
      prefix,
      `${prefix}\u{10FFFF}`,
    );
    return rows.map(({ key }) => key);
  }
}

/** Writes one row or more in one statement. */
export async function writeRows(
  { query }: Pick<SqliteAdapter, 'query'>,
  table: string,
  rows: readonly RawRow[],
): Promise<void> {
  // SQLite needs several times the size of rows passed as JSON, so JSON is used only where parameters do not suffice.
  const asParameters = rows.length <= MOST_PARAMETERS / 2;
  const values = asParameters
    ? `VALUES ${rows.map(() => '(?, ?)').join(', ')}`
    : `SELECT json_extract(value, '$.key'), json_extract(value, '$.value') FROM json_each(?) WHERE true`;
  await query(
    `INSERT INTO ${table} (key, value) ${values} ON CONFLICT(key) DO UPDATE SET value = excluded.value`,
    asParameters
      ? rows.flatMap(({ key, value }) => [key, value])
      : JSON.stringify(rows.map(({ key, value }) => ({ key, value }))),
  );
}

/**
 * Switches the file to write-ahead logging. Where another connection creates the file at the same moment, SQLite refuses
 * the switch at once instead of waiting; a write transaction waits.
 * @see https://www.sqlite.org/c3ref/busy_handler.html
 */
async function useWal(query: KeyvSqlite['query']): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await query('PRAGMA journal_mode=WAL');
      return;
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';
      if (!isBusy || attempt === MOST_WAL_ATTEMPTS) throw error;
      await query('BEGIN IMMEDIATE');
      await query('COMMIT');
    }
  }
}
