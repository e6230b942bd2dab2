import Keyv, { type DeserializedData, type KeyvStoreAdapter } from 'keyv';
import type { OnOperation, RawRow, RawRows, Table, TableOptions } from './contract.ts';
import { orStoreError, storeErrorOf } from './store-errors.ts';
import type { WriteProblem } from './write-watch.ts';

/** The methods that a table needs beyond those of a Keyv store. */
type Adapter = KeyvStoreAdapter & {
  rows(): AsyncIterable<readonly RawRow[]>;
  keysWith(prefix: string): Promise<string[]>;
};
/** The methods that copy rows as they are stored. */
interface RawAdapter extends Pick<Adapter, 'rows'> {
  setMany(rows: readonly RawRow[]): Promise<void>;
}

export interface CreateTableOptions<T> extends TableOptions<T> {
  onOperation?: OnOperation | undefined;
  /** Called for each write that the place where the state lies refuses. */
  onRefused?: (problem: WriteProblem) => void;
  /** Called once for each row that can't be read. */
  onUnreadable?: (key: string) => void;
}

/**
 * @param open opens the table's adapter; called again after it has rejected
 * @param place names the table in errors
 */
export function createTable<T>(
  open: () => Promise<Adapter>,
  place: string,
  { read = anyRow, write: rowOf = anyRecord, onOperation, onRefused, onUnreadable }: CreateTableOptions<T> = {},
): Table<T> {
  const opened = openedBy(open);
  // The first use of the table rejects with the reason; before that no caller listens.
  opened().catch(() => undefined);
  const recordOf = createRowReader(read, onUnreadable);

  function attempt<R>(doing: string, run: (keyv: Keyv<unknown>) => Promise<R>): Promise<R> {
    return timed('read', () => orStoreError(doing, place, async () => run((await opened()).keyv)));
  }

  async function write(doing: string, run: (keyv: Keyv<unknown>) => Promise<unknown>): Promise<void> {
    await timed('write', () => orStoreError(doing, place, async () => run((await opened()).keyv), onRefused));
  }

  function timed<R>(operation: 'read' | 'write', run: () => Promise<R>): Promise<R> {
    if (!onOperation) return run();
    const startedMs = performance.now();
    return run().finally(() => onOperation(operation, (performance.now() - startedMs) / 1000));
  }

  const pages = () => pagesOf(opened, recordOf, place);

  return {
    get: (key) => attempt('read', async (keyv) => recordOf(key, await keyv.get(key))),
    getMany: (keys) =>
      attempt('read', async (keyv) => {
        const rows = await keyv.getMany([...keys]);
        return rows.map((row, index) => recordOf(keys[index] ?? '', row));
      }),
    async set(key, value, ttlMs) {
      await write('write', (keyv) => keyv.set(key, rowOf(value), ttlMs));
    },
    async setMany(entries, ttlMs) {
      if (entries.length === 0) return;
      await write('write', (keyv) =>
        keyv.setMany(
          entries.map(([key, record]) => ({ key, value: rowOf(record), ...(ttlMs !== undefined && { ttl: ttlMs }) })),
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
      for await (const page of pages()) yield* page;
    },
    pages,
    entriesWith: (prefix) =>
      attempt('read', async (keyv) => {
        const { adapter } = await opened();
        const keys = await adapter.keysWith(prefix);
        const rows = await keyv.getMany(keys);
        return keys.flatMap((key, index) => {
          const record = recordOf(key, rows[index]);
          return record === undefined ? [] : [[key, record] as [string, T]];
        });
      }),
  };
}

async function* pagesOf<T>(
  opened: () => Promise<Opened>,
  recordOf: (key: string, row: unknown) => T | undefined,
  place: string,
): AsyncGenerator<[key: string, value: T][]> {
  try {
    const { adapter } = await opened();
    // Keyv's own iterator waits several times for each row.
    for await (const rows of adapter.rows()) {
      const page: [string, T][] = [];
      for (const { key, value } of rows) {
        const { value: row, expires = Number.POSITIVE_INFINITY } = deserialized(value);
        const record = recordOf(key, Date.now() > expires ? undefined : row);
        if (record !== undefined) page.push([key, record]);
      }
      yield page;
    }
  } catch (cause) {
    throw storeErrorOf('read', place, cause);
  }
}

interface Opened {
  adapter: Adapter;
  keyv: Keyv<unknown>;
}

/** Opens the adapter once, and again after it could not be opened. */
function openedBy(open: () => Promise<Adapter>): () => Promise<Opened> {
  let opening: Promise<Opened> | null = null;
  return () => {
    opening ??= open().then(
      (adapter) => ({ adapter, keyv: keyvOf(adapter) }),
      (error: unknown) => {
        opening = null;
        throw error;
      },
    );
    return opening;
  };
}

function keyvOf(store: Adapter): Keyv<unknown> {
  // Without throwOnErrors a failing read would look like "there is no such row", which here means "never announced".
  const keyv = new Keyv<unknown>({ store, useKeyPrefix: false, throwOnErrors: true });
  keyv.deserialize = deserialized;
  // Errors reach the caller as rejections; an "error" event without a listener would end the process.
  keyv.on('error', () => undefined);
  return keyv;
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

const anyRecord = (record: unknown): unknown => record;

function anyRow<T>(row: unknown): T | undefined {
  return row === null ? undefined : (row as T);
}

/** A value that begins with a colon, which Keyv writes with another one. Only for these it looks at every value. */
const WITH_COLON = /[:[,]\s*":/;

const { serialize, deserialize } = new Keyv();

/** A stored row. One that is not JSON, or not as Keyv writes it, reads as one that holds null. */
function deserialized<Value>(text: string): DeserializedData<Value> {
  try {
    const data: unknown = WITH_COLON.test(text) ? deserialize?.(text) : JSON.parse(text);
    if (typeof data === 'object' && data !== null && 'value' in data) return data as DeserializedData<Value>;
  } catch {
    // The row was damaged by hand or by another program.
  }
  return { value: null as Value, expires: undefined };
}

/** @param place names the state in errors */
export function createRawRows(
  place: string,
  { open, tables }: { open: (table: string) => Promise<RawAdapter>; tables: () => Promise<string[]> },
): RawRows {
  const placeOf = (table: string) => `the table ${table} of ${place}`;
  return {
    tables: () => orStoreError('read', place, tables),
    async *rows(table) {
      try {
        for await (const rows of (await open(table)).rows()) yield* rows;
      } catch (cause) {
        throw storeErrorOf('read', placeOf(table), cause);
      }
    },
    write: (table, rows) => orStoreError('write', placeOf(table), async () => (await open(table)).setMany(rows)),
  };
}

/** Rows as Keyv stores them. */
export async function storedRows(entries: readonly (readonly [key: string, value: unknown])[]): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for (const [key, value] of entries) rows.push({ key, value: String(await serialize?.({ value })) });
  return rows;
}
