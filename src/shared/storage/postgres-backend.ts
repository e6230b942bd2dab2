import { type Backend, type BackendParts, LEASE, type RowChanges } from './contract.ts';
import { PostgresAdapter } from './postgres-adapter.ts';
import { PostgresSession } from './postgres-session.ts';
import { changeTable, createIfMissing, rewriteTable, tableNames } from './postgres-tables.ts';
import { postgresPlace, requireFileState } from './state-place.ts';
import { orStoreError } from './store-errors.ts';
import { createRawRows, createTable, storedRows } from './table.ts';
import { createWriteWatch, type WriteProblem } from './write-watch.ts';

/** The row is larger than the free room of any page. */
const PROBE = { table: 'probe', key: 'room', bytes: 65_536 };
/**
 * The longest silence of a holder, by the database's clock: after it the database ends the connection, which frees the
 * lock. A holder writes every 1.5 s. Milliseconds.
 */
const SILENCE_MS = 15_000;

/**
 * All tables of a state are in one schema, and all statements go over one connection.
 * @param stateUrl `postgres://` and what the library takes, and `schema` for another schema than `dealbell`
 */
export function openPostgresBackend(
  stateUrl: string,
  { clock, networkClock, log, onOperation }: BackendParts,
): Backend {
  const { url, schema, label } = postgresPlace(stateUrl);
  const watch = createWriteWatch({ probe, clock, log });
  const session = new PostgresSession({ url, clock: networkClock, log, onAway: () => watch.failed('unreachable') });
  const open = tablesOf(session, schema);

  async function probe(): Promise<void> {
    const adapter = await open(PROBE.table);
    await adapter.set(PROBE.key, 'x'.repeat(PROBE.bytes));
    await adapter.delete(PROBE.key);
  }

  function onLease<R>(doing: string, run: (adapter: PostgresAdapter) => Promise<R>): Promise<R> {
    return orStoreError(doing, `the lease of ${label}`, async () => run(await open(LEASE.table)), watch.failed);
  }

  // In one statement: where the network falls apart after it, the database still ends the connection.
  const lockSql = `SELECT set_config('idle_session_timeout', '${SILENCE_MS}', false),
    pg_try_advisory_lock(hashtextextended('dealbell ${schema}', 0)) AS is_held`;
  const inFile = async () => requireFileState(stateUrl);

  return {
    table: (name, options = {}) =>
      createTable(() => open(name), `the table ${name} of ${label}`, {
        ...options,
        onOperation,
        onRefused: watch.failed,
        onUnreadable: (key) => log.error({ table: name, row: key }, 'skipped an unreadable row of the state'),
      }),
    lease: {
      read: () => onLease('read', (adapter) => adapter.get(LEASE.key)),
      replace: (seen, next) => onLease('write', (adapter) => adapter.replace(LEASE.key, seen, next)),
      fence: (holder) =>
        onLease('write', () =>
          session.prepare(
            `SET dealbell.holder = '${holder}'; SET idle_session_timeout = ${SILENCE_MS};
             SET idle_in_transaction_session_timeout = ${SILENCE_MS}`,
          ),
        ),
      lock: () =>
        onLease('take', async () => {
          const [answer] = await session.query(lockSql);
          if (answer?.['is_held'] !== true) return false;
          await session.prepare(lockSql);
          return true;
        }),
    },
    raw: createRawRows(label, {
      open,
      tables: async () => (await tableNames(session.query, schema)).filter((name) => name !== LEASE.table),
    }),
    writeProblem: watch.problem,
    copyTo: inFile,
    verify: inFile,
    replaceWith: inFile,
    rewrite: (changes) =>
      orStoreError('rewrite', label, () =>
        session.transaction(async (query) => {
          for (const [table, change] of Object.entries(changes)) await rewriteTable(query, { schema, table }, change);
        }),
      ),
    change: (table, rows) => changed(session, { schema, table }, rows, { label, onRefused: watch.failed }),
    async close() {
      watch.stop();
      await session.close();
    },
  };
}

async function changed(
  session: PostgresSession,
  place: { schema: string; table: string },
  { set, deleted }: RowChanges,
  { label, onRefused }: { label: string; onRefused: (problem: WriteProblem) => void },
): Promise<void> {
  const rows = { set: await storedRows(set), deleted };
  const run = () => changeTable(session.query, place, rows);
  await orStoreError('write', `the table ${place.table} of ${label}`, run, onRefused);
}

/** Opens tables, each once; one that could not be opened is tried again at the next call. */
function tablesOf(session: PostgresSession, schema: string): (table: string) => Promise<PostgresAdapter> {
  const adapters = new Map<string, Promise<PostgresAdapter>>();
  async function create(table: string): Promise<PostgresAdapter> {
    await createIfMissing(session.query, { schema, table });
    return new PostgresAdapter({ schema, table, session });
  }
  return (table) => {
    const opened = adapters.get(table) ?? create(table);
    adapters.set(table, opened);
    opened.catch(() => adapters.delete(table));
    return opened;
  };
}
