import { statSync } from 'node:fs';
import { StoreError } from '../../shared/errors.ts';
import { systemProblem } from '../../shared/system-errors.ts';

/** The schema of a state whose address names none. */
const SCHEMA = 'dealbell';

/** What follows a file's name in those of the files that SQLite keeps: the file itself, its log, and the log's index. */
export const ENDINGS = ['', '-wal', '-shm'];
/** The ending of a copy's name while it is being made. */
export const PARTIAL = '.partial';
/** The modes of files and folders that only their owner reads and writes. */
export const OWNERS_FILE = 0o600;
export const OWNERS_FOLDER = 0o700;

/** The parts of the address of a state on PostgreSQL. */
export interface PostgresPlace {
  /** The address for the library, with the password. */
  url: string;
  /** The schema that holds the tables; several bots can share a database, each with its own. */
  schema: string;
  /** The place as people are shown it: host, database and schema, never the password. */
  label: string;
}

/** The addresses that a state can have, for people. */
export const STATE_ADDRESSES =
  'sqlite:// followed by a file path, or postgres:// followed by a user, a host and a database, as postgres://dealbell@localhost/dealbell';

const isOnPostgres = (stateUrl: string) => /^postgres(ql)?:\/\//.test(stateUrl);

/** Whether the state at this address is on a database server, and in no file that the bot can copy. */
export const isOnServer = (stateUrl: string) => isOnPostgres(stateUrl);

/** Whether a state can have this address: see `STATE_ADDRESSES`. */
export function isStateUrl(stateUrl: string): boolean {
  if (!isOnPostgres(stateUrl)) return /^sqlite:\/\/(?!:memory:).+/.test(stateUrl);
  try {
    return postgresPlace(stateUrl).url !== '';
  } catch {
    return false;
  }
}

/**
 * @param stateUrl `postgres://user:password@host:port/database`, with what the library takes as parameters, and `schema`
 * @throws StoreError where it is none
 */
export function postgresPlace(stateUrl: string): PostgresPlace {
  const url = isOnPostgres(stateUrl) && URL.canParse(stateUrl) ? new URL(stateUrl) : null;
  const schema = url?.searchParams.get('schema') ?? SCHEMA;
  if (!url || url.hostname === '' || !/^\/[^/]+$/.test(url.pathname) || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    // The address is not repeated: it may hold a password.
    throw new StoreError('The address of a PostgreSQL state is postgres://user@host:5432/database, and ?schema=name.');
  }
  url.searchParams.delete('schema');
  const database = decodeURIComponent(url.pathname.slice(1));
  return { url: url.href, schema, label: `${url.host}/${database}${schema === SCHEMA ? '' : `, schema ${schema}`}` };
}

/** Whether a file or folder exists. @throws StoreError where this user may not know */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    throw new StoreError(systemProblem(cause) ?? `${path} can't be read.`);
  }
}

/** @throws StoreError where the state is in no file, with what is used for its backups */
export function requireFileState(stateUrl: string): void {
  if (!isOnServer(stateUrl)) return;
  throw new StoreError(
    `${placeOf(stateUrl)} isn't a file. Use pg_dump and pg_restore for backups of a PostgreSQL database.`,
  );
}

/** Where a state is, for people: a file's path, or a database without the password. */
export function placeOf(stateUrl: string): string {
  return isOnPostgres(stateUrl) ? postgresPlace(stateUrl).label : stateUrl.replace(/^sqlite:\/\//, '');
}
