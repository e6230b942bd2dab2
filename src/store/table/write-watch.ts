import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';

/** The reason why a state can't be written. */
export type WriteProblem = 'disk-full' | 'disk-failed' | 'read-only' | 'unreachable';

const IN_WORDS: Readonly<Record<WriteProblem, string>> = {
  'disk-full': 'the disk is full',
  'disk-failed': 'the disk fails',
  'read-only': 'it is read-only',
  unreachable: "the database can't be reached",
};

/** Interval between two tries to write a state again, in milliseconds. */
const PROBE_EVERY_MS = 5_000;

/** Tracks whether a state can be written now, and logs each change. */
export interface WriteWatch {
  /** To be called for each write that failed for such a reason. */
  failed: (problem: WriteProblem) => void;
  problem: () => WriteProblem | null;
  stop(): void;
}

export interface WriteWatchParts {
  /**
   * Writes a row that needs free room, and deletes it again. An ordinary write that succeeds proves nothing, since it
   * may have fitted into an existing page.
   */
  probe: () => Promise<void>;
  clock: Clock;
  log: Log;
}

export function createWriteWatch({ probe, clock, log }: WriteWatchParts): WriteWatch {
  let problem: WriteProblem | null = null;
  let isStopped = false;
  let callOff = () => {};

  function arm(): void {
    if (!isStopped) callOff = clock.after(PROBE_EVERY_MS, () => void probeAgain());
  }

  async function probeAgain(): Promise<void> {
    try {
      await probe();
    } catch {
      return arm();
    }
    problem = null;
    log.info('the state is writable again');
  }

  return {
    failed(next) {
      if (problem === null) arm();
      if (problem === next) return;
      problem = next;
      log.error({ problem }, `the state is not writable: ${IN_WORDS[next]}`);
    },
    problem: () => problem,
    stop() {
      isStopped = true;
      callOff();
    },
  };
}
