import { KeyvPostgres } from '@keyv/postgres';
import type { RawRow } from './contract.ts';
import type { PostgresSession, Query } from './postgres-session.ts';
import { PAGE_ROWS, rowsOfPages } from './row-pages.ts';

export interface PostgresAdapterOptions {
  schema: string;
  table: string;
  session: Pick<PostgresSession, 'query'>;
}

/**
 * `@keyv/postgres` with additions: all tables on one connection, a statement each for many rows, repeated keys within
 * one too, and a listing that rejects where it breaks off.
 */
export class PostgresAdapter extends KeyvPostgres {
  readonly #table: string;
  readonly #run: Query;

  constructor({ schema, table, session }: PostgresAdapterOptions) {
    // The connection is handed over as an option, because the library connects before this class has any fields.
    super({ schema, table, query: session.query } as ConstructorParameters<typeof KeyvPostgres>[0]);
    this.#table = `${schema}.${table}`;
    this.#run = session.query;
  }

  override async connect(): Promise<Query> {
    const { query } = this.opts as unknown as { query: Query };
    // The first statement makes the library's own table, whose keys are short and sort by a language. Ours is there.
    return (sql, values) => (sql.startsWith('CREATE') ? Promise.resolve([]) : query(sql, values));
  }

  /**
   * Writes `next` if the row holds exactly `seen`, or if `seen` is undefined and there is no row. Resolves with whether
   * the row holds `next` by this call, or by an earlier one of the same whose answer was lost.
   */
  async replace(key: string, seen: string | undefined, next: string): Promise<boolean> {
    const changed =
      seen === undefined
        ? await this.#run(
            `INSERT INTO ${this.#table} AS row VALUES ($1, $2)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE row.value = excluded.value RETURNING key`,
            [key, next],
          )
        : await this.#run(`UPDATE ${this.#table} SET value = $1 WHERE key = $2 AND value IN ($1, $3) RETURNING key`, [
            next,
            key,
            seen,
          ]);
    return changed.length > 0;
  }

  override async setMany(entries: readonly RawRow[]): Promise<void> {
    // A statement that writes one row twice is refused.
    const rows = new Map(entries.map(({ key, value }) => [key, value]));
    await super.setMany([...rows].map(([key, value]) => ({ key, value })));
  }

  override async delete(key: string): Promise<boolean> {
    return this.deleteMany([key]);
  }

  override async deleteMany(keys: string[]): Promise<boolean> {
    const deleted = await this.#run(`DELETE FROM ${this.#table} WHERE key = ANY($1) RETURNING key`, [keys]);
    return deleted.length > 0;
  }

  rows(): AsyncIterable<readonly RawRow[]> {
    return rowsOfPages(async (after) => {
      const sql = `SELECT key, value FROM ${this.#table} WHERE key > $1 ORDER BY key LIMIT ${PAGE_ROWS}`;
      return (await this.#run(sql, [after])) as unknown as RawRow[];
    });
  }

  /** The keys that begin with `prefix`, in order. The column compares them byte by byte, as UTF-8 sorts. */
  async keysWith(prefix: string): Promise<string[]> {
    const rows = await this.#run(`SELECT key FROM ${this.#table} WHERE key >= $1 AND key < $2 ORDER BY key`, [
      prefix,
      `${prefix}\u{10FFFF}`,
    ]);
    return rows.map(({ key }) => key as string);
  }
}
