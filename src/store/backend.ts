import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Keyv, { type KeyvStoreAdapter } from 'keyv';
import { StoreError } from '../errors.ts';
import { withPlainJson } from './plain-json.ts';
import { SqliteAdapter } from './sqlite-adapter.ts';

/** One kind of record, each row under its own key. Values are plain JSON. Everything rejects with a StoreError. */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  /** In the order of `keys`; `undefined` where there is no row. */
  getMany(keys: readonly string[]): Promise<(T | undefined)[]>;
  /** A row with `ttlMs` is gone after that time. */
  set(key: string, value: T, ttlMs?: number): Promise<void>;
  /** All or nothing, in one statement. */
  setMany(entries: readonly (readonly [key: string, value: T])[], ttlMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** All or nothing, in one statement. */
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Every row, by key. Rows that are written or deleted meanwhile may or may not be seen; no other is left out. */
  entries(): AsyncIterable<[key: string, value: T]>;
  /** The rows whose keys begin with `prefix`, by key. */
  entriesWith(prefix: string): Promise<[key: string, value: T][]>;
}

export interface Backend {
  /** The table of that name: letters, digits and underscores. It is made when it is not there. */
  table<T>(name: string): Table<T>;
  close(): Promise<void>;
}

/** What a table needs of a backend beyond what Keyv does. */
type Adapter = KeyvStoreAdapter & { keysWith(prefix: string): Promise<string[]> };

/**
 * Opens the state at `stateUrl`. This is the only place that knows which backends there are.
 * @param stateUrl `sqlite://` and a path, relative to the working folder or absolute
 */
export function openBackend(stateUrl: string): Backend {
  if (!stateUrl.startsWith('sqlite://')) {
    throw new StoreError(`The state cannot be kept at "${stateUrl}": use sqlite:// and a path.`);
  }
  const path = stateUrl.slice('sqlite://'.length);
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (cause) {
    throw new StoreError(`The folder of the state file ${path} cannot be made.`, { cause });
  }
  const adapters: SqliteAdapter[] = [];
  // One connection is set up after another: two that change the journal mode of a new file refuse each other.
  let opening: Promise<unknown> = Promise.resolve();

  async function openAdapter(table: string): Promise<Adapter> {
    const adapter = new SqliteAdapter({ uri: stateUrl, table });
    adapters.push(adapter);
    await adapter.ready;
    return adapter;
  }

  return {
    table(name) {
      const adapter = opening.then(() => openAdapter(name));
      opening = adapter.catch(() => undefined);
      return createTable(adapter, `the table ${name} of ${path}`);
    },
    async close() {
      await opening;
      // One after another: of two that close together, each takes the other for open, and nobody moves the log into the file.
      for (const adapter of adapters) {
        // One that could not be opened has told those who use it, and has nothing to close.
        await adapter.close().catch(() => undefined);
      }
    },
  };
}

/** What SQLite's refusals mean to whoever runs the bot (https://www.sqlite.org/rescode.html). */
const REASONS = new Map([
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk failed'],
  ['SQLITE_READONLY', 'the file may not be written'],
  ['SQLITE_CANTOPEN', 'the file can not be opened'],
  ['SQLITE_NOTADB', 'the file holds something else than a state, and is left as it is'],
  [
    'SQLITE_CORRUPT',
    'the file is damaged, and is left as it is: put a copy in its place, or move it away to begin anew',
  ],
]);

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = REASONS.get(code);
  return reason === undefined ? '' : `: ${reason}`;
}

/** A table on an adapter that may still be opening. `place` names it in errors. */
export function createTable<T>(adapter: Promise<Adapter>, place: string): Table<T> {
  const opened = adapter.then((store) => {
    // Without throwOnErrors a failing read would look like "there is no such row", which here means "never announced".
    const keyv = withPlainJson(new Keyv<T>({ store, useKeyPrefix: false, throwOnErrors: true }));
    // Errors reach whoever made the call; an "error" event without a listener would end the process.
    keyv.on('error', () => undefined);
    return keyv;
  });
  // Whoever uses the table first gets the reason; until then nobody is there to be told.
  opened.catch(() => undefined);

  async function attempt<R>(doing: string, run: (keyv: Keyv<T>) => Promise<R>): Promise<R> {
    try {
      return await run(await opened);
    } catch (cause) {
      throw new StoreError(`Could not ${doing} ${place}${reasonOf(cause)}.`, { cause });
    }
  }

  return {
    get: (key) => attempt('read', (keyv) => keyv.get<T>(key)),
    getMany: (keys) => attempt('read', (keyv) => keyv.getMany<T>([...keys])),
    async set(key, value, ttlMs) {
      await attempt('write', (keyv) => keyv.set(key, value, ttlMs));
    },
    async setMany(entries, ttlMs) {
      if (entries.length === 0) return;
      await attempt('write', (keyv) =>
        keyv.setMany(
          entries.map(([key, value]) => (ttlMs === undefined ? { key, value } : { key, value, ttl: ttlMs })),
        ),
      );
    },
    async delete(key) {
      await attempt('delete from', (keyv) => keyv.delete(key));
    },
    async deleteMany(keys) {
      if (keys.length === 0) return;
      await attempt('delete from', (keyv) => keyv.deleteMany([...keys]));
    },
    async *entries() {
      try {
        const rows = (await opened).iterator?.(undefined) ?? [];
        for await (const [key, value] of rows) yield [key, value];
      } catch (cause) {
        throw new StoreError(`Could not read ${place}${reasonOf(cause)}.`, { cause });
      }
    },
    entriesWith: (prefix) =>
      attempt('read', async (keyv) => {
        const keys = await (await adapter).keysWith(prefix);
        const values = await keyv.getMany<T>(keys);
        return keys.flatMap((key, index) => {
          const value = values[index];
          return value === undefined ? [] : [[key, value] as [string, T]];
        });
      }),
  };
}
