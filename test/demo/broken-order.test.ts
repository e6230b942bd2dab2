import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { expect, test } from 'vitest';
import { builtWith } from '../helpers/built-program.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';
import { DEMO_PROGRAMS, demoOf, type RunningDemo, startDemo, untilPosted, WITHIN_MS } from './running-demo.ts';

const ATTEMPT = 'const { outcome, card } = await attempt(';
/** Records a delivery as posted before it is, where the environment asks for it: the broken order of writes. */
const RECORD_FIRST = `if (process.env.RECORD_FIRST === 'yes') {
  await store.deliveries.end(delivery, { version: 1, outcome: 'posted', messageId: null, endedAtMs: nowMs });
}`;
/** Kills the bot once, between the two writes of a new offer's post in the channel that the file names. */
const KILL = `const order = process.env.KILL_IN_CHANNEL_OF;
if (announcement.kind === 'new-offer' && files.existsSync(order) && files.readFileSync(order, 'utf8') === channelId) {
  files.unlinkSync(order);
  process.kill(process.pid, 'SIGKILL');
}`;

const killedBetweenWrites: Plugin = {
  name: 'killed-between-writes',
  setup(build) {
    build.onLoad({ filter: /deliver[\\/]post\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes(ATTEMPT)) throw new Error('The attempt to post stands elsewhere by now.');
      const contents = source.replace(ATTEMPT, `${RECORD_FIRST}\n${KILL}\n${ATTEMPT}`);
      return { contents: `import * as files from 'node:fs';\n${contents}`, loader: 'ts' };
    });
  },
};

const PROGRAM = builtWith([killedBetweenWrites], ...DEMO_PROGRAMS);

/** Starts the demo, and has its bot killed between the two writes of its next new offer in #deals. */
async function aKilledDemo(environment: Readonly<Record<string, string>>): Promise<RunningDemo> {
  const order = join(temporaryFolder(), 'channel');
  const demo = startDemo(PROGRAM, { STATE_URL: temporaryState(), KILL_IN_CHANNEL_OF: order, ...environment });
  await untilPosted(demo, 1);
  const { channels } = await demo.state();
  writeFileSync(order, channels.find(({ name }) => name === 'deals')?.id ?? '');
  await expect.poll(() => existsSync(order), { timeout: WITHIN_MS, interval: 100 }).toBe(false);
  return demo;
}

const OPTIONS = { timeout: 3 * WITHIN_MS };

test('a bot that is killed between its two writes loses nothing', OPTIONS, async () => {
  const demo = await aKilledDemo({});
  const atKill = (await demoOf(demo)).counters;
  // One of these is the offer that the kill came before: a later one can't be posted without it.
  const posted = { waiting: 0, isPosted: true };
  await expect
    .poll(
      async () => {
        const { counters } = await demoOf(demo);
        return { waiting: counters.waiting, isPosted: counters.posted >= atKill.posted + 2 };
      },
      { timeout: WITHIN_MS, interval: 100 },
    )
    .toEqual(posted);
  expect((await demoOf(demo)).counters).toMatchObject({ lost: 0, twice: 0 });
});

test('the counters notice what such a kill loses where the order of the writes is broken', OPTIONS, async () => {
  const demo = await aKilledDemo({ RECORD_FIRST: 'yes' });
  await expect
    .poll(async () => (await demoOf(demo)).counters, { timeout: WITHIN_MS, interval: 500 })
    .toMatchObject({ lost: 1, twice: 0 });
});
