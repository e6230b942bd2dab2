import type { KeyvStoreAdapter } from 'keyv';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { WriteProblem } from './write-watch.ts';

/**
 * Where a state lies: one table of rows, over one connection. Rows are as Keyv stores them, under the key `kind:key`.
 * Every failure rejects with a StoreError.
 */
export interface Backend {
  /** The place for people: a file's path, or a database without the password. */
  label: string;
  /** Reads single rows. Nothing is written through it: a commit is more than it can do. */
  keyv: KeyvStoreAdapter;
  /** The next rows whose keys come after `after` and before `before`, by key; an empty list at the end. */
  page(after: string, before: string): Promise<RawRow[]>;
  /** All rows whose keys begin with any of these, by key. */
  under(starts: readonly string[]): Promise<RawRow[]>;
  /**
   * Writes rows, and deletes those whose text is null: all or none, on the disk, in one transaction that checks that
   * this process holds the lease.
   */
  write(rows: ReadonlyMap<string, string | null>): Promise<void>;
  lease: LeaseCell;
  /** The reason why nothing can be written; null while writes succeed. */
  writeProblem: () => WriteProblem | null;
  /** Whether the place holds anything that is not of this form of state. */
  isForeign(): Promise<boolean>;
  /**
   * Copies the state as it is at one moment to a new file, while others read and write. The copy is whole and names no
   * holder of the lease; where it can't be made, there is no file. Rejects where the state is in no file, as do `verify`
   * and `replaceWith`.
   */
  copyTo(path: string): Promise<void>;
  /** Rejects where the file is damaged. Reads all of it. */
  verify(): Promise<void>;
  /**
   * Replaces all rows by those of another state's file, the lease excepted: all or none. Nothing may be in memory of
   * them meanwhile.
   * @param merged names of kinds that keep their rows, and get only those that they lack
   */
  replaceWith(path: string, merged: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** A row as it is stored: `value` is what Keyv makes of the record. */
export interface RawRow {
  key: string;
  value: string;
}

/** The one text that names the process that may write the state. Every failure rejects with a StoreError. */
export interface LeaseCell {
  /** The text; undefined before the first write. */
  read(): Promise<string | undefined>;
  /** Writes `next` if the text is still exactly `seen`, in one statement. Resolves with false if it is not. */
  replace: (seen: string | undefined, next: string) => Promise<boolean>;
  /**
   * From now on every write of this backend is refused, in its own transaction, unless the text is JSON whose `holder`
   * is this one.
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

export interface BackendParts {
  clock: Clock;
  /** The clock of waits for a database, which take as long as they take, whatever time the bot goes by. */
  networkClock: Clock;
  log: Log;
}

/** Comes after every character that a key may hold. */
export const LAST = '\u{10FFFF}';
/** The table of a state, and the keys of rows that are no records. */
export const TABLE = 'state';
export const LEASE_KEY = 'lease';
/** A row that needs more room than any page has free tells whether a full disk has room again. */
export const PROBE = { key: 'probe', value: JSON.stringify({ value: 'x'.repeat(65_536) }) };
