import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPriorityLimiter, type Urgency } from '../../../src/announcements/deliver/priority-limiter.ts';

/** A limiter whose work ends when the test says so. */
function aLimiter() {
  const limiter = createPriorityLimiter();
  const running: { urgency: Urgency; end: () => void; fail: (error: Error) => void }[] = [];
  return {
    running,
    count: (urgency: Urgency) => running.filter((work) => work.urgency === urgency).length,
    /** The running works, in an object: not every test waits for them. */
    start: (urgency: Urgency, times = 1) => ({
      works: Array.from({ length: times }, () =>
        limiter.run(
          urgency,
          () =>
            new Promise<Urgency>((resolve, reject) => {
              running.push({ urgency, end: () => resolve(urgency), fail: reject });
            }),
        ),
      ),
    }),
    /** Ends the work that has run for longest. */
    endOne: async (): Promise<void> => {
      running.shift()?.end();
      await setImmediate();
    },
  };
}

test.each([
  ['post', 100],
  ['publish', 50],
  ['edit', 25],
] as const)(
  'of the work %s no more runs at once than its most, and each end lets in the next',
  async (urgency, most) => {
    const { start, running, endOne } = aLimiter();
    start(urgency, most + 2);
    await setImmediate();
    expect(running).toHaveLength(most);
    await endOne();
    expect(running).toHaveLength(most);
    for (let ended = 0; ended < most; ended += 1) await endOne();
    expect(running).toHaveLength(1);
  },
);

test('a post finds a place while edits and publications take all of theirs', async () => {
  const { start, count, endOne } = aLimiter();
  start('edit', 30);
  await setImmediate();
  start('publish', 30);
  await setImmediate();
  expect([count('edit'), count('publish')]).toEqual([25, 25]);
  start('post', 60);
  await setImmediate();
  expect(count('post')).toBe(50);
  // Posts stay before what has waited for longer.
  for (let ended = 0; ended < 10; ended += 1) await endOne();
  expect([count('post'), count('publish'), count('edit')]).toEqual([60, 25, 15]);
});

test('publications go before edits that have waited for longer', async () => {
  const { start, count, endOne } = aLimiter();
  start('publish', 25);
  start('edit', 1);
  start('publish', 26);
  await setImmediate();
  expect([count('publish'), count('edit')]).toEqual([50, 0]);
  await endOne();
  expect([count('publish'), count('edit')]).toEqual([50, 0]);
  for (let ended = 0; ended < 25; ended += 1) await endOne();
  expect([count('publish'), count('edit')]).toEqual([25, 0]);
  await endOne();
  expect([count('publish'), count('edit')]).toEqual([24, 1]);
});

test('work is passed its result, and what fails frees its place', async () => {
  const { start, running, count } = aLimiter();
  const [first, second] = start('post', 101).works;
  await setImmediate();
  running.shift()?.fail(new Error('broken'));
  running.shift()?.end();
  await expect(first).rejects.toThrow('broken');
  await expect(second).resolves.toBe('post');
  await setImmediate();
  expect(count('post')).toBe(99);
});
