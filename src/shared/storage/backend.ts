import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Keyv, { type DeserializedData, type KeyvStoreAdapter } from 'keyv';
import PQueue from 'p-queue';
import { type Clock, systemClock } from '../clock.ts';
import { StoreError } from '../errors.ts';
import { createLog, type Log } from '../log.ts';
import { SqliteAdapter } from './sqlite-adapter.ts';
import { copyTo, inTransaction, replaceRows, requireWhole, rewriteRows } from './state-file.ts';
import { createWriteWatch, type WriteProblem } from './write-watch.ts';

/**
 * One kind of record, each row under its own key. Values are plain JSON. Every failure rejects with a StoreError. A row
 * that can't be read is logged once, stays as it is, and counts as absent.
 */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  /** Values in the order of `keys`; `undefined` where there is no row. */
  getMany(keys: readonly string[]): Promise<(T | undefined)[]>;
  /** A row with `ttlMs` expires after that many milliseconds. */
  set(key: string, value: T, ttlMs?: number): Promise<void>;
  /** Writes all rows or none, in one statement. */
  setMany(entries: readonly (readonly [key: string, value: T])[], ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Deletes all rows or none, in one statement. */
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Every row, by key. Rows written or deleted during the iteration may or may not be included; every other row is. */
  entries(): AsyncIterable<[key: string, value: T]>;
  /** Reads the rows whose keys begin with `prefix`, by key. */
  entriesWith(prefix: string): Promise<[key: string, value: T][]>;
}

export interface TableOptions<T> {
  /**
   * Converts a row to a record; returns undefined where the row holds none. `row` is null where the row is not JSON.
   */
  read?: (row: unknown) => T | undefined;
  /** Whether a write, and every write before it, must survive a power cut. */
  isDurable?: boolean;
}

export interface Backend {
  /** The table of that name (letters, digits and underscores), created if it does not exist. */
  table<T>(name: string, options?: TableOptions<T>): Table<T>;
  lease: LeaseCell;
  /** The reason why nothing can be written; null while writes succeed. */
  writeProblem: () => WriteProblem | null;
  /**
   * Copies the state as it is at one moment to a new file, while others read and write. The copy is whole and names no
   * holder of the lease; where it can't be made, there is no file.
   */
  copyTo: (path: string) => Promise<void>;
  /** Rejects where the file is damaged. Reads all of it. */
  verify(): Promise<void>;
  /**
   * Replaces all rows by those of another state's file, the lease excepted: all or none. A table must not be in use
   * meanwhile.
   * @param merged tables that keep their rows, and get only those that they lack
   */
  replaceWith(path: string, merged: readonly string[]): Promise<void>;
  /**
   * Changes rows: all or none.
   * @param changes for each table the new row; the same value where it stays, which is null for one that can't be read
   */
  rewrite(changes: Readonly<Record<string, (row: unknown) => unknown>>): Promise<void>;
  close(): Promise<void>;
}

/** The one text that names the process that may write the state. Every failure rejects with a StoreError. */
export interface LeaseCell {
  /** The text; undefined before the first write. */
  read(): Promise<string | undefined>;
  /** Writes `next` if the text is still exactly `seen`, in one statement. Resolves with false if it is not. */
  replace: (seen: string | undefined, next: string) => Promise<boolean>;
  /**
   * From now on every write to a table of this backend is refused, in its own transaction, unless the text is JSON
   * whose `holder` is this one.
   * @param holder letters, digits and hyphens
   */
  fence(holder: string): Promise<void>;
}

/** Receives the duration of each read and write of a table, in seconds, whether or not it succeeded. */
export type OnOperation = (operation: 'read' | 'write', seconds: number) => void;

/** The methods that a table needs beyond those of a Keyv store. */
type Adapter = KeyvStoreAdapter & { keysWith(prefix: string): Promise<string[]> };

const LEASE = { table: 'lease', key: 'state' };
/** The row is larger than the free room of any page. */
const PROBE = { table: 'probe', key: 'room', bytes: 65_536 };

