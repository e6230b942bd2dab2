// The bot as it is, on a clock that has leapt, which can be told to end itself with SIGKILL at a step of its run.
// TORTURE_LEAPT_MS: how far its clock is ahead. TORTURE_RUN=once: one look, and another one when SIGTERM asks for the end.
// TORTURE_RUN=clock: a look after each line on the standard input, which says how many milliseconds `pass` or by how many the
// clock is `set` before; or `calendar`, the work on the Events lists when all that is due is posted.
// TORTURE_RUN=standby: as the program with --standby. TORTURE_SKEW_MS: the error of its wall clock from the beginning.
// TORTURE_WITHOUT_FENCE: it believes to hold the lease for ever, once it has had it, and its writes go through whoever has it.
// TORTURE_KILL_AT: the step to end at, and TORTURE_KILL_LATER_MS: how long after it. TORTURE_PAUSE_AT: the steps to stand still
// at, until a line comes on a pipe of its own; see steps-of-run.ts.
// A file `suspended-` and its process id in its folder: where it stands still, its monotonic clock does, too.
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { destination } from 'pino';
import { createApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/app/config.ts';
import { type Schedule, scheduleCron } from '../../src/app/cron.ts';
import { FEATURES } from '../../src/features/index.ts';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { AppError } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { watchSteps } from './steps-of-run.ts';

/** Longer than the least time between two looks, shorter than any outage. */
const LOOK_AGAIN_MS = 30_000;

/** The time that passes here at once, and the error of the wall clock beside it. */
let leaptMs = Number(process.env['TORTURE_LEAPT_MS']);
let setMs = Number(process.env['TORTURE_SKEW_MS'] ?? 0);
const run = process.env['TORTURE_RUN'] ?? '';
const isStandby = run === 'standby';
const isScheduled = run === '' || isStandby;
const steps = watchSteps({
  killAt: Number(process.env['TORTURE_KILL_AT'] ?? 0),
  killLaterMs: Number(process.env['TORTURE_KILL_LATER_MS'] ?? 0),
  pauseAt: (process.env['TORTURE_PAUSE_AT'] ?? '').split(',').map(Number),
  setClock,
});
/** Sets the clock as a person sets the machine's: timers go on waiting. */
function setClock(ms: number): void {
  setMs += ms;
}

/** A process that has not looked at its clock for so long stood still. */
const STOOD_STILL_MS = 1_000;
const LOOK_EVERY_MS = 100;
let suspendedMs = 0;
let lookedAtMs = performance.now();

/** The monotonic time of a machine that was suspended while this process stood still. */
function monotonicMs(): number {
  const nowMs = performance.now();
  const isSuspended = nowMs - lookedAtMs > STOOD_STILL_MS && existsSync(`suspended-${process.pid}`);
  if (isSuspended) suspendedMs += nowMs - lookedAtMs;
  lookedAtMs = nowMs;
  return nowMs - suspendedMs;
}
setInterval(monotonicMs, LOOK_EVERY_MS).unref();

const clock: Clock = {
  ...systemClock,
  now: () => Date.now() + leaptMs + setMs,
  monotonicMs: () => monotonicMs() + leaptMs,
};

let refreshCalendar = async (): Promise<void> => undefined;
/** Runs nothing by itself. */
const scheduleNothing: Schedule = (name, _, run) => {
  if (name === 'calendar') refreshCalendar = run;
  return { stop: async () => undefined };
};

const config = parseConfig(process.env, FEATURES);
const app = createApp(config, {
  clock,
  schedule: isScheduled ? scheduleCron : scheduleNothing,
  log: createLog(config.logLevel, destination({ dest: 2, sync: true })),
  features: FEATURES,
  version: '0.0.0',
  isStandby,
});
if (process.env['TORTURE_WITHOUT_FENCE']) believeToHoldTheLease();

interface Driver {
  Client: { prototype: { query: (this: unknown, sql: string, values: unknown[]) => Promise<{ rows: unknown[] }> } };
}

/** Once it has written the lease, it writes it no more, and takes it for written. No other write looks it up. */
function believeToHoldTheLease(): void {
  const { prototype } = (pg as unknown as Driver).Client;
  const { query } = prototype;
  let isTaken = false;
  prototype.query = async function believing(sql, values) {
    // The last value of a commit is the holder that the lease has to name.
    if (sql.startsWith('WITH lease')) return query.call(this, sql, [...values.slice(0, -1), null]);
    if (!sql.endsWith('RETURNING key')) return query.call(this, sql, values);
    if (isTaken) return { rows: [{ key: 'lease' }] };
    const answer = await query.call(this, sql, values);
    isTaken = answer.rows.length > 0;
    return answer;
  };
}

/** Ends as the program does when it is asked to. */
async function stop(): Promise<void> {
  await app.stop();
  process.exit(0);
}
if (isStandby) process.on('SIGTERM', () => void stop());
/** The second look at a resource begins when the first is through, so that nothing of the run is left out. */
async function end(): Promise<void> {
  leaptMs += LOOK_AGAIN_MS;
  await app.tick();
  await app.settled();
  await app.stop();
  process.stdout.write(`through ${JSON.stringify(steps.counts())}\n`);
  process.exit(0);
}

async function lookAtEachLine(): Promise<void> {
  for await (const line of createInterface(process.stdin)) {
    const [what, ms = 0] = line.split(' ');
    if (what === 'calendar') {
      await app.settled();
      await refreshCalendar();
    } else {
      if (what === 'set') setClock(Number(ms));
      else leaptMs += Number(ms);
      await app.tick();
    }
    process.stdout.write('looked\n');
  }
}

/** The program itself exits with the same statuses. */
const EXIT_STATUSES = new Map([
  ['STATE_IN_USE', 3],
  ['DISCORD_REFUSED', 4],
]);

/** Ends as the program itself does then. */
function endAfter(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  const code = error instanceof AppError ? error.code : '';
  process.exit(EXIT_STATUSES.get(code) ?? 1);
}

try {
  await app.start();
} catch (error) {
  process.stdout.write(`refused ${JSON.stringify(steps.counts())}\n`);
  endAfter(error);
}
void app.failed.then(async (error) => {
  await app.stop();
  endAfter(error);
});
if (run === 'once') process.on('SIGTERM', () => void end());
process.stdout.write('started\n');
if (run === 'clock') await lookAtEachLine();
