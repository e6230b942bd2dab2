import { expect, onTestFinished, test } from 'vitest';
import { openPaces, type PaceStore } from '../../../src/bot/store/paces.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A state that outlives its runs. */
function setUp() {
  const clock = new ManualClock();
  const stateUrl = temporaryState();
  return {
    clock,
    open: async (): Promise<PaceStore> => {
      const backend = openBackend(stateUrl);
      onTestFinished(() => backend.close());
      return openPaces(backend, clock);
    },
  };
}

const idsOf = (paces: PaceStore, clock: ManualClock) => paces.of('post/1', clock.now()).map(({ id }) => id);

test.each([-24, -3, 3, 24])(
  'an hour is one that passes, in a run in which the clock jumps by %i hours',
  async (hours) => {
    const { clock, open } = setUp();
    const paces = await open();
    await paces.note('post/1', 'a', clock.now());
    await clock.advance(10 * MINUTE_MS);
    clock.jump(hours * HOUR_MS);
    await paces.note('post/1', 'b', clock.now());
    expect(paces.of('post/1', clock.now())).toEqual([
      { id: 'a', atMs: clock.now() - 10 * MINUTE_MS },
      { id: 'b', atMs: clock.now() },
    ]);
    await clock.advance(50 * MINUTE_MS - 1);
    expect(idsOf(paces, clock)).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(idsOf(paces, clock)).toEqual(['b']);
  },
);

test('what was done in the past hour is known after a restart', async () => {
  const { clock, open } = setUp();
  await (await open()).note('post/1', 'a', clock.now());
  await clock.advance(HOUR_MS - 1);
  const paces = await open();
  expect(idsOf(paces, clock)).toEqual(['a']);
  await clock.advance(1);
  expect(idsOf(paces, clock)).toEqual([]);
});

test('what was done in the future counts for an hour after a restart, and no longer', async () => {
  const { clock, open } = setUp();
  await (await open()).note('post/1', 'a', clock.now());
  clock.jump(-365 * 24 * HOUR_MS);
  const paces = await open();
  expect(paces.of('post/1', clock.now())).toEqual([{ id: 'a', atMs: clock.now() }]);
  await clock.advance(HOUR_MS - 1);
  expect(idsOf(paces, clock)).toEqual(['a']);
  await clock.advance(1);
  expect(idsOf(paces, clock)).toEqual([]);
  await paces.sweep(clock.now());
  expect(idsOf(await open(), clock)).toEqual([]);
});

test('what is done again counts once, with its last time', async () => {
  const { clock, open } = setUp();
  const paces = await open();
  await paces.note('post/1', 'a', clock.now());
  await clock.advance(MINUTE_MS);
  await paces.note('post/1', 'b', clock.now());
  await clock.advance(MINUTE_MS);
  await paces.note('post/1', 'a', clock.now());
  expect(idsOf(paces, clock)).toEqual(['b', 'a']);
});

test.each([-3, 3])('a clock that jumps by %i hours changes no hour, not by a restart either', async (hours) => {
  const { clock, open } = setUp();
  const before = await open();
  await before.note('post/1', 'a', clock.now());
  await clock.advance(10 * MINUTE_MS);
  clock.jump(hours * HOUR_MS);
  await before.redate();
  await clock.advance(20 * MINUTE_MS);
  const paces = await open();
  expect(paces.of('post/1', clock.now())).toEqual([{ id: 'a', atMs: clock.now() - 30 * MINUTE_MS }]);
});

test('what was done in the future counts for an hour in all, however many restarts there are', async () => {
  const { clock, open } = setUp();
  await (await open()).note('post/1', 'a', clock.now());
  clock.jump(-24 * HOUR_MS);
  await (await open()).redate();
  await clock.advance(40 * MINUTE_MS);
  const paces = await open();
  expect(paces.of('post/1', clock.now())).toEqual([{ id: 'a', atMs: clock.now() - 40 * MINUTE_MS }]);
});

test('what was done more than an hour before the clock was set back counts for nothing after a restart', async () => {
  const { clock, open } = setUp();
  const before = await open();
  await before.note('post/1', 'a', clock.now());
  await clock.advance(2 * HOUR_MS);
  clock.jump(-18 * HOUR_MS);
  await before.redate();
  expect(idsOf(await open(), clock)).toEqual([]);
});
