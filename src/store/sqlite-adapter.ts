import { KeyvSqlite } from '@keyv/sqlite';

/** Rows an iterator holds at a time. */
const PAGE_ROWS = 500;
/** How long a connection waits for another one's write to end. */
const BUSY_TIMEOUT_MS = 10_000;

/** Of a statement: https://www.sqlite.org/limits.html#max_variable_number */
const MOST_PARAMETERS = 32_766;

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

  constructor(options: { uri: string; table: string }) {
    super({ ...options, busyTimeout: BUSY_TIMEOUT_MS });
    const query = this.query;
    // With WAL and NORMAL a killed process loses nothing, and a write costs a tenth of the default's.
    this.ready = query('PRAGMA journal_mode=WAL').then(() => query('PRAGMA synchronous=NORMAL'));
  }

  override async getMany<Value>(keys: string[]): Promise<(Value | undefined)[]> {
    const rows: Row[] = await this.query(
      `SELECT key, value FROM ${this.opts.table} WHERE key IN (SELECT value FROM json_each(?))`,
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
        `SELECT key, value FROM ${this.opts.table} WHERE key > ? ORDER BY key LIMIT ${PAGE_ROWS}`,
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
