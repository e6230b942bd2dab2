import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { HEARTBEAT_MS } from '../../src/store/table/lease.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { openedRecords, openedState } from '../helpers/opened-state.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';

/** A state that outlives its runs. */
function setUp() {
  const clock = new ManualClock();
  const stateUrl = temporaryState();
  return {
    clock,
    /** The state as the program holds it. Without its close it ends as by a kill. */
    hold: async (onWrite: () => void = () => undefined) => {
      const owner = { dealbell: '1', clock, log: createLog('silent'), signal: new AbortController().signal };
      const onOperation = (operation: 'read' | 'write') => {
        if (operation === 'write') onWrite();
      };
      const store = await openStore(stateUrl, clock, { ...owner, onLost: () => undefined, onOperation });
      onTestFinished(() => store.close());
      return store;
    },
    rows: () => openedState(stateUrl).backend.under(['pace:']),
    /** Each change is a commit of its own. */
    open: async () => {
      const { state } = openedState(stateUrl);
      const { rateLog } = await openedRecords(state, clock);
      return {
        ...rateLog,
        record: (place: string, id: string) => state.commit((changes) => rateLog.record(changes, place, id)),
        forget: (place: string, id: string) => state.commit((changes) => rateLog.forget(changes, place, id)),
      };
    },
  };
}

const idsOf = (rateLog: Pick<Store['rateLog'], 'recent'>, clock: ManualClock) =>
  rateLog.recent('post/1', clock.now()).map(({ id }) => id);

test.each([-24, -3, 3, 24])(
  'an hour is one that passes, in a run in which the clock jumps by %i hours',
  async (hours) => {
    const { clock, open } = setUp();
    const rateLog = await open();
    await rateLog.record('post/1', 'a');
    await clock.advance(10 * MINUTE_MS);
    clock.jump(hours * HOUR_MS);
    await rateLog.record('post/1', 'b');
    expect(rateLog.recent('post/1', clock.now())).toEqual([
      { id: 'a', atMs: clock.now() - 10 * MINUTE_MS },
      { id: 'b', atMs: clock.now() },
    ]);
    await clock.advance(50 * MINUTE_MS - 1);
    expect(idsOf(rateLog, clock)).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(idsOf(rateLog, clock)).toEqual(['b']);
  },
);

test('what was done in the past hour is known after a restart', async () => {
  const { clock, open } = setUp();
  await (await open()).record('post/1', 'a');
  await clock.advance(HOUR_MS - 1);
  const rateLog = await open();
  expect(idsOf(rateLog, clock)).toEqual(['a']);
  await clock.advance(1);
  expect(idsOf(rateLog, clock)).toEqual([]);
});

test('what was done in the future counts for an hour after a restart, and no longer', async () => {
  const { clock, open } = setUp();
  await (await open()).record('post/1', 'a');
  clock.jump(-365 * 24 * HOUR_MS);
  const rateLog = await open();
  expect(rateLog.recent('post/1', clock.now())).toEqual([{ id: 'a', atMs: clock.now() }]);
  await clock.advance(HOUR_MS - 1);
  expect(idsOf(rateLog, clock)).toEqual(['a']);
  await clock.advance(1);
  expect(idsOf(rateLog, clock)).toEqual([]);
  await rateLog.sweep();
  expect(idsOf(await open(), clock)).toEqual([]);
});

test('what is done again counts once, with its last time', async () => {
  const { clock, open } = setUp();
  const rateLog = await open();
  await rateLog.record('post/1', 'a');
  await clock.advance(MINUTE_MS);
  await rateLog.record('post/1', 'b');
  await clock.advance(MINUTE_MS);
  await rateLog.record('post/1', 'a');
  expect(idsOf(rateLog, clock)).toEqual(['b', 'a']);
});

test('a restart goes by the dates: the hour of what was done before the clock was set ahead is over', async () => {
  const { clock, open } = setUp();
  await (await open()).record('post/1', 'a');
  clock.jump(3 * HOUR_MS);
  expect(idsOf(await open(), clock)).toEqual([]);
});

test.each([-3, 3])(
  'a program that renewed its lease after the clock jumped by %i hours may be killed',
  async (hours) => {
    const { clock, hold, open } = setUp();
    const store = await hold();
    await store.commit((changes) => store.rateLog.record(changes, 'post/1', 'a'));
    await clock.advance(10 * MINUTE_MS);
    clock.jump(hours * HOUR_MS);
    await clock.advance(HEARTBEAT_MS);
    const done = { id: 'a', atMs: clock.now() - 10 * MINUTE_MS - HEARTBEAT_MS };
    await expect.poll(async () => (await open()).recent('post/1', clock.now())).toEqual([done]);
  },
);

