import { KeyvSqlite } from '@keyv/sqlite';
import PQueue from 'p-queue';
import { TABLE } from './contract.ts';

/** The longest wait for another process's write to end, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;
/** Most attempts to switch a new file to write-ahead logging: each follows the end of another process's write. */
const MOST_WAL_ATTEMPTS = 20;

/** Runs one statement. */
export type Query = (sql: string, ...values: readonly unknown[]) => Promise<Readonly<Record<string, unknown>>[]>;

/**
 * `@keyv/sqlite` with additions: write-ahead logging, and turns, so that nothing comes between the statements of a
 * transaction.
 */
export class SqliteConnection extends KeyvSqlite {
  readonly #turns = new PQueue({ concurrency: 1 });
  readonly #ready: Promise<unknown>;

  /** @param path of the file, which is created if it does not exist */
  constructor(path: string) {
    super({ uri: `sqlite://${path}`, table: TABLE, busyTimeout: BUSY_TIMEOUT_MS });
    // With WAL a killed process loses no write. With FULL a power cut loses none either.
    this.#ready = useWal(this.query).then(() => this.query('PRAGMA synchronous=FULL'));
    // The first statement rejects with the reason; before that no caller listens.
    this.#ready.catch(() => undefined);
  }

  /** Runs statements between which nothing else runs on this connection. */
  inTurn<R>(run: (query: Query) => Promise<R>): Promise<R> {
    return this.#turns.add(async () => {
      await this.#ready;
      return run(this.query);
    });
  }

  /** Runs statements in one transaction, from whose beginning on nobody else writes. */
  transaction<R>(run: (query: Query) => Promise<R>): Promise<R> {
    return this.inTurn((query) => asTransaction(query, run));
  }

  override async get<Value>(key: string): Promise<Value | undefined> {
    const [value] = await this.getMany<Value>([key]);
    return value;
  }

  override async getMany<Value>(keys: string[]): Promise<(Value | undefined)[]> {
    const rows = await this.inTurn((query) =>
      query(
        // A value of any type is read as text.
        `SELECT key, ifnull(CAST(value AS TEXT), '') AS value FROM ${TABLE} WHERE key IN (SELECT value FROM json_each(?))`,
        JSON.stringify(keys),
      ),
    );
    const byKey = new Map(rows.map(({ key, value }) => [key, value as Value]));
    return keys.map((key) => byKey.get(key));
  }

  /** Ends the connection when the statements before are done. Does nothing where it never came about. */
  async end(): Promise<void> {
    await this.#turns.onIdle();
    await this.close().catch(() => undefined);
  }
}

export async function asTransaction<R>(query: Query, run: (query: Query) => Promise<R>): Promise<R> {
  await query('BEGIN IMMEDIATE');
  try {
    const result = await run(query);
    await query('COMMIT');
    return result;
  } catch (error) {
    // SQLite may have rolled back by itself, as where the disk is full.
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Switches the file to write-ahead logging. Where another connection creates the file at the same moment, SQLite refuses
 * the switch at once instead of waiting; a write transaction waits.
 * @see https://www.sqlite.org/c3ref/busy_handler.html
 */
async function useWal(query: Query): Promise<void> {
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
