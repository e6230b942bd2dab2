import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { KeyvSqlite } from '@keyv/sqlite';
import PQueue from 'p-queue';
import { StoreError } from '../../shared/errors.ts';
import { type Database, LAST, LEASE_KEY, NO_RECORDS, type Query, type RowChanges, TABLE } from './database.ts';
import { notHeld } from './failures.ts';
import { ENDINGS, OWNERS_FILE, OWNERS_FOLDER, PARTIAL } from './state-place.ts';

/** The longest wait for another process's write to end, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;
/** Most attempts to switch a new file to write-ahead logging: each follows the end of another process's write. */
const MOST_WAL_ATTEMPTS = 20;
/** Rows that one statement writes. */
const WRITTEN_ROWS = 500;

/** @param stateUrl `sqlite://` and a path, relative to the working folder or absolute */
export function openSqlite(stateUrl: string): Database {
  const path = stateUrl.slice('sqlite://'.length);
  try {
    makeFolder(dirname(resolve(path)));
  } catch (cause) {
    const problem = `The folder for the state file ${path} can't be created. Set STATE_URL to another path.`;
    throw new StoreError(problem, { cause });
  }
  const connection = new Connection(path);

  /** Runs statements on a second connection, so that the first goes on meanwhile. */
  async function beside<R>(run: (query: Query) => Promise<R>): Promise<R> {
    const other = new Connection(path);
    try {
      return await other.inTurn(run);
    } finally {
      await other.end();
    }
  }

  return {
    label: path,
    table: TABLE,
    keyv: connection,
    query: (sql, values) => connection.inTurn((query) => query(sql, values)),
    under: (starts) =>
      connection.inTurn((query) =>
        query(
          `SELECT row.key, ifnull(CAST(row.value AS TEXT), '') AS value
           FROM json_each($1) AS start CROSS JOIN ${TABLE} AS row
           WHERE row.key >= start.value AND row.key < start.value || $2 ORDER BY row.key`,
          [JSON.stringify(starts), LAST],
        ),
      ),
    write: (rows, holder) =>
      connection.inTurn((query) =>
        asTransaction(query, async () => {
          await requireHeld(query, holder);
          await writeRows(query, rows);
        }),
      ),
    scrub: () => connection.inTurn(scrub),
    lock: null,
    isForeign: () => connection.inTurn(isForeign),
    file: {
      async copyTo(copy) {
        makeFolder(dirname(resolve(copy)));
        await beside((query) => copyTo(query, copy));
      },
      verify: () => beside((query) => requireWhole(query)),
      replaceWith: (source, merged, holder) =>
        connection.inTurn((query) =>
          withAttached(query, source, () =>
            asTransaction(query, async () => {
              await requireHeld(query, holder);
              await replaceRows(query, merged);
            }),
          ),
        ),
    },
    end: () => connection.end(),
  };
}

/**
 * `@keyv/sqlite` with additions: write-ahead logging, and turns, so that nothing comes between the statements of a
 * transaction.
 */
class Connection extends KeyvSqlite {
  readonly #turns = new PQueue({ concurrency: 1 });
  readonly #ready: Promise<unknown>;

