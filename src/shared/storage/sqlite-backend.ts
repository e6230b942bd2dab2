import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import PQueue from 'p-queue';
import { StoreError } from '../errors.ts';
import { type Backend, type BackendParts, LEASE } from './contract.ts';
import { SqliteAdapter } from './sqlite-adapter.ts';
import { changeRows, copyTo, inTransaction, replaceRows, requireWhole, rewriteRows, tablesOf } from './state-file.ts';
import { orStoreError } from './store-errors.ts';
import { createRawRows, createTable, storedRows } from './table.ts';
import { createWriteWatch, type WriteProblem } from './write-watch.ts';

/** The row is larger than the free room of any page. */
const PROBE = { table: 'probe', key: 'room', bytes: 65_536 };

/** @param stateUrl `sqlite://` and a path, relative to the working folder or absolute */
export function openSqliteBackend(stateUrl: string, { clock, log, onOperation }: BackendParts): Backend {
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
    table(name, options = {}) {
      const opened = connections.open(name, options.isDurable);
      return createTable(() => opened, `the table ${name} of ${path}`, {
        ...options,
        onOperation,
        onRefused: watch.failed,
        onUnreadable: (key) => log.error({ table: name, row: key }, 'skipped an unreadable row of the state'),
      });
    },
    lease: {
      read: () => onLease('read', (adapter) => adapter.get(LEASE.key)),
      replace: (seen, next) => onLease('write', (adapter) => adapter.replace(LEASE.key, seen, next)),
      fence: (name) => onLease('write', () => connections.fence(name)),
      lock: null,
    },
    raw: createRawRows(path, {
      open: (name) => connections.open(name, true),
      tables: async () => {
        const names = await connections.use((connection) => tablesOf(connection, 'main'));
        return names.filter((name) => name !== LEASE.table);
      },
    }),
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
    change: changing(connections, path, watch.failed),
    async close() {
      watch.stop();
      await connections.close();
    },
  };
}

function changing(
  connections: Connections,
  path: string,
  onRefused: (problem: WriteProblem) => void,
): Backend['change'] {
  return (table, { set, deleted }) =>
    orStoreError(
      'write',
      `the table ${table} of ${path}`,
      async () => {
        const rows = { set: await storedRows(set), deleted };
        await connections.use((connection) =>
          inTransaction(connection, async () => {
            await connections.requireHeld(connection);
            await changeRows(connection, table, rows);
          }),
        );
      },
      onRefused,
    );
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
