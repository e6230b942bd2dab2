import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { WriteProblem } from './write-watch.ts';

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
  /** As `entries`, in lists: a million rows one at a time would wait a second for nothing. */
  pages(): AsyncIterable<[key: string, value: T][]>;
  /** Reads the rows whose keys begin with `prefix`, by key. */
  entriesWith(prefix: string): Promise<[key: string, value: T][]>;
}

export interface TableOptions<T> {
  /**
   * Converts a row to a record; returns undefined where the row holds none. `row` is null where the row is not JSON.
   */
  read?: (row: unknown) => T | undefined;
  /** Converts a record to its row; without it, the record is the row. */
  write?: (record: T) => unknown;
  /** Whether a write, and every write before it, must survive a power cut. */
  isDurable?: boolean;
}

export interface Backend {
  /** The table of that name (letters, digits and underscores), created if it does not exist. */
  table<T>(name: string, options?: TableOptions<T>): Table<T>;
  lease: LeaseCell;
  /** The rows as they are stored, for a copy into another state. */
  raw: RawRows;
  /** The reason why nothing can be written; null while writes succeed. */
  writeProblem: () => WriteProblem | null;
  /**
   * Copies the state as it is at one moment to a new file, while others read and write. The copy is whole and names no
   * holder of the lease; where it can't be made, there is no file. Rejects where the state is in no file, as do `verify`
   * and `replaceWith`.
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
  /** Writes and deletes rows of one table: all or none, and on the disk. No key is in both. */
  change(table: string, rows: RowChanges): Promise<void>;
  close(): Promise<void>;
}

export interface RowChanges {
  set: readonly (readonly [key: string, value: unknown])[];
  deleted: readonly string[];
}

/** A row as it is stored: `value` is what Keyv makes of the record. */
export interface RawRow {
  key: string;
  value: string;
}

/** The rows of all tables but the lease's, as they are stored. Every failure rejects with a StoreError. */
export interface RawRows {
  tables(): Promise<string[]>;
  /** The rows of a table, by key. */
  rows(table: string): AsyncIterable<RawRow>;
  /** Writes rows into a table, which is created if it does not exist; all or none. */
  write(table: string, rows: readonly RawRow[]): Promise<void>;
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
  /**
   * Takes the lock that a database keeps for this process's connection, and frees by itself when the connection ends or
   * is silent for 15 seconds after `fence`. Resolves with whether this process has it. null where there is none: there
   * only the text tells whether its writer lives.
   */
  lock: (() => Promise<boolean>) | null;
}

/** Receives the duration of each read and write of a table, in seconds, whether or not it succeeded. */
export type OnOperation = (operation: 'read' | 'write', seconds: number) => void;

export interface BackendParts {
  clock: Clock;
  /** The clock of waits for a database, which take as long as they take, whatever time the bot goes by. */
  networkClock: Clock;
  log: Log;
  onOperation: OnOperation | undefined;
}

/** The table of the lease, and the key of its only row. */
export const LEASE = { table: 'lease', key: 'state' } as const;
