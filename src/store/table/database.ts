import type { KeyvStoreAdapter } from 'keyv';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';

/** The table of a state, and the keys of rows that are no records. */
export const TABLE = 'state';
export const LEASE_KEY = 'lease';
/** The row in which a process that stands by says what it reaches. */
export const STANDBY_KEY = 'standby';
/** A row that needs more room than any page has free tells whether a full disk has room again. */
export const PROBE = { key: 'probe', value: JSON.stringify({ value: 'x'.repeat(65_536) }) };
/** Keys of rows that are neither records nor copied. */
export const NO_RECORDS: readonly string[] = [LEASE_KEY, STANDBY_KEY, PROBE.key];
/** Rows that one statement reads. */
export const PAGE_ROWS = 500;
/** Comes after every character that a key may hold. */
export const LAST = '\u{10FFFF}';

/** A row as it is stored: `value` is what Keyv makes of the record. */
export interface RawRow {
  key: string;
  value: string;
}

/** The texts of rows to be written by their keys; null for those to be deleted. */
export type RowChanges = ReadonlyMap<string, string | null>;

/** Runs one statement, whose values are `$1`, `$2`, … and appear in this order. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<Readonly<Record<string, unknown>>[]>;

/**
 * What a kind of database does in a way of its own: one table of the columns `key` and `value`, whose keys sort byte by
 * byte, over one connection. Failures reject with the database's own errors.
 */
export interface Database {
  /** The place for people: a file's path, or a database without the password. */
  label: string;
  /** The table's name in statements. */
  table: string;
  /** Reads single rows, by `getMany`. Nothing is written through it: a commit is more than it can do. */
  keyv: KeyvStoreAdapter;
  query: Query;
  /** All rows whose keys begin with any of these, by key. */
  under(starts: readonly string[]): ReturnType<Query>;
  /**
   * Writes rows: all or none, on the disk, in one transaction that checks that the lease names `holder`, unless that is
   * null.
   */
  write(rows: RowChanges, holder: string | null): Promise<void>;
  /**
   * Leaves nothing on the disk of what has been overwritten or deleted, as far as this can be done from here: a database
   * server does it when it cleans up.
   */
  scrub(): Promise<void>;
  /** See `LeaseCell.lock`. */
  lock: (() => Promise<boolean>) | null;
  /** Whether the place holds anything that is not of this form of state. */
  isForeign(): Promise<boolean>;
  file: StateFile;
  /** Ends the connection. Does nothing where it never came about. */
  end(): Promise<void>;
}

/** What can be done with the file of a state: see `Backend`. All of it rejects where the state is in no file. */
interface StateFile {
  copyTo(path: string): Promise<void>;
  verify(): Promise<void>;
  replaceWith(path: string, merged: readonly string[], holder: string | null): Promise<void>;
}

export interface BackendParts {
  clock: Clock;
  /** The clock of waits for a database, which take as long as they take, whatever time the bot goes by. */
  networkClock: Clock;
  log: Log;
  /** Called with true whenever the database can't be reached, and with false when it is again. */
  onAway?: ((isAway: boolean) => void) | undefined;
  /** Whether what is asked of the database now waits for as long as that can't be reached. Absent: for 15 s at most. */
  isPatient?: (() => boolean) | undefined;
}

/** What opens a kind of database. */
export type OpenDatabase = (
  stateUrl: string,
  parts: Pick<BackendParts, 'networkClock' | 'log' | 'isPatient'> & { onAway: (isAway: boolean) => void },
) => Database;
