import { createTask, validateDetailed } from 'node-cron';
import { systemClock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';

export interface Job {
  /** Stops the schedule; resolves when a run in progress has ended. */
  stop(): Promise<void>;
}

/** Runs `run` at every moment of a cron expression (five fields, or six with seconds first; in UTC). */
export type Schedule = (name: string, expression: string, run: () => Promise<void>, log: Log) => Job;

/** The longest wait, and so the longest time until a changed wall clock is noticed. */
const LONGEST_WAIT_MS = 15_000;

/**
 * Gets the moments from node-cron, and waits for them itself: node-cron's own timer stands still until a wall clock
 * that was set back has caught up, and goes through every moment that one set forward has skipped. A run is skipped
 * while the previous one is in progress, and an error is logged. Each run processes all due work, so a late run loses
 * nothing.
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
    // Recomputed from now each time, because a clock that was set back changes the next moment.
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

/** Logs node-cron's messages at debug level; it would otherwise print them to the console. */
function quietly(log: Log, job: string) {
  const note = (message: string | Error) => log.debug({ job, message: String(message) }, 'cron');
  return { info: note, warn: note, error: note, debug: note };
}

/** The error of a cron expression in one sentence; null where it is valid. */
export function cronProblem(expression: string): string | null {
  const { valid, errors } = validateDetailed(expression);
  if (valid) return null;
  return errors.map(({ field, message }) => `${field}: ${message}`).join('; ') || 'it is not a cron expression';
}
