import { expect, onTestFinished, test } from 'vitest';
import { createChannelWork, type Result, type Task } from '../../../../src/bot/announcements/deliver/channel-work.ts';
import { createLog } from '../../../../src/shared/log.ts';
import { ManualClock } from '../../../helpers/manual-clock.ts';

const IDLE: Task = { dueAtMs: () => Number.POSITIVE_INFINITY, step: async () => ({ kind: 'done' }) };

function aWork(post: Task, clearFromMs = 0) {
  const clock = new ManualClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const idle: [string, number][] = [];
  const work = createChannelWork({
    tasks: { post, publish: IDLE, edit: IDLE },
    isHeld: () => false,
    onIdle: (channelId, untilMs) => idle.push([channelId, untilMs - clock.now()]),
    clearFromMs,
    clock,
    log: createLog('silent'),
    signal: stopping.signal,
  });
  return { clock, work, idle };
}

test('a channel whose records make no sense is looked at again after a rest, and ends nothing for the others', async () => {
  let looks = 0;
  const done = new Set<string>();
  const { clock, work, idle } = aWork({
    dueAtMs(channelId) {
      if (channelId !== 'broken') return done.has(channelId) ? Number.POSITIVE_INFINITY : 0;
      looks += 1;
      throw new TypeError('not a record');
    },
    async step(channelId) {
      done.add(channelId);
      return { kind: 'done' };
    },
  });
  for (const channelId of ['broken', 'well']) work.kick(channelId);
  await work.settled();
  expect([...done]).toEqual(['well']);
  expect(idle).toContainEqual(['broken', 2_000]);
  expect(looks).toBeLessThan(5);
  await clock.advance(2_000);
  work.kick('broken');
  expect(idle).toContainEqual(['broken', 4_000]);
});

test('a clock that is set back or forward changes no rest', async () => {
  const results: Result[] = [{ kind: 'blocked' }];
  const steps: number[] = [];
  const { clock, work } = aWork({
    dueAtMs: () => (steps.length < 2 ? 0 : Number.POSITIVE_INFINITY),
    async step() {
      steps.push(clock.monotonicMs());
      return results.shift() ?? { kind: 'done' };
    },
  });
  work.kick('10');
  await clock.untilSleeping((ms) => ms === 60_000);
  for (const ms of [-3 * 3_600_000, 6 * 3_600_000]) {
    clock.jump(ms);
    work.kick('10');
    await clock.advance(29_999);
    expect(steps).toEqual([0]);
  }
  await clock.advance(2);
  await work.settled();
  expect(steps).toEqual([0, 60_000]);
});

test('a permission that returns while a try is still refused ends the rest that the refusal would begin', async () => {
  const answers: ((result: Result) => void)[] = [];
  let isDone = false;
  const { work } = aWork({
    dueAtMs: () => (isDone ? Number.POSITIVE_INFINITY : 0),
    step: () => new Promise((resolve) => answers.push(resolve)),
  });
  const answered = async (result: Result) => {
    while (answers.length === 0) await Promise.resolve();
    answers.shift()?.(result);
  };
  work.kick('10');
  while (answers.length === 0) await Promise.resolve();
  work.retry('10');
  await answered({ kind: 'blocked' });
  while (answers.length === 0) await Promise.resolve();
  isDone = true;
  await answered({ kind: 'done' });
  await work.settled();
  expect(work.blockedChannels()).toBe(0);
});

test('no step is done before all that a former process sent has arrived, whatever happens to the clock', async () => {
  let steps = 0;
  const { clock, work, idle } = aWork(
    {
      dueAtMs: () => (steps === 0 ? 0 : Number.POSITIVE_INFINITY),
      async step() {
        steps += 1;
        return { kind: 'done' };
      },
    },
    19_000,
  );
  work.kick('10');
  await clock.advance(18_999);
  clock.jump(3_600_000);
  for (const wake of [() => work.kick('10'), () => work.retry('10'), () => work.restart('10')]) {
    wake();
    await work.settled();
  }
  expect(steps).toBe(0);
  expect(idle[0]).toEqual(['10', 19_000]);
  expect(idle.at(-1)).toEqual(['10', 1]);
  await clock.advance(1);
  work.kick('10');
  await work.settled();
  expect(steps).toBe(1);
});
