import type { Clock } from '../../shared/clock.ts';
import { StoreError, type WriteProblem } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';

/** Code of a write without the lease: see `notHeld`. */
const NOT_HELD = 'LEASE_NOT_HELD';
/** Code of a statement that the database could not be asked, or has not answered. */
export const UNREACHABLE = 'DATABASE_UNREACHABLE';

/**
 * The meaning of a database's error codes to the person who runs the bot, and what they say about writing.
 * @see https://www.sqlite.org/rescode.html
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const MEANINGS = new Map<string, { reason: string; problem?: WriteProblem }>([
  ['SQLITE_FULL', { reason: 'the disk is full; free some space', problem: 'disk-full' }],
  ['SQLITE_IOERR', { reason: 'the disk fails or is full; check it', problem: 'disk-failed' }],
  ['SQLITE_READONLY', { reason: 'this user may not write the file, or its disk is read-only', problem: 'read-only' }],
  ['SQLITE_CANTOPEN', { reason: 'this user can not open the file; let it use the file and its folder' }],
  ['SQLITE_BUSY', { reason: 'another process has kept the file locked for 10 seconds; let it go on, or end it' }],
  ['SQLITE_NOTADB', { reason: 'the file holds something else than a state, and is left as it is' }],
  [
    'SQLITE_CORRUPT',
    { reason: 'the file is damaged, and is left as it is: put a copy in its place, or move it away to begin anew' },
  ],
  [NOT_HELD, { reason: 'another process has taken the state over' }],
  [UNREACHABLE, { reason: "the database can't be reached", problem: 'unreachable' }],
  ['53100', { reason: "the database's disk is full", problem: 'disk-full' }],
  ['25006', { reason: 'the database takes no writes', problem: 'read-only' }],
  ['57014', { reason: 'the database took longer than 10 seconds' }],
  ['28P01', { reason: 'the database refuses the user or the password' }],
  ['28000', { reason: 'the database refuses the user' }],
  ['3D000', { reason: 'there is no such database' }],
  ['42501', { reason: 'the database allows its user too little' }],
]);

/** The error of a write of a process that does not hold the lease. */
export const notHeld = () => Object.assign(new Error('the lease is not held'), { code: NOT_HELD });

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
    const { reason, problem = null } = MEANINGS.get(codeOf(cause)) ?? {};
    if (problem) onRefused?.(problem);
    throw new StoreError(`Could not ${doing} ${place}${reason === undefined ? '' : `: ${reason}`}.`, {
      cause,
      problem,
    });
  }
}

const IN_WORDS: Readonly<Record<WriteProblem, string>> = {
  'disk-full': 'the disk is full',
  'disk-failed': 'the disk fails',
  'read-only': 'it is read-only',
  unreachable: "the database can't be reached",
};

/** Interval between two tries to write a state again, in milliseconds. */
export const PROBE_EVERY_MS = 5_000;

export interface WriteWatchParts {
  /**
   * Rejects while the problem lasts. An ordinary write that succeeds proves nothing, since it may have fitted into an
   * existing page.
   */
  probe: (problem: WriteProblem) => Promise<void>;
  clock: Clock;
  log: Log;
}

/** Tracks whether a state can be written now, and logs each change. */
export class WriteWatch {
  readonly #parts: WriteWatchParts;
  #problem: WriteProblem | null = null;
  #callOff: (() => void) | null = null;
  #isStopped = false;

  constructor(parts: WriteWatchParts) {
    this.#parts = parts;
  }

  get problem(): WriteProblem | null {
    return this.#problem;
  }

  /** To be called for each write that failed for such a reason. */
  failed(problem: WriteProblem): void {
    if (this.#problem === null) this.#probeLater();
    if (this.#problem === problem) return;
    this.#problem = problem;
    this.#parts.log.error({ problem }, `the state is not writable: ${IN_WORDS[problem]}`);
  }

  /** To be called when the database answers again. */
  reached(): void {
    if (this.#problem === 'unreachable') this.#end();
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff?.();
  }

  #probeLater(): void {
    this.#callOff?.();
    if (!this.#isStopped) this.#callOff = this.#parts.clock.after(PROBE_EVERY_MS, () => void this.#probe());
  }

  async #probe(): Promise<void> {
    const problem = this.#problem;
    if (problem === null) return;
    const isMended = await this.#parts.probe(problem).then(
      () => true,
      () => false,
    );
    // Of a problem that has come meanwhile, it says nothing.
    if (isMended && this.#problem === problem) this.#end();
    else if (this.#problem !== null) this.#probeLater();
  }

  #end(): void {
    if (this.#problem === null) return;
    this.#problem = null;
    this.#callOff?.();
    this.#parts.log.info('the state is writable again');
  }
}