/**
 * Opens the state at `stateUrl`. Only this function knows which kinds of backends exist.
 * @param stateUrl `sqlite://` and a path, relative to the working folder or absolute
 */
export function openBackend(
  stateUrl: string,
  {
    clock = systemClock,
    log = createLog('silent'),
    onOperation,
  }: { clock?: Clock; log?: Log; onOperation?: OnOperation | undefined } = {},
): Backend {
  if (!stateUrl.startsWith('sqlite://')) {
    throw new StoreError(`The state can't be kept at "${stateUrl}". Use sqlite:// followed by a file path.`);
  }
  const path = stateUrl.slice('sqlite://'.length);
  makeFolderOf(path);
  const connections = new Connections(stateUrl);
  const watch = createWriteWatch({ probe, clock, log });
  let leaseAdapter: Promise<SqliteAdapter> | null = null;
  let probeAdapter: Promise<SqliteAdapter> | null = null;

  async function probe(): Promise<void> {
    probeAdapter ??= connections.open(PROBE.table);
    const adapter = await probeAdapter.catch((error: unknown) => {
      probeAdapter = null;
      throw error;
    });
    await adapter.set(PROBE.key, 'x'.repeat(PROBE.bytes));
    await adapter.delete(PROBE.key);
  }

  function onLease<R>(doing: string, run: (adapter: SqliteAdapter) => Promise<R>): Promise<R> {
    leaseAdapter ??= connections.open(LEASE.table);
    const adapter = leaseAdapter;
    return orStoreError(doing, `the lease of ${path}`, async () => run(await adapter), watch.failed);
  }

  return {
    table: (name, options = {}) =>
      createTable(connections.open(name, options.isDurable), `the table ${name} of ${path}`, {
        ...options,
        onOperation,
        onRefused: watch.failed,
        onUnreadable: (key) => log.error({ table: name, row: key }, 'skipped an unreadable row of the state'),
      }),
    lease: {
      read: () => onLease('read', (adapter) => adapter.get(LEASE.key)),
      replace: (seen, next) => onLease('write', (adapter) => adapter.replace(LEASE.key, seen, next)),
      fence: (name) => onLease('write', () => connections.fence(name)),
    },
    writeProblem: watch.problem,
    copyTo: (copy) =>
      orStoreError('copy', `${path} to ${copy}`, async () => {
        makeFolder(dirname(resolve(copy)));
        await connections.use((connection) => copyTo(connection, copy, LEASE.table));
      }),
    verify: () => orStoreError('check', path, () => connections.use((connection) => requireWhole(connection))),
    replaceWith: (source, merged) =>
      orStoreError('replace the content of', path, () =>
        connections.use(async (connection) => {
          await connection.query('ATTACH ? AS source', source);
          await inTransaction(connection, async () => {
            await connections.requireHeld(connection);
            await replaceRows(connection, 'source', { merged, untouched: [LEASE.table] });
          });
        }),
      ),
    rewrite: (changes) =>
      orStoreError('rewrite', path, () =>
        connections.use((connection) =>
          inTransaction(connection, async () => {
            await connections.requireHeld(connection);
            for (const [table, change] of Object.entries(changes)) await rewriteRows(connection, table, change);
          }),
        ),
      ),
    async close() {
      watch.stop();
      await connections.close();
    },
  };
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

/** The connections to one file, one for each table. */
class Connections {
  readonly #uri: string;
  readonly #adapters: SqliteAdapter[] = [];
  /** The holder that the lease must name for a write to be done; null before `fence`, when every write is done. */
  #holder: string | null = null;
  /** Connections are set up one at a time: two that change the journal mode of a new file at once refuse each other. */
  readonly #opening = new PQueue({ concurrency: 1 });

  constructor(uri: string) {
    this.#uri = uri;
  }

  open(table: string, isDurable = false): Promise<SqliteAdapter> {
    return this.#opening.add(async () => {
      const adapter = new SqliteAdapter({ uri: this.#uri, table, isDurable });
      this.#adapters.push(adapter);
      await adapter.ready;
      if (this.#holder !== null) await refuseUnlessHeld(adapter, this.#holder);
      return adapter;
    });
  }

  /** @param holder letters, digits and hyphens */
  async fence(holder: string): Promise<void> {
    this.#holder = holder;
    for (const adapter of this.#adapters) await refuseUnlessHeld(adapter, holder);
  }

  /** Runs statements on a connection of their own, whose writes wait for the disk. */
  async use<R>(run: (connection: SqliteAdapter) => Promise<R>): Promise<R> {
    const connection = await this.#opening.add(async () => {
      const adapter = new SqliteAdapter({ uri: this.#uri, table: LEASE.table, isDurable: true });
      await adapter.ready;
      return adapter;
    });
    try {
      return await run(connection);
    } finally {
      await connection.close();
    }
  }

  /** Rejects within a transaction where another process has taken the lease over. */
  async requireHeld(connection: SqliteAdapter): Promise<void> {
    if (this.#holder === null) return;
    const rows: unknown[] = await connection.query(heldBy(this.#holder));
    if (rows.length > 0) return;
    throw Object.assign(new Error('the lease is not held'), { code: 'SQLITE_CONSTRAINT' });
  }

  async close(): Promise<void> {
    await this.#opening.onIdle();
    // Connections close one at a time. If two close together, each takes the other for open, and neither moves the log
    // into the file.
    for (const adapter of this.#adapters) {
      // A connection that could not be opened has already rejected its users' calls and has nothing to close.
      await adapter.close().catch(() => undefined);
    }
  }
}

async function refuseUnlessHeld(adapter: SqliteAdapter, holder: string): Promise<void> {
  if (adapter.opts.table === LEASE.table) return;
  await adapter.refuseUnless(heldBy(holder));
}

const heldBy = (holder: string) =>
  `SELECT 1 FROM ${LEASE.table} WHERE key = '${LEASE.key}' AND json_extract(value, '$.holder') = '${holder}'`;

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

/** The meaning of SQLite's result codes to the person who runs the bot (https://www.sqlite.org/rescode.html). */
const REASONS = new Map([
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk failed'],
  ['SQLITE_READONLY', 'the file may not be written'],
  ['SQLITE_CANTOPEN', 'the file can not be opened'],
  ['SQLITE_BUSY', 'another process has kept the file locked for 10 seconds; let it go on, or end it'],
  ['SQLITE_NOTADB', 'the file holds something else than a state, and is left as it is'],
  ['SQLITE_CONSTRAINT', 'another process has taken the state over'],
  [
    'SQLITE_CORRUPT',
    'the file is damaged, and is left as it is: put a copy in its place, or move it away to begin anew',
  ],
]);

const WRITE_PROBLEMS = new Map<string, WriteProblem>([
  ['SQLITE_FULL', 'disk-full'],
  ['SQLITE_IOERR', 'disk-failed'],
  ['SQLITE_READONLY', 'read-only'],
]);

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** Whether an error says that the file is damaged or holds something else than a state. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError && ['SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes(codeOf(error.cause));
}

/** @param onRefused called when the place where the state lies refuses a write */
async function orStoreError<R>(
  doing: string,
  place: string,
  run: () => Promise<R>,
  onRefused?: (problem: WriteProblem) => void,
): Promise<R> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const problem = WRITE_PROBLEMS.get(codeOf(cause));
    if (problem) onRefused?.(problem);
    throw storeErrorOf(doing, place, cause);
  }
}

function storeErrorOf(doing: string, place: string, cause: unknown): StoreError {
  const reason = REASONS.get(codeOf(cause));
  return new StoreError(`Could not ${doing} ${place}${reason === undefined ? '' : `: ${reason}`}.`, { cause });
}

export interface CreateTableOptions<T> extends TableOptions<T> {
  onOperation?: OnOperation | undefined;
  /** Called for each write that the place where the state lies refuses. */
  onRefused?: (problem: WriteProblem) => void;
  /** Called once for each row that can't be read. */
  onUnreadable?: (key: string) => void;
}

/** A table on an adapter that may still be opening. `place` names it in errors. */
export function createTable<T>(
  adapter: Promise<Adapter>,
  place: string,
  { read = anyRow, onOperation, onRefused, onUnreadable }: CreateTableOptions<T> = {},
): Table<T> {
  const opened = adapter.then((store) => {
    // Without throwOnErrors a failing read would look like "there is no such row", which here means "never announced".
    const keyv = readingAnything(new Keyv<unknown>({ store, useKeyPrefix: false, throwOnErrors: true }));
    // Errors reach the caller as rejections; an "error" event without a listener would end the process.
    keyv.on('error', () => undefined);
    return keyv;
  });
  // The first use of the table rejects with the reason; before that no caller listens.
  opened.catch(() => undefined);
  const recordOf = createRowReader(read, onUnreadable);

  function attempt<R>(doing: string, run: (keyv: Keyv<unknown>) => Promise<R>): Promise<R> {
    return timed('read', () => orStoreError(doing, place, async () => run(await opened)));
  }

  async function write(doing: string, run: (keyv: Keyv<unknown>) => Promise<unknown>): Promise<void> {
    await timed('write', () => orStoreError(doing, place, async () => run(await opened), onRefused));
  }

  function timed<R>(operation: 'read' | 'write', run: () => Promise<R>): Promise<R> {
    if (!onOperation) return run();
    const startedMs = performance.now();
    return run().finally(() => onOperation(operation, (performance.now() - startedMs) / 1000));
  }

  return {
    get: (key) => attempt('read', async (keyv) => recordOf(key, await keyv.get(key))),
    getMany: (keys) =>
      attempt('read', async (keyv) => {
        const rows = await keyv.getMany([...keys]);
        return rows.map((row, index) => recordOf(keys[index] ?? '', row));
      }),
    async set(key, value, ttlMs) {
      await write('write', (keyv) => keyv.set(key, value, ttlMs));
    },
    async setMany(entries, ttlMs) {
      if (entries.length === 0) return;
      await write('write', (keyv) =>
        keyv.setMany(
          entries.map(([key, value]) => (ttlMs === undefined ? { key, value } : { key, value, ttl: ttlMs })),
        ),
      );
    },
    async delete(key) {
      await write('delete from', (keyv) => keyv.delete(key));
    },
    async deleteMany(keys) {
      if (keys.length === 0) return;
      await write('delete from', (keyv) => keyv.deleteMany([...keys]));
    },
    async *entries() {
      try {
        const rows = (await opened).iterator?.(undefined) ?? [];
        for await (const [key, row] of rows) {
          const record = recordOf(key, row);
          if (record !== undefined) yield [key, record];
        }
      } catch (cause) {
        throw storeErrorOf('read', place, cause);
      }
    },
    entriesWith: (prefix) =>
      attempt('read', async (keyv) => {
        const keys = await (await adapter).keysWith(prefix);
        const rows = await keyv.getMany(keys);
        return keys.flatMap((key, index) => {
          const record = recordOf(key, rows[index]);
          return record === undefined ? [] : [[key, record] as [string, T]];
        });
      }),
  };
}

/** Reads rows, and reports each row that can't be read once. */
function createRowReader<T>(read: (row: unknown) => T | undefined, onUnreadable?: (key: string) => void) {
  const unreadable = new Set<string>();
  return (key: string, row: unknown): T | undefined => {
    if (row === undefined) return undefined;
    const record = read(row);
    if (record === undefined && !unreadable.has(key)) {
      unreadable.add(key);
      onUnreadable?.(key);
    }
    return record;
  };
}

function anyRow<T>(row: unknown): T | undefined {
  return row === null ? undefined : (row as T);
}

/** Makes `keyv` read a row that is not JSON, or not as Keyv writes it, as one that holds null. */
function readingAnything(keyv: Keyv<unknown>): Keyv<unknown> {
  const { deserialize } = keyv;
  keyv.deserialize = <Value>(text: string): DeserializedData<Value> => {
    try {
      const data: unknown = deserialize?.(text);
      if (typeof data === 'object' && data !== null && 'value' in data) return data as DeserializedData<Value>;
    } catch {
      // The row was damaged by hand or by another program.
    }
    return { value: null as Value, expires: undefined };
  };
  return keyv;
}
