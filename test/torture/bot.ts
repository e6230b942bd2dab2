// The bot as it is, on a clock that has leapt, which can be told to end itself with SIGKILL at a step of its run.
// TORTURE_LEAPT_MS: how far its clock is ahead. TORTURE_RUN=once: one look, and another one when SIGTERM asks for the end.
// TORTURE_KILL_AT: the step to end at, and TORTURE_KILL_LATER_MS: how long after it. TORTURE_PAUSE_AT: the steps to stand still
// at, until a line comes on the standard input; see steps-of-run.ts.
import { destination } from 'pino';
import { createApp } from '../../src/app.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { parseConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { scheduleCron } from '../../src/schedule/cron.ts';
import { watchSteps } from './steps-of-run.ts';

/** Longer than the least time between two looks, shorter than any outage. */
const LOOK_AGAIN_MS = 30_000;

let leaptMs = Number(process.env['TORTURE_LEAPT_MS']);
const isOnce = process.env['TORTURE_RUN'] === 'once';
const steps = watchSteps({
  killAt: Number(process.env['TORTURE_KILL_AT'] ?? 0),
  killLaterMs: Number(process.env['TORTURE_KILL_LATER_MS'] ?? 0),
  pauseAt: (process.env['TORTURE_PAUSE_AT'] ?? '').split(',').map(Number),
});
const clock: Clock = {
  ...systemClock,
  now: () => Date.now() + leaptMs,
  monotonicMs: () => performance.now() + leaptMs,
};

const config = parseConfig(process.env);
const app = createApp(config, {
  clock,
  schedule: isOnce ? () => ({ stop: async () => undefined }) : scheduleCron,
  log: createLog(config.logLevel, destination({ dest: 2, sync: true })),
  version: '0.0.0',
  pageDirectory: 'no page',
});
/** The second look at a resource begins when the first is through, so that nothing of the run is left out. */
async function end(): Promise<void> {
  leaptMs += LOOK_AGAIN_MS;
  await app.tick();
  await app.settled();
  await app.stop();
  process.stdout.write(`through ${JSON.stringify(steps.counts())}\n`);
  process.exit(0);
}

await app.start();
if (isOnce) process.on('SIGTERM', () => void end());
process.stdout.write('started\n');
