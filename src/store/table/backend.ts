import { systemClock } from '../../shared/clock.ts';
import { StoreError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import {
  type BackendParts,
  type Database,
  LEASE_KEY,
  type OpenDatabase,
  PAGE_ROWS,
  PROBE,
  type RawRow,
  type RowChanges,
  STANDBY_KEY,
} from './database.ts';
import { orStoreError, WriteWatch } from './failures.ts';
import { openPostgres } from './postgres.ts';
import { STATE_ADDRESSES } from './state-place.ts';

/** The machines for which SQLite's package has a binary, for people. */
const SQLITE_MACHINES = 'Linux (x64 or arm64; glibc 2.34 or newer, or musl), macOS or Windows';

/**
 * Opens a state in a file. Where SQLite can't be loaded on this machine, states elsewhere can still be opened.
 */
const openSqlite = await import('./sqlite.ts').then(
  (module) => module.openSqlite,
  (cause: unknown) => (): Database => {
    throw new StoreError(
      `SQLite can't be loaded on this machine. Set STATE_URL to a PostgreSQL database, or run Dealbell on ${SQLITE_MACHINES}.`,
      { cause },
    );
  },
);

/** The kinds of databases, by what a state's address begins with. */
const KINDS: Readonly<Record<string, OpenDatabase>> = {
  'sqlite://': openSqlite,
  'postgres://': openPostgres,
  'postgresql://': openPostgres,
};

/** Where a state lies: see `openBackend`. */
export type Backend = ReturnType<typeof openBackend>;

/**
 * Opens the place of a state: a table of rows under keys `kind:key`, as Keyv stores them. Only this file knows which kinds
 * of databases exist. Every failure rejects with a StoreError.
 * @param stateUrl `sqlite://` and a path, relative to the working folder or absolute; or `postgres://`, a host and a
 *   database
 */
export function openBackend(stateUrl: string, parts: Partial<BackendParts> = {}) {
  const { clock = systemClock, networkClock = systemClock, log = createLog('silent'), isPatient } = parts;
  const watch = new WriteWatch({ probe, clock, log });
  const database = openDatabase(stateUrl, {
    networkClock,
    log,
    isPatient,
    onAway(isAway) {
      if (isAway) watch.failed('unreachable');
      else watch.reached();
      parts.onAway?.(isAway);
    },
  });
  const { label, table } = database;
  /** The holder that the lease must name for a write to be done; null before `fence`, when every write is done. */
  let holder: string | null = null;

  function attempt<R>(doing: string, run: () => Promise<R>): Promise<R> {
    return orStoreError(doing, label, run, (problem) => watch.failed(problem));
  }

  const write = (rows: RowChanges) => attempt('write', () => database.write(rows, holder));

  async function probe(problem: string): Promise<void> {
    if (problem === 'unreachable' && holder === null) {
      // Only the process that holds the lease writes: a standby asks whether the database answers.
      await database.query('SELECT 1');
      return;
    }
    await write(new Map([[PROBE.key, PROBE.value]]));
    await write(new Map([[PROBE.key, null]]));
  }

  return {
    label,
    keyv: database.keyv,
    /** The next rows whose keys come after `after` and before `before`, by key; fewer than `most` at the end. */
    page: (after: string, before: string, most = PAGE_ROWS): Promise<RawRow[]> =>
      attempt('read', async () => {
        const sql = `SELECT key, coalesce(CAST(value AS TEXT), '') AS value FROM ${table}
          WHERE key > $1 AND key < $2 ORDER BY key LIMIT ${most}`;
        return (await database.query(sql, [after, before])) as unknown as RawRow[];
      }),
    /** All rows whose keys begin with any of these, by key. */
    under: (starts: readonly string[]): Promise<RawRow[]> =>
      attempt('read', async () => (await database.under(starts)) as unknown as RawRow[]),
    /** Writes rows: all or none, on the disk, in one transaction that checks that this process holds the lease. */
    write,
    lease: leaseOf(database, attempt, (name) => {
      holder = name;
    }),
    /** See `Database.scrub`. */
    scrub: () => attempt('clean', () => database.scrub()),
    /** The reason why nothing can be written; null while writes succeed. */
    writeProblem: () => watch.problem,
    /** Whether the place holds anything that is not of this form of state. */
    isForeign: () => attempt('read', () => database.isForeign()),
    /**
     * Copies the state as it is at one moment to a new file, while others read and write. The copy is whole and names no
     * holder of the lease; where it can't be made, there is no file. Rejects where the state is in no file, as do
     * `verify` and `replaceWith`.
     */
    copyTo: (path: string) => orStoreError('copy', `${label} to ${path}`, () => database.file.copyTo(path)),
    /** Rejects where the file is damaged. Reads all of it. */
    verify: () => orStoreError('check', label, () => database.file.verify()),
    /**
     * Replaces all rows by those of another state's file, the lease excepted: all or none. Nothing may be in memory of
     * them meanwhile.
     * @param merged names of kinds that keep their rows, and get only those that they lack
     */
    replaceWith: (path: string, merged: readonly string[]) =>
      orStoreError('replace the content of', label, () => database.file.replaceWith(path, merged, holder)),
    async close() {
      watch.stop();
      await database.end();
    },
  };
}

function openDatabase(stateUrl: string, parts: Parameters<OpenDatabase>[1]): Database {
  for (const [start, open] of Object.entries(KINDS)) if (stateUrl.startsWith(start)) return open(stateUrl, parts);
  throw new StoreError(`The state can't be kept at "${stateUrl}". Use ${STATE_ADDRESSES}.`);
}

/** The one text that names the process that may write the state. Every failure rejects with a StoreError. */
export type LeaseCell = ReturnType<typeof leaseOf>;

function leaseOf(
  { table, query, lock }: Database,
  attempt: <R>(doing: string, run: () => Promise<R>) => Promise<R>,
  onFence: (holder: string) => void,
) {
  const textOf = (key: string): Promise<string | undefined> =>
    attempt('read the lease of', async () => {
      const [row] = await query(`SELECT value FROM ${table} WHERE key = $1`, [key]);
      return row && String(row['value']);
    });
  return {
    /** The text; undefined before the first write. */
    read: () => textOf(LEASE_KEY),
    /** The text of a process that stands by; undefined before the first. Whoever stands by writes it. */
    readStandby: () => textOf(STANDBY_KEY),
    writeStandby: (text: string) =>
      attempt('write the lease of', () =>
        query(
          `INSERT INTO ${table} (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
          [STANDBY_KEY, text],
        ),
      ),
    /**
     * Writes `next` if the text is still exactly `seen`, in one statement. Resolves with false if it is not. It may be
     * `next` already, by an earlier run of the statement whose answer was lost.
     */
    replace: (seen: string | undefined, next: string): Promise<boolean> =>
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
    /**
     * From now on every write of this backend is refused, in its own transaction, unless the text is JSON whose `holder`
     * is this one.
     * @param holder letters, digits and hyphens
     */
    fence: onFence,
    /**
     * Takes the lock that a database keeps for this process's connection, and frees by itself when the connection ends or
     * is silent for 15 seconds. Resolves with whether this process has it. null where there is none: there only the text
     * tells whether its writer lives.
     */
    lock: lock && (() => attempt('take the lease of', lock)),
  };
}
