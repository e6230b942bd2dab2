import { expect, onTestFinished, test } from 'vitest';
import { createOpenTries } from '../../../../src/bot/announcements/deliver/open-tries.ts';
import { openStore } from '../../../../src/bot/store/store.ts';
import { ManualClock } from '../../../helpers/manual-clock.ts';
import { temporaryState } from '../../../helpers/temporary-folder.ts';
import { aDelivery, HOUR_MS } from '../../../helpers/things.ts';

const TWO_MINUTES_MS = 120_000;
const paceOf = (channelId: string) => `post/${channelId}`;

/** The open tries of a run, so long after what a former run has left in the outbox and counted. */
async function aRun(tried: { id: string; isPending: boolean }[] = [], agoMs = 0) {
  const clock = new ManualClock();
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  const pending = tried.filter(({ isPending }) => isPending).map(({ id }) => aDelivery(id));
  await store.deliveries.add([...pending, aDelivery('untried')], (one) => [...one]);
  for (const { id } of tried) await store.paces.note(paceOf('10'), id, clock.now());
  await clock.advance(agoMs);
  return { clock, tries: createOpenTries(store.deliveries, store.paces, paceOf, clock) };
}

test('a try may arrive for two minutes, and then the channel has to be read', async () => {
  const { clock, tries } = await aRun();
  const untilMs = clock.now() + TWO_MINUTES_MS;
  tries.begin('10', 'a');
  expect([tries.mayArrive('10'), tries.needReading('10')]).toEqual([new Map([['a', untilMs]]), false]);
  expect([tries.mayArrive('11'), tries.needReading('11')]).toEqual([new Map(), false]);
  await clock.advance(TWO_MINUTES_MS - 1);
  expect([tries.mayArrive('10'), tries.needReading('10')]).toEqual([new Map([['a', untilMs]]), false]);
  await clock.advance(1);
  expect([tries.mayArrive('10'), tries.needReading('10')]).toEqual([new Map(), true]);
});

test('a try that Discord has answered is over; the others stay', async () => {
  const { clock, tries } = await aRun();
  tries.begin('10', 'a');
  tries.begin('10', 'b');
  tries.end('10', 'a');
  tries.end('12', 'a');
  expect([...tries.mayArrive('10').keys()]).toEqual(['b']);
  tries.end('10', 'b');
  await clock.advance(TWO_MINUTES_MS);
  expect(tries.needReading('10')).toBe(false);
});

test('a reading settles what can not arrive after it has begun', async () => {
  const { clock, tries } = await aRun();
  tries.begin('10', 'a');
  await clock.advance(1);
  tries.begin('10', 'b');
  tries.read('10', TWO_MINUTES_MS - 1);
  tries.read('11', TWO_MINUTES_MS);
  await clock.advance(TWO_MINUTES_MS);
  expect(tries.needReading('10')).toBe(true);
  tries.read('10', TWO_MINUTES_MS);
  expect(tries.needReading('10'), 'the later one').toBe(true);
  tries.read('10', TWO_MINUTES_MS + 1);
  expect(tries.needReading('10')).toBe(false);
});

test('a former run’s tries go on where their deliveries still wait', async () => {
  const tried = [
    { id: 'young', isPending: true },
    { id: 'ended', isPending: false },
  ];
  const { clock, tries } = await aRun(tried, 30_000);
  expect(tries.mayArrive('10')).toEqual(new Map([['young', clock.now() + 90_000]]));
  expect(tries.needReading('10')).toBe(false);
  await clock.advance(90_000);
  expect(tries.needReading('10')).toBe(true);
  expect((await aRun(tried, 10 * TWO_MINUTES_MS)).tries.needReading('10')).toBe(true);
});

test('a wall clock that is set makes a try neither older nor younger', async () => {
  const { clock, tries } = await aRun();
  await clock.advance(1_000);
  tries.begin('10', 'a');
  clock.jump(HOUR_MS);
  expect(tries.mayArrive('10').get('a')).toBe(clock.now() + TWO_MINUTES_MS);
  clock.jump(-2 * HOUR_MS);
  await clock.advance(TWO_MINUTES_MS - 1);
  expect(tries.mayArrive('10').get('a')).toBe(clock.now() + 1);
});
