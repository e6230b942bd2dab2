import { schedule, validateDetailed } from 'node-cron';
import type { Log } from '../log.ts';

export interface Job {
  /** Runs no more; resolves when a run that is under way has ended. */
  stop(): Promise<void>;
}

/** Starts `run` at every moment of a cron expression (five fields, or six with seconds first; in UTC). */
export type Schedule = (name: string, expression: string, run: () => Promise<void>, log: Log) => Job;

/** node-cron behind `Schedule`: a run is left out while the one before is under way, and an error is logged. */
export const scheduleCron: Schedule = (name, expression, run, log) => {
  let running: Promise<void> = Promise.resolve();
  const task = schedule(
    expression,
    () => {
      running = run().catch((error: unknown) => log.error({ err: error, job: name }, 'a scheduled job failed'));
      return running;
    },
    // A run that is late or left out is no loss: each one looks for all that is due.
    { name, noOverlap: true, timezone: 'UTC', suppressMissedWarning: true, logger: quietly(log, name) },
  );
  return {
    async stop() {
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