test.each([-3, 3])(
  'a program that ends when the clock has just jumped by %i hours knows its hour after a restart',
  async (hours) => {
    const { clock, hold, open } = setUp();
    const store = await hold();
    await store.commit((changes) => store.rateLog.record(changes, 'post/1', 'a'));
    await clock.advance(10 * MINUTE_MS);
    clock.jump(hours * HOUR_MS);
    await store.close();
    expect((await open()).recent('post/1', clock.now())).toEqual([{ id: 'a', atMs: clock.now() - 10 * MINUTE_MS }]);
  },
);

test('what was dated by a clock that was wrong only between two looks is dated anew', async () => {
  const { clock, hold, open } = setUp();
  const store = await hold();
  clock.jump(2 * HOUR_MS);
  await store.commit((changes) => store.rateLog.record(changes, 'post/1', 'a'));
  await clock.advance(10 * MINUTE_MS);
  clock.jump(-2 * HOUR_MS);
  await store.close();
  expect((await open()).recent('post/1', clock.now())).toEqual([{ id: 'a', atMs: clock.now() - 10 * MINUTE_MS }]);
});

test('what failed counts no more, in this run and the next, and no row is left of a place without any', async () => {
  const { clock, open, rows } = setUp();
  const rateLog = await open();
  for (const id of ['a', 'b']) await rateLog.record('post/1', id);
  await rateLog.forget('post/1', 'a');
  await rateLog.forget('post/1', 'none');
  for (const run of [rateLog, await open()]) expect(idsOf(run, clock)).toEqual(['b']);
  await rateLog.forget('post/1', 'b');
  for (const run of [rateLog, await open()]) expect(idsOf(run, clock)).toEqual([]);
  expect(await rows()).toEqual([]);
});

test('nothing is written while no clock is set, and once when one is', async () => {
  const { clock, hold } = setUp();
  let writes = 0;
  const first = await hold();
  await first.commit((changes) => first.rateLog.record(changes, 'post/1', 'a'));
  await clock.advance(MINUTE_MS);
  await first.close();
  const store = await hold(() => {
    writes += 1;
  });
  const before = writes;
  for (let look = 0; look < 3; look += 1) {
    await clock.advance(MINUTE_MS);
    // A clock that is corrected by a little was not set.
    clock.jump(1_000);
    await store.rateLog.restamp();
    await store.commit((changes) => store.rateLog.forget(changes, 'post/1', 'none'));
  }
  expect(writes).toBe(before);
  clock.jump(HOUR_MS);
  for (let look = 0; look < 3; look += 1) await store.rateLog.restamp();
  expect(writes).toBe(before + 1);
});

test('an hour that began by a clock which was set back ends after an hour, however often the program starts', async () => {
  const { clock, hold, open } = setUp();
  const first = await hold();
  await first.commit((changes) => first.rateLog.record(changes, 'post/1', 'a'));
  await clock.advance(20 * MINUTE_MS);
  await first.commit((changes) => first.rateLog.record(changes, 'post/1', 'b'));
  await first.close();
  clock.jump(-10 * MINUTE_MS);
  for (let run = 0; run < 3; run += 1) {
    const store = await hold();
    await clock.advance(10 * MINUTE_MS);
    await store.close();
  }
  const nowMs = clock.now();
  // The first one is 50 minutes old, and seemed 10 minutes younger.
  expect((await open()).recent('post/1', nowMs)).toEqual([
    { id: 'a', atMs: nowMs - 40 * MINUTE_MS },
    { id: 'b', atMs: nowMs - 30 * MINUTE_MS },
  ]);
});

test('places count apart, and those whose hour is over are forgotten', async () => {
  const { clock, open } = setUp();
  const rateLog = await open();
  await rateLog.record('edit/1', 'a');
  await clock.advance(HOUR_MS - 1);
  await rateLog.record('post/1', 'b');
  expect(rateLog.recent('edit/1', clock.now())).toHaveLength(1);
  await clock.advance(1);
  await rateLog.sweep();
  // A clock that was set back since would show it again.
  clock.jump(-HOUR_MS);
  const again = await open();
  expect(again.recent('edit/1', clock.now())).toEqual([]);
  expect(idsOf(again, clock)).toEqual(['b']);
});
