import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Channels } from '../../../src/announcements/deliver/channel.ts';
import {
  type ChannelWorkParts,
  createChannelWork,
  type Result,
  type Task,
} from '../../../src/announcements/deliver/channel-work.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

type Tasks = ChannelWorkParts['tasks'];

const IDLE: Task = { dueAtMs: () => Number.POSITIVE_INFINITY, step: async () => ({ kind: 'done' }) };

/** More looks at what is due, and steps, than the work of any test takes before it rests. */
const MOST_LOOKS = 1_000;

function aWork(post: Task, { clearFromMs = 0, ...others }: Partial<Tasks & { clearFromMs: number }> = {}) {
  const clock = new ManualClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const idle: [string, number][] = [];
  const logged: string[] = [];
  const house = { isHeld: false };
  let looks = 0;
  onTestFinished(() => expect(looks, 'looks before the work rests').toBeLessThan(MOST_LOOKS));
  /** Work that never rests comes to an end here, and fails its test. */
  const bounded = (task: Task): Task => ({
    ...task,
    dueAtMs(channelId) {
      looks += 1;
      return looks < MOST_LOOKS ? task.dueAtMs(channelId) : Number.POSITIVE_INFINITY;
    },
    step(channelId) {
      looks += 1;
      return looks < MOST_LOOKS ? task.step(channelId) : new Promise(() => undefined);
    },
  });
  const { publish = IDLE, edit = IDLE } = others;
  const work = createChannelWork({
    channels: new Channels(clock),
    tasks: { post: bounded(post), publish: bounded(publish), edit: bounded(edit) },
    isHeld: () => house.isHeld || looks >= MOST_LOOKS,
    onIdle: ({ id }, untilMs) => idle.push([id, untilMs - clock.now()]),
    clearFromMs,
    clock,
    log: createTestLog((line) => logged.push((JSON.parse(line) as { msg: string }).msg)),
    signal: stopping.signal,
  });
  return { clock, work, idle, house, stopping, logged };
}

/** Resolves when that is so, and fails where it is not so soon. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 100 && !isSo(); turns += 1) await setImmediate();
  expect(isSo()).toBe(true);
}

async function resolved(promise: Promise<unknown>): Promise<void> {
  let isDone = false;
  void promise.then(() => {
    isDone = true;
  });
  await until(() => isDone);
}

const sleeping = (clock: ManualClock, ms: number) => resolved(clock.untilSleeping((slept) => slept === ms));

/** A task whose steps are listed: each takes one of the jobs in its channel, and ends as told, or well. */
function aTask(jobs: Record<string, number>, told: (Result | Error)[] = []) {
  const steps: string[] = [];
  const doubted: string[] = [];
  const task: Task = {
    dueAtMs: (channelId) => ((jobs[channelId] ?? 0) > 0 ? 0 : Number.POSITIVE_INFINITY),
    async step(channelId) {
      steps.push(channelId);
      const result = told.shift() ?? { kind: 'done' };
      if (result instanceof Error) throw result;
      if (result.kind === 'done' || result.kind === 'again') jobs[channelId] = (jobs[channelId] ?? 0) - 1;
      return result;
    },
    doubt: (channelId) => doubted.push(channelId),
  };
  return { task, steps, doubted, told, jobs };
}

test('a channel whose records make no sense is looked at again after a rest, and ends nothing for the others', async () => {
  let looks = 0;
  const done = new Set<string>();
  const { clock, work, idle, logged } = aWork({
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
  await resolved(work.settled());
  expect([...done]).toEqual(['well']);
  expect(idle).toContainEqual(['broken', 2_000]);
  expect(looks).toBeLessThan(5);
  work.kick('broken');
  expect(logged).toEqual(["could not plan a channel's posts"]);
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
  await sleeping(clock, 60_000);
  for (const ms of [-3 * 3_600_000, 6 * 3_600_000]) {
    clock.jump(ms);
    work.kick('10');
    await clock.advance(29_999);
    expect(steps).toEqual([0]);
  }
  await clock.advance(2);
  await resolved(work.settled());
  expect(steps).toEqual([0, 60_000]);
});

test.each(['retry', 'restart'] as const)(
  'a %s while a try is still refused ends the rest that the refusal would begin',
  async (how) => {
    const answers: ((result: Result) => void)[] = [];
    let isDone = false;
    const { work } = aWork({
      dueAtMs: () => (isDone ? Number.POSITIVE_INFINITY : 0),
      step: () => new Promise((resolve) => answers.push(resolve)),
    });
    const answered = async (result: Result) => {
      await until(() => answers.length > 0);
      answers.shift()?.(result);
    };
    work.kick('10');
    await until(() => answers.length > 0);
    work[how]('10');
    await answered({ kind: 'blocked' });
    await until(() => answers.length > 0);
    isDone = true;
    await answered({ kind: 'done' });
    await resolved(work.settled());
    expect(work.blockedChannels()).toBe(0);
  },
);

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
    { clearFromMs: 19_000 },
  );
  work.kick('10');
  await clock.advance(18_999);
  clock.jump(3_600_000);
  for (const wake of [() => work.kick('10'), () => work.retry('10'), () => work.restart('10')]) {
    wake();
    await resolved(work.settled());
  }
  expect(steps).toBe(0);
  expect(idle[0]).toEqual(['10', 19_000]);
  expect(idle.at(-1)).toEqual(['10', 1]);
  await clock.advance(1);
  work.kick('10');
  await resolved(work.settled());
  expect(steps).toBe(1);
});

