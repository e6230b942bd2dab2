import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { blockedMs } from '../../helpers/back-offs.ts';
import type { Backend } from '../../helpers/opened-state.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { anOffer } from '../../helpers/things.ts';

const BLOCKED = { kind: 'blocked', reason: 'cannot-post' } as const;

/** Counts the characters of all rows that are written. */
function counting(backend: Backend, count: (characters: number) => void): Backend {
  return {
    ...backend,
    write(rows) {
      for (const [, row] of rows) count(row?.length ?? 0);
      return backend.write(rows);
    },
  };
}

test('a blocked channel is tried after 1, 4 and 16 minutes and then hourly, not a moment earlier', async () => {
  const { tries, script, run, pass } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick } = await run();
  script.otherwise = BLOCKED;
  await enqueue(anOffer(1), await subscribe('s'));
  await kick();
  let count = 1;
  for (const minutes of [1, 4, 16, 60, 60]) {
    expect(tries).toHaveLength(count);
    await pass(minutes * MINUTE_MS - 1);
    expect(tries).toHaveLength(count);
    await pass(1);
    count += 1;
  }
  expect(tries).toHaveLength(count);
});

test('news in a channel that stays blocked causes no more tries, and each is written about as often as a quiet one', async () => {
  let written = 0;
  const { clock, tries, script, run, pass, idle } = await aScriptedDeliverer((backend) =>
    counting(backend, (characters) => {
      written += characters;
    }),
  );
  const { subscribe, enqueue, kick, deliverer } = await run();
  const subscription = await subscribe('s');
  script.otherwise = BLOCKED;
  const endDateMs = clock.now() + 48 * HOUR_MS;
  let news = 0;
  for (let minute = 0; minute < 24 * 60; minute += 10) {
    const before = written;
    await enqueue(anOffer(minute + 1, { endDateMs }), subscription);
    news += written - before;
    await kick();
    await pass(10 * MINUTE_MS);
  }
  expect(tries).toHaveLength(27);
  expect(written - news).toBeLessThan(2 * news);
  script.otherwise = null;
  deliverer.retry('10');
  await idle();
  await deliverer.settled();
  // News of the last half hour has not waited long enough to be told together.
  expect(tries[27]?.text).toContain('141 deals');
  expect(tries).toHaveLength(28 + 3);
});

test('what is over by the time of a try does not end the back-off', async () => {
  const { clock, tries, script, run, pass } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick } = await run();
  const subscription = await subscribe('s');
  script.otherwise = BLOCKED;
  const startMs = clock.now();
  await enqueue(anOffer(1, { endDateMs: startMs + blockedMs() + blockedMs(2) / 2 }), subscription);
  await kick();
  await pass(blockedMs());
  await enqueue(anOffer(2), subscription);
  await pass(blockedMs(2));
  expect(tries.map(({ atMs }) => atMs - startMs)).toEqual([0, blockedMs(), blockedMs() + blockedMs(2)]);
  expect(tries[2]?.text).toContain('Kettle 2');
  await pass(blockedMs(3) - 1);
  expect(tries).toHaveLength(3);
  await pass(1);
  expect(tries).toHaveLength(4);
});

test('what Discord has refused for now will not arrive: it comes together with what has come since', async () => {
  const { tries, answers, run, pass } = await aScriptedDeliverer();
  const { subscribe, enqueueLate, kick } = await run();
  const subscription = await subscribe('s');
  answers.push(BLOCKED);
  await enqueueLate([anOffer(1)], subscription);
  await kick();
  await enqueueLate([anOffer(2), anOffer(3)], subscription);
  await pass(blockedMs());
  expect(tries.map(({ text }) => text.includes('3 deals'))).toEqual([false, true]);
});

test.each([
  { ms: 119_999, isAlone: true, told: [1, 2, 1] },
  { ms: 120_000, isAlone: false, told: [1, 3] },
])(
  'a try that was cut off goes under its own id for two minutes: after $ms ms $isAlone',
  async ({ ms, isAlone, told }) => {
    const { clock, tries, answers, run } = await aScriptedDeliverer();
    const before = await run();
    const subscription = await before.subscribe('s');
    answers.push({ kind: 'unknown', reason: 'silence' });
    await before.enqueueLate([anOffer(1)], subscription);
    await before.kick();
    await before.deliverer.stop();
    await before.enqueueLate([anOffer(2), anOffer(3)], subscription);
    await clock.advance(ms);
    const after = await run();
    await after.kick();
    expect(tries.map(({ text }) => Number(/(\d) (?:announcements|deals)/.exec(text)?.[1] ?? 1))).toEqual(told);
    expect(tries[0]?.deliveryId === tries[2]?.deliveryId).toBe(isAlone);
  },
);
