import { StoreError } from '../../shared/errors.ts';
import type { WriteProblem } from './write-watch.ts';

/** PostgreSQL's error code of a write without the lease: our own, from the classes that are left to applications. */
export const NOT_HELD = 'DB001';
/** Code of a statement that the database could not be asked, or has not answered. */
export const UNREACHABLE = 'DATABASE_UNREACHABLE';

/**
 * The meaning of a database's error codes to the person who runs the bot.
 * @see https://www.sqlite.org/rescode.html
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
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
  [NOT_HELD, 'another process has taken the state over'],
  [UNREACHABLE, "the database can't be reached"],
  ['53100', "the database's disk is full"],
  ['25006', 'the database takes no writes'],
  ['57014', 'the database took longer than 10 seconds'],
  ['28P01', 'the database refuses the user or the password'],
  ['28000', 'the database refuses the user'],
  ['3D000', 'there is no such database'],
  ['42501', 'the database allows its user too little'],
]);

const WRITE_PROBLEMS = new Map<string, WriteProblem>([
  ['SQLITE_FULL', 'disk-full'],
  ['SQLITE_IOERR', 'disk-failed'],
  ['SQLITE_READONLY', 'read-only'],
  ['53100', 'disk-full'],
  ['25006', 'read-only'],
  [UNREACHABLE, 'unreachable'],
]);

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** Whether an error says that the file is damaged or holds something else than a state. */
export function isDamage(error: unknown): boolean {
  return error instanceof StoreError && ['SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes(codeOf(error.cause));
}

/** @param onRefused called when the place where the state lies refuses a write */
export async function orStoreError<R>(
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
