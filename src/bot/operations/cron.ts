import { createTask, validateDetailed } from 'node-cron';
import { systemClock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';

export interface Job {
  /** Runs no more; resolves when a run that is under way has ended. */
  stop(): Promise<void>;
}

/** Starts `run` at every moment of a cron expression (five fields, or six with seconds first; in UTC). */
export type Schedule = (name: string, expression: string, run: () => Promise<void>, log: Log) => Job;

/** A wall clock that was set is noticed within this time. */
const LONGEST_WAIT_MS = 15_000;

/**
 * Asks node-cron for the moments, and waits for them itself: node-cron's own timer stands still until a wall clock that was
 * set back has caught up, and goes through every moment that one set forward has skipped. A run is left out while the
 * one before is under way, and an error is logged. Each run looks for all that is due: one that is late is no loss.
 */
export const scheduleCron: Schedule = (name, expression, run, log) => {
  const task = createTask(expression, () => undefined, { name, timezone: 'UTC', logger: quietly(log, name) });
  let running: Promise<void> | null = null;
  let nextMs = nextRunMs();
  let callOff = wait();

  function nextRunMs(): number {
    return task.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY;
  }

  function wait(): () => void {
    return systemClock.after(Math.min(Math.max(0, nextMs - systemClock.now()), LONGEST_WAIT_MS), wake);
  }

  function wake(): void {
    if (systemClock.now() >= nextMs) start();
    // Counted from now each time: after the clock was set back it is another moment.
    nextMs = nextRunMs();
    callOff = wait();
  }

  function start(): void {
    running ??= run()
      .catch((error: unknown) => log.error({ err: error, job: name }, 'a scheduled job failed'))
      .then(() => {
        running = null;
      });
  }

  return {
    async stop() {
      callOff();
      await task.destroy();
      await running;
    },
  };
};

/** node-cron would print to the console; what it has to say is of interest to those who look closely. */
function quietly(log: Log, job: string) {
  const note = (message: string | Error) => log.debug({ job, message: String(message) }, 'cron');
  return { info: note, warn: note, error: note, debug: note };
}

/** What is wrong with a cron expression, in one sentence, or null. */
export function cronProblem(expression: string): string | null {
  const { valid, errors } = validateDetailed(expression);
  if (valid) return null;
  return errors.map(({ field, message }) => `${field}: ${message}`).join('; ') || 'it is not a cron expression';
}
