import { KeyvSqlite } from '@keyv/sqlite';

/** Rows an iterator holds at a time. */
const PAGE_ROWS = 500;
/** How long a connection waits for another one's write to end. */
const BUSY_TIMEOUT_MS = 10_000;

/** Of pages that a connection keeps: each table has one, and SQLite's own 2 MiB would be 30 for all. The system keeps the file. */
const CACHE_KIB = 256;

/** Of a statement: https://www.sqlite.org/limits.html#max_variable_number */
const MOST_PARAMETERS = 32_766;

/** Whatever stands in a row is read as text. */
const COLUMNS = "key, ifnull(CAST(value AS TEXT), '') AS value";

interface Row {
  key: string;
  value: string;
}

/**
 * `@keyv/sqlite` with what it lacks: write-ahead logging, one atomic statement for many rows, and an iterator
 * that pages by key, so that rows which others delete meanwhile make it skip nothing.
 */
export class SqliteAdapter extends KeyvSqlite {
  /** Resolves when the table is there and the connection is set up. */
  readonly ready: Promise<unknown>;

  /** @param options.isDurable whether a write, and with it all that was written before, has to outlive a power cut */
  constructor({ uri, table, isDurable }: { uri: string; table: string; isDurable: boolean }) {
    super({ uri, table, busyTimeout: BUSY_TIMEOUT_MS });
    const query = this.query;
    // With WAL and NORMAL a killed process loses nothing, a power cut the last moments, and a write costs a tenth of the
    // default's. FULL waits for the disk.
    this.ready = query('PRAGMA journal_mode=WAL')
      .then(() => query(`PRAGMA synchronous=${isDurable ? 'FULL' : 'NORMAL'}`))
      .then(() => query(`PRAGMA cache_size=-${CACHE_KIB}`));
  }

  /** Writes `next` where the row holds exactly `seen`, or where there is none: whether it did. */
  async replace(key: string, seen: string | undefined, next: string): Promise<boolean> {
    const { table } = this.opts;
    const changed: unknown[] =
      seen === undefined
        ? await this.query(`INSERT INTO ${table} VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING key`, key, next)
        : await this.query(`UPDATE ${table} SET value = ? WHERE key = ? AND value = ? RETURNING key`, next, key, seen);
    return changed.length > 0;
  }

  /**
   * From here on this connection's writes fail, in their own transaction, unless a query that the caller wrote finds a row.
   * The triggers are the connection's own: nothing of them is in the file.
   */
  async refuseUnless(query: string): Promise<void> {
    // A trigger does not notice a table that was made since this connection last looked; a query of its own does.
    await this.query(query);
    // An upsert counts as an insert, whatever comes of it.
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
    // Rows as JSON are taken apart by SQLite in several times their room, so only more than there are parameters for are.
    const asParameters = entries.length <= MOST_PARAMETERS / 2;
    const rows = asParameters
      ? `VALUES ${entries.map(() => '(?, ?)').join(', ')}`
      : `SELECT json_extract(value, '$.key'), json_extract(value, '$.value') FROM json_each(?) WHERE true`;
    await this.query(
      `INSERT INTO ${this.opts.table} (key, value) ${rows} ON CONFLICT(key) DO UPDATE SET value = excluded.value`,
      asParameters
        ? entries.flatMap(({ key, value }) => [key, value])
        : JSON.stringify(entries.map(({ key, value }) => ({ key, value }))),
    );
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

  override async *iterator(): AsyncGenerator<[string, string], void> {
    let after = '';
    for (;;) {
      const rows: Row[] = await this.query(
        `SELECT ${COLUMNS} FROM ${this.opts.table} WHERE key > ? ORDER BY key LIMIT ${PAGE_ROWS}`,
        after,
      );
      for (const row of rows) yield [row.key, row.value];
      const last = rows.at(-1);
      if (!last) return;
      after = last.key;
    }
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
