import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StoreError } from '../../shared/errors.ts';
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
import { asTransaction, type Query, SqliteConnection } from './sqlite-connection.ts';
import { copyTo, replaceRows, requireWhole } from './state-file.ts';
import { orStoreError } from './store-errors.ts';
import { createWriteWatch } from './write-watch.ts';

/** Rows that one statement reads, and that one writes. */
const PAGE_ROWS = 500;

/** @param stateUrl `sqlite://` and a path, relative to the working folder or absolute */
export function openSqliteBackend(stateUrl: string, { clock, log }: BackendParts): Backend {
  const path = stateUrl.slice('sqlite://'.length);
  makeFolderOf(path);
  const connection = new SqliteConnection(path);
  /** The holder that the lease must name for a write to be done; null before `fence`, when every write is done. */
  let holder: string | null = null;
  const watch = createWriteWatch({ probe, clock, log });

  function attempt<R>(doing: string, run: () => Promise<R>): Promise<R> {
    return orStoreError(doing, path, run, watch.failed);
  }

  function writing(run: (query: Query) => Promise<void>): Promise<void> {
    return connection.transaction(async (query) => {
      await requireHeld(query, holder);
      await run(query);
    });
  }

  const write: Backend['write'] = (rows) => attempt('write', () => writing((query) => writeRows(query, rows)));

  async function probe(): Promise<void> {
    await write(new Map([[PROBE.key, PROBE.value]]));
    await write(new Map([[PROBE.key, null]]));
  }

  /** Runs statements on a second connection, so that the first goes on meanwhile. */
  async function beside<R>(run: (query: Query) => Promise<R>): Promise<R> {
    const other = new SqliteConnection(path);
    try {
      return await other.inTurn(run);
    } finally {
      await other.end();
    }
  }

  return {
    label: path,
    keyv: connection,
    page: (after, before) => attempt('read', () => connection.inTurn((query) => page(query, after, before))),
    under: (starts) => attempt('read', () => connection.inTurn((query) => under(query, starts))),
    write,
    lease: {
      ...leaseOf(connection, attempt),
      async fence(name) {
        holder = name;
      },
    },
    writeProblem: watch.problem,
    isForeign: () => attempt('read', () => connection.inTurn(isForeign)),
    copyTo: (copy) =>
      orStoreError('copy', `${path} to ${copy}`, async () => {
        makeFolder(dirname(resolve(copy)));
        await beside((query) => copyTo(query, copy));
      }),
    verify: () => orStoreError('check', path, () => beside((query) => requireWhole(query))),
    replaceWith: (source, merged) =>
      orStoreError('replace the content of', path, () =>
        connection.inTurn(async (query) => {
          await query('ATTACH ? AS source', source);
          try {
            await asTransaction(query, async () => {
              await requireHeld(query, holder);
              await replaceRows(query, 'source', merged);
            });
          } finally {
            await query('DETACH source');
          }
        }),
      ),
    async close() {
      watch.stop();
      await connection.end();
    },
  };
}

function leaseOf(
  connection: SqliteConnection,
  attempt: <R>(doing: string, run: () => Promise<R>) => Promise<R>,
): Pick<LeaseCell, 'read' | 'replace' | 'lock'> {
  return {
    read: () => attempt('read the lease of', () => connection.get<string>(LEASE_KEY)),
    replace: (seen, next) =>
      attempt('write the lease of', async () => {
        const changed = await connection.inTurn((query) =>
          seen === undefined
            ? query(`INSERT INTO ${TABLE} VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING key`, LEASE_KEY, next)
            : query(`UPDATE ${TABLE} SET value = ? WHERE key = ? AND value = ? RETURNING key`, next, LEASE_KEY, seen),
        );
        return changed.length > 0;
      }),
    lock: null,
  };
}

/** Rejects within a transaction where another process has taken the lease over. */
async function requireHeld(query: Query, holder: string | null): Promise<void> {
  if (holder === null) return;
  const held = await query(
    `SELECT 1 FROM ${TABLE} WHERE key = ? AND json_extract(value, '$.holder') = ?`,
    LEASE_KEY,
    holder,
  );
  if (held.length === 0) throw Object.assign(new Error('the lease is not held'), { code: 'SQLITE_CONSTRAINT' });
}

/** SQLite compares keys byte by byte, as UTF-8 sorts. */
async function page(query: Query, after: string, before: string): Promise<RawRow[]> {
  const rows = await query(
    `SELECT key, ifnull(CAST(value AS TEXT), '') AS value FROM ${TABLE}
     WHERE key > ? AND key < ? ORDER BY key LIMIT ${PAGE_ROWS}`,
    after,
    before,
  );
  return rows as unknown as RawRow[];
}

async function under(query: Query, starts: readonly string[]): Promise<RawRow[]> {
  const rows = await query(
    `SELECT row.key, ifnull(CAST(row.value AS TEXT), '') AS value
     FROM json_each(?) AS start CROSS JOIN ${TABLE} AS row
     WHERE row.key >= start.value AND row.key < start.value || ? ORDER BY row.key`,
    JSON.stringify(starts),
    LAST,
  );
  return rows as unknown as RawRow[];
}

async function writeRows(query: Query, rows: ReadonlyMap<string, string | null>): Promise<void> {
  const deleted = [...rows.keys()].filter((key) => rows.get(key) === null);
  if (deleted.length > 0) {
    await query(`DELETE FROM ${TABLE} WHERE key IN (SELECT value FROM json_each(?))`, JSON.stringify(deleted));
  }
  const written = [...rows].filter(([, value]) => value !== null);
  for (let start = 0; start < written.length; start += PAGE_ROWS) {
    const some = written.slice(start, start + PAGE_ROWS);
    await query(
      `INSERT INTO ${TABLE} (key, value) VALUES ${some.map(() => '(?, ?)').join(', ')}
       ON CONFLICT(key) DO UPDATE SET value = excluded.value`,
      ...some.flat(),
    );
  }
}

/** Another table was made by another program. This one's is taken away again, so that the file is as it was. */
async function isForeign(query: Query): Promise<boolean> {
  const others = await query(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> ? AND name NOT LIKE 'sqlite_%'`,
    TABLE,
  );
  if (others.length === 0) return false;
  const own = await query(`SELECT 1 FROM ${TABLE} LIMIT 1`);
  if (own.length === 0) await query(`DROP TABLE ${TABLE}`);
  return true;
}

/** @throws StoreError with the remedy */
function makeFolderOf(path: string): void {
  try {
    makeFolder(dirname(resolve(path)));
  } catch (cause) {
    const problem = `The folder for the state file ${path} can't be created. Set STATE_URL to another path.`;
    throw new StoreError(problem, { cause });
  }
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
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it first.
    if (!isThere()) throw error;
  }
}