  /** @param path of the file, which is created if it does not exist */
  constructor(path: string) {
    makeOwnersAlone(path);
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
      return run((sql, values = []) => this.query(sql, ...values));
    });
  }

  override async getMany<Value>(keys: string[]): Promise<(Value | undefined)[]> {
    const rows = await this.inTurn((query) =>
      query(
        // A value of any type is read as text.
        `SELECT key, ifnull(CAST(value AS TEXT), '') AS value FROM ${TABLE} WHERE key IN (SELECT value FROM json_each($1))`,
        [JSON.stringify(keys)],
      ),
    );
    const byKey = new Map(rows.map(({ key, value }) => [key, value as Value]));
    return keys.map((key) => byKey.get(key));
  }

  async end(): Promise<void> {
    await this.#turns.onIdle();
    await this.close().catch(() => undefined);
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

/** Runs statements in one transaction, from whose beginning on nobody else writes. */
async function asTransaction(query: Query, run: () => Promise<void>): Promise<void> {
  await query('BEGIN IMMEDIATE');
  try {
    await run();
    await query('COMMIT');
  } catch (error) {
    // SQLite may have rolled back by itself, as where the disk is full.
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Runs statements to which another file is known as `other`. */
async function withAttached(query: Query, path: string, run: () => Promise<void>): Promise<void> {
  await query('ATTACH $1 AS other', [path]);
  try {
    await run();
  } finally {
    await query('DETACH other');
  }
}

/** Rejects within a transaction where another process has taken the lease over. */
async function requireHeld(query: Query, holder: string | null): Promise<void> {
  if (holder === null) return;
  const sql = `SELECT 1 FROM ${TABLE} WHERE key = $1 AND json_extract(value, '$.holder') = $2`;
  const held = await query(sql, [LEASE_KEY, holder]);
  if (held.length === 0) throw notHeld();
}

async function writeRows(query: Query, rows: RowChanges): Promise<void> {
  const deleted = [...rows.keys()].filter((key) => rows.get(key) === null);
  if (deleted.length > 0) {
    await query(`DELETE FROM ${TABLE} WHERE key IN (SELECT value FROM json_each($1))`, [JSON.stringify(deleted)]);
  }
  const written = [...rows].filter(([, value]) => value !== null);
  for (let start = 0; start < written.length; start += WRITTEN_ROWS) {
    const some = written.slice(start, start + WRITTEN_ROWS);
    await query(
      `INSERT INTO ${TABLE} (key, value) VALUES ${some.map(() => '(?, ?)').join(', ')}
       ON CONFLICT(key) DO UPDATE SET value = excluded.value`,
      some.flat(),
    );
  }
}

/** Another table was made by another program. This one's is taken away again, so that the file is as it was. */
async function isForeign(query: Query): Promise<boolean> {
  const others = await query(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> $1 AND name NOT LIKE 'sqlite_%'`,
    [TABLE],
  );
  if (others.length === 0) return false;
  const own = await query(`SELECT 1 FROM ${TABLE} LIMIT 1`);
  if (own.length === 0) await query(`DROP TABLE ${TABLE}`);
  return true;
}

/** Copies the state. The copy stands under its name only when it is whole, checked and on the disk. */
async function copyTo(query: Query, path: string): Promise<void> {
  if (existsSync(path)) throw new StoreError(`${path} exists already. Name a file that does not.`);
  const partial = path + PARTIAL;
  await rm(partial, { force: true });
  try {
    makeOwnersAlone(partial);
    await query('VACUUM INTO $1', [partial]);
    await withAttached(query, partial, async () => {
      await query(`DELETE FROM other.${TABLE} WHERE key IN (SELECT value FROM json_each($1))`, [KEPT_OUT]);
      await requireWhole(query, 'other');
    });
    await syncToDisk(partial);
    await rename(partial, path);
    await syncToDisk(dirname(resolve(path)));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/**
 * Writes the whole file anew, and empties its log. `secure_delete` is not enough: pages that were split or joined keep
 * remains of their rows.
 */
async function scrub(query: Query): Promise<void> {
  await query('VACUUM');
  await query('PRAGMA wal_checkpoint(TRUNCATE)');
}

/** Rejects where SQLite finds the file damaged. */
async function requireWhole(query: Query, schema = 'main'): Promise<void> {
  const [row] = await query(`PRAGMA ${schema}.quick_check(1)`);
  const problem = row ? String(row['quick_check']) : 'nothing was checked';
  if (problem !== 'ok') throw Object.assign(new Error(problem), { code: 'SQLITE_CORRUPT' });
}

async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Rows that no copy has, as JSON. */
const KEPT_OUT = JSON.stringify(NO_RECORDS);

/** Replaces all records by those of the attached file. Rows of merged kinds stay. */
async function replaceRows(query: Query, merged: readonly string[]): Promise<void> {
  await query(
    `DELETE FROM main.${TABLE} WHERE key NOT IN (SELECT value FROM json_each($1))
       AND substr(key, 1, instr(key, ':') - 1) NOT IN (SELECT value FROM json_each($2))`,
    [KEPT_OUT, JSON.stringify(merged)],
  );
  const sql = `INSERT OR IGNORE INTO main.${TABLE} SELECT key, value FROM other.${TABLE}
    WHERE key NOT IN (SELECT value FROM json_each($1))`;
  await query(sql, [KEPT_OUT]);
}

/**
 * Makes one folder after another: below /proc, where a folder neither exists nor can be made, Node's recursive mkdir
 * never ends.
 */
function makeFolder(folder: string): void {
  const isThere = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: OWNERS_FOLDER });
  } catch (error) {
    // Another process may have made it first.
    if (!isThere()) throw error;
  }
}

/**
 * Makes a file that only its owner reads and writes, or one that exists such a file, with those that SQLite keeps beside
 * it; new ones get the file's mode. Where that fails, SQLite says why, or the file is another user's. One that exists is
 * not opened: closing it would end the locks that SQLite holds on it in this process, and another process that closes the
 * state would delete the log that this one goes on writing to.
 * @see https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
 */
function makeOwnersAlone(path: string): void {
  try {
    if (!existsSync(path)) closeSync(openSync(path, 'wx', OWNERS_FILE));
    for (const ending of ENDINGS) if (existsSync(path + ending)) chmodSync(path + ending, OWNERS_FILE);
  } catch {
    // The next statement rejects where the file can't be used.
  }
}