const UNKNOWN: Result = { kind: 'unknown' };
const BLOCKED: Result = { kind: 'blocked' };

test('in a channel posts go before publications and those before edits, one step at a time', async () => {
  const order: string[] = [];
  let running = 0;
  const [posts, publications, edits] = [aTask({ 10: 2 }), aTask({ 10: 1 }), aTask({ 10: 2 })];
  const noted = (name: string, { task }: { task: Task }): Task => ({
    ...task,
    async step(channelId) {
      order.push(name);
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
      return task.step(channelId);
    },
  });
  const { work, idle } = aWork(noted('post', posts), {
    publish: noted('publish', publications),
    edit: noted('edit', edits),
  });
  work.kick('10');
  work.kick('10');
  await resolved(work.settled());
  expect(order).toEqual(['post', 'post', 'publish', 'edit', 'edit']);
  expect(idle).toEqual([['10', Number.POSITIVE_INFINITY]]);
});

test('channels are worked on side by side', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const { work } = aWork({
    dueAtMs: (channelId) => (begun.includes(channelId) ? Number.POSITIVE_INFINITY : 0),
    step: (channelId) => {
      begun.push(channelId);
      return new Promise((resolve) => ends.push(() => resolve({ kind: 'done' })));
    },
  });
  for (const channelId of ['10', '11']) work.kick(channelId);
  await until(() => begun.length >= 2);
  const settled: string[] = [];
  const there = work.settled('11').then(() => settled.push('there'));
  const all = work.settled().then(() => settled.push('all'));
  ends[0]?.();
  await resolved(work.settled('10'));
  expect(settled).toEqual([]);
  ends[1]?.();
  await resolved(Promise.all([there, all]));
});

test('work that is due later is started on then, by whoever is told of it', async () => {
  let steps = 0;
  const { clock, work, idle } = aWork({
    dueAtMs: () => (steps === 0 ? atMs : Number.POSITIVE_INFINITY),
    async step() {
      steps += 1;
      return { kind: 'done' };
    },
  });
  const atMs = clock.now() + 5_000;
  work.kick('10');
  await resolved(work.settled());
  expect([steps, idle]).toEqual([0, [['10', 5_000]]]);
  await clock.advance(5_000);
  work.kick('10');
  await resolved(work.settled());
  expect(steps).toBe(1);
});

test('failures in a row lengthen the pause, a step that says nothing of the channel changes that in nothing, and a success ends it', async () => {
  const again: Result = { kind: 'again' };
  const { task, steps, told } = aTask({ 10: 3 }, [UNKNOWN, again, UNKNOWN, { kind: 'done' }, UNKNOWN]);
  const { clock, work } = aWork(task);
  work.kick('10');
  for (const [ms, count] of [
    [2_000, 1],
    [4_000, 3],
    [2_000, 5],
  ] as const) {
    await sleeping(clock, ms);
    expect(steps).toHaveLength(count);
    await clock.advance(ms - 1);
    expect(steps).toHaveLength(count);
    await clock.advance(1);
  }
  await resolved(work.settled());
  expect([steps.length, told]).toEqual([6, []]);
});

test('a step that breaks counts as unknown, and its task is told to doubt what it knew', async () => {
  const { task, steps, doubted } = aTask({ 10: 1 }, [new Error('disk full')]);
  const { clock, work } = aWork(task);
  work.kick('10');
  await sleeping(clock, 2_000);
  expect(doubted).toEqual(['10']);
  await clock.advance(2_000);
  await resolved(work.settled());
  expect([steps, doubted]).toEqual([['10', '10'], ['10']]);
});

test('a step that breaks needs nobody to doubt', async () => {
  const { task, steps } = aTask({ 10: 1 }, [new Error('disk full')]);
  const { clock, work, logged } = aWork({
    dueAtMs: (channelId) => task.dueAtMs(channelId),
    step: (channelId) => task.step(channelId),
  });
  work.kick('10');
  await sleeping(clock, 2_000);
  expect([steps, logged]).toEqual([['10'], ["a channel's work failed"]]);
});

