import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import { expect, test } from 'vitest';
import { builtWith } from '../helpers/built-program.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { actOn, DEMO_PROGRAMS, demoOf, startDemo, untilPosted, WITHIN_MS } from './running-demo.ts';

const ATTEMPT = 'const { outcome, card } = await attempt(';
const RECORD_FIRST =
  "await store.deliveries.end(delivery, { version: 1, outcome: 'posted', messageId: null, endedAtMs: nowMs } as never);";

/** Breaks the order of writes on purpose: a delivery is recorded as posted before it is. */
const brokenOrder: Plugin = {
  name: 'broken-order',
  setup(build) {
    build.onLoad({ filter: /deliver[\\/]post\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes(ATTEMPT)) throw new Error('The attempt to post stands elsewhere by now.');
      return { contents: source.replace(ATTEMPT, `${RECORD_FIRST} ${ATTEMPT}`), loader: 'ts' };
    });
  },
};

const PROGRAM = builtWith([brokenOrder], ...DEMO_PROGRAMS);
/** Every other kill comes before Discord has taken the post. */
const KILLS = 6;

// Chance decides whether a kill comes between the two writes: counters that notice nothing fail every time.
const OPTIONS = { timeout: 3 * WITHIN_MS, retry: 3 };

test('the counters notice what a bot loses that writes in the wrong order', OPTIONS, async () => {
  const demo = startDemo(PROGRAM, { STATE_URL: temporaryState() });
  await untilPosted(demo, 6);
  for (let kills = 1; kills <= KILLS; kills += 1) {
    await actOn(demo, { do: 'kill' });
    await expect
      .poll(async () => (await demoOf(demo)).bot, { timeout: WITHIN_MS, interval: 100 })
      .toMatchObject({ state: 'running', kills });
  }
  await expect
    .poll(async () => (await demoOf(demo)).counters.lost, { timeout: WITHIN_MS, interval: 500 })
    .toBeGreaterThan(0);
});
