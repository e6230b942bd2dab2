import { expect, test } from 'vitest';
import type { Timing } from '../../../src/deals/settings.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { retryMs } from '../../helpers/back-offs.ts';
import { aScriptedDeliverer } from '../../helpers/scripted-courier.ts';
import { anOffer } from '../../helpers/things.ts';

const QUIET: Timing = {
  mode: 'at-once',
  dailyAtMinute: 0,
  timeZone: 'UTC',
  quiet: { fromMinute: 22 * 60, toMinute: 7 * 60 },
};

test('what two want of which one has quiet hours comes once, for the other, without the role of the quiet one', async () => {
  const { clock, tries, run, pass } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer } = await run();
  const quiet = await subscribe('quiet', { timing: QUIET, mentioned: ['7'] });
  const open = await subscribe('open', { mentioned: ['8'] });
  clock.set('2026-10-06T23:00:00Z');
  await enqueue(anOffer(1), quiet, open);
  await kick();
  await deliverer.settled();
  expect(tries.map(({ roles }) => roles)).toEqual([['8']]);
  await pass(9 * HOUR_MS);
  await kick();
  expect(tries).toHaveLength(1);
  await enqueue(anOffer(2), quiet, open);
  await kick();
  expect(tries[1]?.roles.toSorted()).toEqual(['7', '8']);
});

test('what waits for the end of quiet hours is in nobody else’s roll-up, and mentions its role only after them', async () => {
  const { clock, tries, script, run, pass, idle } = await aScriptedDeliverer();
  const { subscribe, enqueueLate, kick, deliverer } = await run();
  const quiet = await subscribe('quiet', { timing: QUIET, mentioned: ['7'] });
  const open = await subscribe('open', { mentioned: ['8'] });
  clock.set('2026-10-06T21:00:00Z');
  script.otherwise = { kind: 'blocked', reason: 'cannot-post' };
  await enqueueLate([anOffer(1), anOffer(2)], quiet);
  await kick();
  expect(tries[0]).toMatchObject({ roles: ['7'], text: expect.stringContaining('2 deals') });
  await pass(HOUR_MS + 10 * MINUTE_MS);
  const before = tries.length;
  script.otherwise = null;
  await enqueueLate([anOffer(3), anOffer(4)], open);
  deliverer.retry('10');
  await idle();
  await pass(40 * MINUTE_MS);
  const atNight = tries.slice(before);
  expect(atNight.flatMap(({ roles }) => roles)).not.toContain('7');
  expect(atNight.map(({ text }) => text).join()).toMatch(/Kettle 4(.|\n)*Kettle 3/);
  expect(atNight.map(({ text }) => text).join()).not.toMatch(/Kettle [12]/);
  expect(deliverer.status().pending).toBe(2);
  await pass(9 * HOUR_MS);
  await kick();
  await deliverer.settled();
  expect(tries.at(-1)).toMatchObject({ roles: ['7'], text: expect.stringContaining('2 deals') });
  expect(tries.at(-1)?.atMs).toBe(Date.parse('2026-10-07T07:00:00Z'));
});

test('a roll-up that may have arrived when quiet hours begin is looked for before its members are posted anew', async () => {
  const { clock, tries, script, run, pass } = await aScriptedDeliverer();
  const { subscribe, enqueueLate, enqueue, kick, deliverer } = await run();
  const quiet = await subscribe('quiet', { timing: QUIET, mentioned: ['7'] });
  const open = await subscribe('open');
  clock.set('2026-10-06T21:59:59Z');
  script.otherwise = { kind: 'unknown', reason: 'silence' };
  await enqueueLate([anOffer(1), anOffer(2)], quiet);
  await kick();
  expect(tries).toHaveLength(1);
  script.otherwise = null;
  await pass(5_000, 1_000);
  // Nothing else may use its members or come before it until it can't arrive any more.
  await enqueue(anOffer(3), open);
  await kick();
  await pass(114_000, 1_000);
  expect([tries.length, script.reads]).toEqual([1, 1]);
  await pass(2_000, 1_000);
  expect([tries.length, script.reads]).toEqual([2, 2]);
  expect(tries[1]).toMatchObject({ roles: [], text: expect.stringContaining('Kettle 3') });
  await pass(9 * HOUR_MS);
  await kick();
  await deliverer.settled();
  expect(tries.slice(2)).toMatchObject([{ roles: ['7'], text: expect.stringContaining('2 deals') }]);
});

test('a roll-up of which one member has quiet hours by now is not repeated', async () => {
  const { clock, tries, answers, run, pass } = await aScriptedDeliverer();
  const { subscribe, enqueueLate, kick } = await run();
  const quiet = await subscribe('quiet', { timing: QUIET });
  const open = await subscribe('open');
  clock.set('2026-10-06T21:59:59Z');
  answers.push({ kind: 'unknown', reason: 'silence' });
  await enqueueLate([anOffer(1)], quiet);
  await enqueueLate([anOffer(2)], open);
  await kick();
  await pass(119_000, 1_000);
  expect(tries.map(({ text }) => text)).toEqual([expect.stringContaining('2 deals')]);
  await pass(2_000, 1_000);
  expect(tries.slice(1).map(({ text }) => /Kettle \d/.exec(text)?.[0])).toEqual(['Kettle 2']);
});

test('the clocks of the machine set back keep nothing back that was to come at once', async () => {
  const { clock, tries, run } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick, deliverer } = await run();
  const subscription = await subscribe('s');
  await enqueue(anOffer(1), subscription);
  clock.jump(-3 * HOUR_MS);
  await kick();
  await deliverer.settled();
  expect(tries).toHaveLength(1);
});

test('what was tried right before quiet hours is looked for again before it is posted after them', async () => {
  const { clock, tries, answers, script, run, pass } = await aScriptedDeliverer();
  const { subscribe, enqueue, kick } = await run();
  const quiet = await subscribe('quiet', { timing: QUIET });
  const open = await subscribe('open');
  clock.set('2026-10-06T21:59:59Z');
  answers.push({ kind: 'unknown', reason: 'silence' });
  await enqueue(anOffer(1), quiet);
  await kick();
  await enqueue(anOffer(2), open);
  await pass(retryMs() + 1_000, 1_000);
  // The first reading was too early to tell: the try could still have arrived after it.
  expect([tries.length, script.reads]).toEqual([2, 2]);
  await pass(9 * HOUR_MS);
  await kick();
  expect([tries.length, script.reads]).toEqual([3, 3]);
});