test('a task that pauses in a channel stops neither the others there nor itself elsewhere', async () => {
  const posts = aTask({ 10: 0 });
  const edits = aTask({ 10: 1, 11: 1 }, [{ kind: 'later', afterMs: 9_000 }]);
  const { clock, work } = aWork(posts.task, { edit: edits.task });
  work.kick('10');
  await sleeping(clock, 9_000);
  work.kick('11');
  await resolved(work.settled('11'));
  expect(edits.steps).toEqual(['10', '11']);
  await clock.advance(4_000);
  posts.jobs[10] = 1;
  work.kick('10');
  await sleeping(clock, 5_000);
  expect([posts.steps, edits.steps]).toEqual([['10'], ['10', '11']]);
  await clock.advance(5_000);
  await resolved(work.settled());
  expect(edits.steps).toEqual(['10', '11', '10']);
});

test('work that is added while a channel is busy is done without another kick', async () => {
  const { task, steps, jobs } = aTask({ 10: 1, 11: 0 });
  const { work } = aWork({
    ...task,
    async step(channelId) {
      const result = await task.step(channelId);
      if (steps.length === 1) queueMicrotask(() => work.kick('10'));
      return result;
    },
  });
  work.kick('10');
  jobs[10] = 2;
  await resolved(work.settled());
  expect(steps).toHaveLength(2);
});

test('a retry ends the pauses of missing permissions alone, and the next of them is longer', async () => {
  const posts = aTask({ 10: 1 }, [BLOCKED, BLOCKED]);
  const edits = aTask({ 11: 1 }, [UNKNOWN]);
  const { clock, work } = aWork(posts.task, { edit: edits.task });
  for (const channelId of ['10', '11']) work.kick(channelId);
  await sleeping(clock, 60_000);
  await sleeping(clock, 2_000);
  expect(work.blockedChannels()).toBe(1);
  for (const channelId of ['10', '11']) work.retry(channelId);
  await sleeping(clock, 240_000);
  expect([posts.steps.length, edits.steps.length]).toEqual([2, 1]);
  await clock.advance(240_000);
  await resolved(work.settled());
  expect([posts.steps.length, edits.steps.length, work.blockedChannels()]).toEqual([3, 2, 0]);
});

test('a retry of a channel that is not paused starts nothing', async () => {
  const { task, steps } = aTask({ 10: 1 });
  const { work } = aWork(task);
  work.retry('10');
  await resolved(work.settled());
  expect(steps).toEqual([]);
});

test('a restart ends every pause and forgets the failures', async () => {
  const { task, steps } = aTask({ 10: 1 }, [UNKNOWN, UNKNOWN]);
  const { clock, work, logged } = aWork(task);
  work.kick('10');
  await sleeping(clock, 2_000);
  work.restart('10');
  await sleeping(clock, 2_000);
  expect(steps).toHaveLength(2);
  await clock.advance(2_000);
  await resolved(work.settled());
  expect([steps.length, logged]).toEqual([3, []]);
});

test('a restart starts a channel that nobody works on', async () => {
  const { task, steps } = aTask({ 10: 1 });
  const { work } = aWork(task);
  work.restart('10');
  await resolved(work.settled());
  expect(steps).toEqual(['10']);
});

test('what a permission did before a step is no reason to repeat the step at once', async () => {
  const { task, steps } = aTask({ 10: 1 }, [BLOCKED, BLOCKED]);
  const { clock, work } = aWork(task);
  work.kick('10');
  await sleeping(clock, 60_000);
  work.retry('10');
  await sleeping(clock, 240_000);
  expect(steps).toHaveLength(2);
});

test('while all work is held nothing is begun, and what waits goes on after it', async () => {
  const { task, steps } = aTask({ 10: 2 });
  const { work, house, idle } = aWork({
    ...task,
    async step(channelId) {
      house.isHeld = true;
      return task.step(channelId);
    },
  });
  work.kick('10');
  await resolved(work.settled());
  expect([steps.length, idle]).toEqual([1, []]);
  work.kick('10');
  await resolved(work.settled());
  expect(steps).toHaveLength(1);
  house.isHeld = false;
  work.kick('10');
  await resolved(work.settled());
  expect(steps).toHaveLength(2);
});

test.each(['held', 'stopped'] as const)('what waited for a place when all was %s is not begun', async (how) => {
  // Edits take 25 places at most.
  const jobs = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [String(index), 1]));
  const { task, steps } = aTask(jobs);
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { work, house, stopping } = aWork(IDLE, {
    edit: {
      ...task,
      async step(channelId) {
        const result = await task.step(channelId);
        await gate;
        return result;
      },
    },
  });
  for (const channelId of Object.keys(jobs)) work.kick(channelId);
  await until(() => steps.length >= 25);
  if (how === 'held') house.isHeld = true;
  else stopping.abort();
  open();
  await resolved(work.settled());
  expect(steps).toHaveLength(25);
});

test('a stop ends the pauses, and nothing is begun after it', async () => {
  const { task, steps } = aTask({ 10: 1, 11: 1 }, [UNKNOWN]);
  const { clock, work, stopping, idle, logged } = aWork(task);
  work.kick('10');
  await sleeping(clock, 2_000);
  stopping.abort();
  await resolved(work.settled());
  work.kick('11');
  work.restart('11');
  await resolved(work.settled());
  expect([steps, idle, logged]).toEqual([['10'], [], []]);
});
