import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { StateInUseError, StoreError } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import {
  BUSY_FOR_MS,
  CONFIRMED_FOR_MS,
  GONE_AFTER_MS,
  HEARTBEAT_MS,
  type LeaseRecord,
  LOOK_MS,
  REQUEST_MS,
  takeLease,
} from '../../../src/store/table/lease.ts';
import { ownIdentity } from '../../../src/store/table/process-identity.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { betweenLooks, lookFor } from '../../helpers/lease-looks.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { type Backend, backendAt } from '../../helpers/opened-state.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';

/** The last request of a silent holder is over so long after its last sign of life. */
const CLEAR_AFTER_MS = CONFIRMED_FOR_MS + REQUEST_MS;

/** A state of which several want the lease, each with a clock of its own. */
function aState() {
  const url = temporaryState();
  return {
    async want(clock = new ManualClock(), { isStandby = false } = {}) {
      const backend = backendAt(url);
      onTestFinished(() => backend.close());
      const lost: StateInUseError[] = [];
      const warnings: string[] = [];
      const stopping = new AbortController();
      const log = createTestLog((line) => {
        if ((JSON.parse(line) as { level: number }).level === 40) warnings.push(line);
      });
      const taking = takeLease(backend.lease, {
        clock,
        log,
        signal: stopping.signal,
        onLost: (error) => lost.push(error),
        ...(isStandby && { isStandby }),
      });
      taking.catch(() => undefined);
      return { backend, clock, lost, warnings, taking, stopping };
    },
  };
}

const watching = ({ clock, taking }: { clock: ManualClock; taking: Promise<unknown> }, ms: number) =>
  lookFor(clock, ms, taking);

const recordOf = async (lease: Backend['lease']) => JSON.parse((await lease.read()) ?? '') as LeaseRecord;

/** Has the holder show that it lives, after the watching process has read its former heartbeat and sleeps again. */
async function beat(
  { clock, backend }: { clock: ManualClock; backend: { lease: Backend['lease'] } },
  watcher: { clock: ManualClock },
): Promise<void> {
  await betweenLooks(watcher.clock);
  const { heartbeat } = await recordOf(backend.lease);
  await clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
  await clock.advance(HEARTBEAT_MS);
  await expect.poll(async () => (await recordOf(backend.lease)).heartbeat).toBe(heartbeat + 1);
}

test('who comes second is told who holds it, as soon as that shows that it lives', async () => {
  const state = aState();
  // People read the machine's time there, whatever time the process itself goes by.
  const first = await state.want(new ManualClock('2031-10-06T12:00:00Z'));
  await first.taking;
  const takenByMs = Date.now();
  const second = await state.want();
  await watching(second, LOOK_MS);
  await beat(first, second);
  await watching(second, LOOK_MS);
  const { host } = ownIdentity();
  const refused = await second.taking.catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StateInUseError);
  const [, pid, on, since = ''] = /process (\d+) on (\S+), since (\S+)\)/.exec(String(refused)) ?? [];
  expect([Number(pid), on]).toEqual([process.pid, host]);
  expect(Date.parse(since)).toBeGreaterThan(performance.timeOrigin);
  expect(Date.parse(since)).toBeLessThanOrEqual(takenByMs);
});

test('a holder that is silent is taken over after 15 s, not before, and every taking has a number of its own', async () => {
  const state = aState();
  const first = await state.want();
  await first.taking;
  expect((await first.taking).epoch).toBe(1);
  const second = await state.want();
  await watching(second, GONE_AFTER_MS - LOOK_MS);
  expect(await recordOf(first.backend.lease)).toMatchObject({ epoch: 1, process: { pid: process.pid } });
  await watching(second, LOOK_MS);
  expect((await second.taking).epoch).toBe(2);
  expect(await recordOf(first.backend.lease)).toMatchObject({ epoch: 2, heartbeat: 0 });
  const rows = (value: string | null) => new Map([['thing:k', value]]);
  await expect(first.backend.write(rows('1'))).rejects.toThrow('another process has taken the state over');
  await second.backend.write(rows('2'));
  await expect(first.backend.write(rows(null))).rejects.toThrow('another process has taken the state over');
  expect(await second.backend.under(['thing:'])).toEqual([{ key: 'thing:k', value: '2' }]);
});

test('neither clock has to be right: only movement counts', async () => {
  const state = aState();
  const first = await state.want(new ManualClock('2030-01-01T00:00:00Z'));
  await first.taking;
  const second = await state.want(new ManualClock('2020-01-01T00:00:00Z'));
  await watching(second, 10_000);
  second.clock.jump(3_600_000);
  await beat(first, second);
  await watching(second, LOOK_MS);
  await expect(second.taking).rejects.toThrow(StateInUseError);
});

test('one that was taken over is told so at its next heartbeat, once, and may do nothing more', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  const second = await state.want();
  await watching(second, GONE_AFTER_MS);
  await second.taking;
  await first.clock.advance(HEARTBEAT_MS);
  await expect.poll(() => first.lost).toHaveLength(1);
  expect(String(first.lost[0])).toContain('has taken over this state, so this process is stopping');
  expect(first.warnings).toEqual([]);
  await expect(lease.confirm()).rejects.toThrow(StateInUseError);
  // The lease that it gives back is not its own any more.
  await lease.release();
  expect(await recordOf(second.backend.lease)).toMatchObject({ epoch: 2 });
  expect((await recordOf(second.backend.lease)).holder).not.toBeNull();
  expect(first.lost).toHaveLength(1);
});

test('one that was paused asks before it goes on: after 4 s without a heartbeat, not before', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  // Another takes it over while the first one stands still.
  const cell = first.backend.lease;
  await cell.replace(
    (await cell.read()) ?? '',
    JSON.stringify({ ...(await recordOf(cell)), holder: 'other', epoch: 2 }),
  );
  const paused = first.clock as unknown as { monotonicMs: () => number };
  paused.monotonicMs = () => CONFIRMED_FOR_MS - 1;
  await lease.confirm();
  paused.monotonicMs = () => CONFIRMED_FOR_MS;
  await expect(lease.confirm()).rejects.toThrow(StateInUseError);
  expect(first.lost).toHaveLength(1);
});

/** Has another process take the lease over, whatever its holder does. */
async function takenOver(cell: Backend['lease']): Promise<void> {
  const taken = { ...(await recordOf(cell)), holder: 'other', epoch: 2 };
  await cell.replace((await cell.read()) ?? '', JSON.stringify(taken));
}

test('one whose machine was suspended asks before it goes on, though its monotonic time stood still', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  await takenOver(first.backend.lease);
  first.clock.jump(CONFIRMED_FOR_MS - 1);
  await lease.confirm();
  first.clock.jump(1);
  await expect(lease.confirm()).rejects.toThrow(StateInUseError);
  expect(first.lost).toHaveLength(1);
});

test('a wall clock that is set, forward or back, takes the lease from nobody: it is only confirmed anew', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  for (const [jumpMs, heartbeat] of [
    [24 * 3_600_000, 1],
    [-48 * 3_600_000, 1],
    [72 * 3_600_000, 2],
  ] as const) {
    first.clock.jump(jumpMs);
    await lease.confirm();
    expect((await recordOf(first.backend.lease)).heartbeat).toBe(heartbeat);
  }
  expect(first.lost).toEqual([]);
});

test('one that is busy is taken over after 2 minutes of silence, not before', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  expect(await lease.whileBusy(async () => 'done')).toBe('done');
  for (const isStandby of [false, true]) {
    const second = await state.want(new ManualClock(), { isStandby });
    await watching(second, BUSY_FOR_MS - LOOK_MS);
    expect(await recordOf(first.backend.lease)).toMatchObject({ epoch: 1, silentMs: BUSY_FOR_MS });
    second.stopping.abort(new Error('stopped'));
    await expect(second.taking).rejects.toThrow('stopped');
  }
  const last = await state.want();
  await watching(last, BUSY_FOR_MS);
  expect((await last.taking).epoch).toBe(2);
});

test('works that keep a holder busy at once are all told, and after them its silence means what it did', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  const silentMs = async () => (await recordOf(first.backend.lease)).silentMs;
  const ends: (() => void)[] = [];
  const works = [1, 2].map(() =>
    lease.whileBusy(async () => {
      expect(await silentMs()).toBe(BUSY_FOR_MS);
      await new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  await expect.poll(() => ends).toHaveLength(2);
  ends[0]?.();
  await works[0];
  const beatOnce = async () => {
    const { heartbeat } = await recordOf(first.backend.lease);
    await first.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
    await first.clock.advance(HEARTBEAT_MS);
    await expect.poll(async () => (await recordOf(first.backend.lease)).heartbeat).toBe(heartbeat + 1);
  };
  await beatOnce();
  expect(await silentMs()).toBe(BUSY_FOR_MS);
  ends[1]?.();
  await works[1];
  await beatOnce();
  expect(await silentMs()).toBeUndefined();
  const second = await state.want();
  await watching(second, GONE_AFTER_MS);
  expect((await second.taking).epoch).toBe(2);
});

test('a holder that releases the lease after it was busy leaves it to whoever comes', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  await lease.whileBusy(async () => undefined);
  await lease.release();
  expect(await recordOf(first.backend.lease)).not.toHaveProperty('silentMs');
  expect((await (await state.want()).taking).epoch).toBe(2);
});

test('what must be known for sure is asked again, whatever the clocks say, and shared for as long as is said', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  await first.clock.advance(100);
  await Promise.all([lease.confirm(100), lease.confirm(100)]);
  expect((await recordOf(first.backend.lease)).heartbeat).toBe(1);
  await first.clock.advance(99);
  await lease.confirm(100);
  expect((await recordOf(first.backend.lease)).heartbeat).toBe(1);
  await first.clock.advance(1);
  await takenOver(first.backend.lease);
  await lease.confirm();
  await expect(lease.confirm(100)).rejects.toThrow(StateInUseError);
});

test('an answer that waited while the process stood still says nothing: it is asked again', async () => {
  const state = aState();
  const first = await state.want();
  const { lease: cell } = first.backend;
  const { replace } = cell;
  const lease = await first.taking;
  cell.replace = async (seen, next) => {
    cell.replace = replace;
    const isHeld = await replace(seen, next);
    await takenOver(cell);
    first.clock.jump(60_000);
    return isHeld;
  };
  first.clock.jump(60_000);
  await expect(lease.confirm()).rejects.toThrow(StateInUseError);
});

test.each([
  [CONFIRMED_FOR_MS - 1, 1],
  [CONFIRMED_FOR_MS, 2],
])(
  'a renewal whose answer took %i ms is not old enough to ask again, or is (%i renewals)',
  async (tookMs, renewals) => {
    const state = aState();
    const first = await state.want();
    const { lease: cell } = first.backend;
    const { replace } = cell;
    const lease = await first.taking;
    cell.replace = async (seen, next) => {
      cell.replace = replace;
      const isHeld = await replace(seen, next);
      first.clock.jump(tookMs);
      return isHeld;
    };
    await first.clock.advance(HEARTBEAT_MS);
    await first.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
    await lease.confirm();
    expect((await recordOf(cell)).heartbeat).toBe(renewals);
  },
);

test.each([
  [CONFIRMED_FOR_MS - 1, 1],
  [CONFIRMED_FOR_MS, 2],
])('a confirmation whose answer took %i ms holds, or is asked again (%i renewals)', async (tookMs, renewals) => {
  const state = aState();
  const first = await state.want();
  const { lease: cell } = first.backend;
  const { replace } = cell;
  const lease = await first.taking;
  cell.replace = async (seen, next) => {
    cell.replace = replace;
    const isHeld = await replace(seen, next);
    first.clock.jump(tookMs);
    return isHeld;
  };
  await lease.confirm(0);
  expect((await recordOf(cell)).heartbeat).toBe(renewals);
});

test('one that stands still and is not taken over goes on', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  (first.clock as unknown as { monotonicMs: () => number }).monotonicMs = () => 3_600_000;
  await lease.confirm();
  expect((await recordOf(first.backend.lease)).heartbeat).toBe(1);
});

test('where the lease can not be written, its holder goes on for as long as nobody else has it', async () => {
  const state = aState();
  const first = await state.want();
  const { lease: cell } = first.backend;
  const replace = cell.replace;
  const lease = await first.taking;
  cell.replace = () => Promise.reject(new StoreError('The disk is full.'));
  (first.clock as unknown as { monotonicMs: () => number }).monotonicMs = () => 60_000;
  await lease.confirm();
  await replace((await cell.read()) ?? '', JSON.stringify({ ...(await recordOf(cell)), holder: 'other', epoch: 2 }));
  await expect(lease.confirm()).rejects.toThrow(StateInUseError);
});

test('where the lease can not be written, and is gone, or another’s, its holder is told once that it has lost it', async () => {
  for (const isGone of [true, false]) {
    const state = aState();
    const first = await state.want();
    const { lease: cell } = first.backend;
    const lease = await first.taking;
    await takenOver(cell);
    cell.replace = () => Promise.reject(new StoreError('The disk is full.'));
    if (isGone) cell.read = () => Promise.resolve(undefined);
    first.clock.jump(CONFIRMED_FOR_MS);
    const confirmed = await Promise.allSettled([lease.confirm(), lease.confirm()]);
    expect(confirmed).toEqual(
      first.lost.flatMap((reason) => [
        { status: 'rejected', reason },
        { status: 'rejected', reason },
      ]),
    );
    expect(first.lost).toHaveLength(1);
  }
});

test('what goes wrong otherwise while it is asked who holds the lease rejects as it is', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  const error = new TypeError('Not a function.');
  first.backend.lease.replace = () => Promise.reject(error);
  await expect(lease.confirm(0)).rejects.toBe(error);
  expect(first.lost).toEqual([]);
});

test('a heartbeat that can not be written is tried again, and only one that was written is told', async () => {
  const state = aState();
  const first = await state.want();
  const { lease: cell } = first.backend;
  const replace = cell.replace;
  const lease = await first.taking;
  let told = 0;
  lease.onRenewed(() => {
    told += 1;
  });
  let refused = 0;
  cell.replace = () => {
    refused += 1;
    return Promise.reject(new StoreError('The disk is full.'));
  };
  for (const beats of [1, 2]) {
    await first.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
    await first.clock.advance(HEARTBEAT_MS);
    await expect.poll(() => refused).toBe(beats);
  }
  await first.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
  expect(first.warnings).toHaveLength(2);
  expect(told).toBe(0);
  cell.replace = replace;
  await first.clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
  await first.clock.advance(HEARTBEAT_MS);
  await expect.poll(() => told).toBe(1);
  expect(await recordOf(cell)).toMatchObject({ epoch: 1, heartbeat: 1 });
  expect(first.lost).toEqual([]);
});

test('many who ask at once whether it is held share one renewal, after which nobody asks for 4 s', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  const paused = first.clock as unknown as { monotonicMs: () => number };
  paused.monotonicMs = () => 10_000;
  await Promise.all([lease.confirm(), lease.confirm(), lease.confirm()]);
  expect((await recordOf(first.backend.lease)).heartbeat).toBe(1);
  paused.monotonicMs = () => 10_000 + CONFIRMED_FOR_MS - 1;
  await lease.confirm();
  expect((await recordOf(first.backend.lease)).heartbeat).toBe(1);
});

test('given back in the middle of a renewal, it is nobody’s, and given back again it stays whose it is by then', async () => {
  const state = aState();
  const first = await state.want();
  const { lease: cell } = first.backend;
  const replace = cell.replace;
  const lease = await first.taking;
  let goOn = (): void => undefined;
  cell.replace = async (seen, next) => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return replace(seen, next);
  };
  (first.clock as unknown as { monotonicMs: () => number }).monotonicMs = () => 60_000;
  const confirmed = lease.confirm();
  cell.replace = replace;
  const released = lease.release();
  goOn();
  await Promise.all([confirmed, released]);
  expect(await recordOf(cell)).toMatchObject({ epoch: 1, heartbeat: 1, holder: null });
  const second = await state.want();
  await second.taking;
  const { holder } = await recordOf(cell);
  await lease.release();
  await first.clock.advance(10 * HEARTBEAT_MS);
  expect((await recordOf(cell)).holder).toBe(holder);
  expect(first.lost, 'it is not looked at any more').toEqual([]);
});

test('who has taken it over is named as well as it names itself', async () => {
  const state = aState();
  const first = await state.want();
  const { lease: cell } = first.backend;
  await first.taking;
  await cell.replace((await cell.read()) ?? '', 'something else');
  await first.clock.advance(HEARTBEAT_MS);
  await expect.poll(() => first.lost).toHaveLength(1);
  expect(first.lost[0]?.message).toBe('Another Dealbell has taken over this state, so this process is stopping.');
  let asked = 0;
  cell.replace = () => {
    asked += 1;
    return Promise.resolve(false);
  };
  await first.clock.advance(10 * HEARTBEAT_MS);
  expect(asked, 'nothing is renewed after that').toBe(0);
});

test('a start ends where the state can’t be read any more, and one that stands by where anything else goes wrong', async () => {
  const state = aState();
  await (await state.want()).taking;
  for (const [isStandby, error] of [
    [false, new StoreError('Away.')],
    [true, new TypeError('Not a function.')],
  ] as const) {
    const second = await state.want(new ManualClock(), { isStandby });
    await betweenLooks(second.clock);
    second.backend.lease.read = () => Promise.reject(error);
    await second.clock.advance(LOOK_MS);
    await expect(second.taking).rejects.toBe(error);
  }
});

test('what is given back is taken at once', async () => {
  const state = aState();
  const first = await state.want();
  await (await first.taking).release();
  const second = await state.want();
  await second.taking;
  expect((await recordOf(second.backend.lease)).epoch).toBe(2);
});

test('of two who take it at once, one gets it', async () => {
  const state = aState();
  const both = [await state.want(), await state.want()];
  const winner = await Promise.race(both.map(({ taking }, index) => taking.then(() => index)));
  const loser = both[1 - winner];
  if (!loser) throw new Error('There are two.');
  await watching(loser, LOOK_MS);
  await beat(both[winner] as (typeof both)[number], loser);
  await watching(loser, LOOK_MS);
  await expect(loser.taking).rejects.toThrow(StateInUseError);
});

test('after a holder that gave it back, posts may begin at once; after a silent one 19 s after its last sign of life', async () => {
  const state = aState();
  const first = await state.want();
  expect((await first.taking).clearFromMs).toBe(0);
  await (await first.taking).release();
  const second = await state.want();
  await second.clock.advance(5_000);
  expect((await second.taking).clearFromMs).toBeLessThanOrEqual(5_000);
  const third = await state.want();
  await watching(third, GONE_AFTER_MS);
  expect((await third.taking).clearFromMs).toBe(19_000);
});

test('who stands by waits while the holder lives, and takes over as soon as it gives the lease back', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  const second = await state.want(new ManualClock(), { isStandby: true });
  for (let beats = 0; beats < 12; beats += 1) {
    await beat(first, second);
    await watching(second, HEARTBEAT_MS);
  }
  expect(await recordOf(first.backend.lease)).toMatchObject({ epoch: 1 });
  await lease.release();
  await watching(second, LOOK_MS);
  const taken = await second.taking;
  expect(taken.epoch).toBe(2);
  expect(taken.clearFromMs).toBeLessThanOrEqual(second.clock.monotonicMs());
});

test('who stands by takes over 15 s after the last sign of life, and posts 4 s later at the earliest', async () => {
  const state = aState();
  const first = await state.want();
  await first.taking;
  const second = await state.want(new ManualClock(), { isStandby: true });
  await watching(second, 10_000);
  await beat(first, second);
  // The beat is seen at the next look.
  await watching(second, GONE_AFTER_MS);
  expect(await recordOf(first.backend.lease)).toMatchObject({ epoch: 1 });
  await watching(second, LOOK_MS);
  const { epoch, clearFromMs } = await second.taking;
  expect(epoch).toBe(2);
  expect(clearFromMs).toBe(10_000 + LOOK_MS + CLEAR_AFTER_MS);
});

test('who stands by outlasts a state that can’t be read for a while', async () => {
  const state = aState();
  const first = await state.want();
  const lease = await first.taking;
  const second = await state.want(new ManualClock(), { isStandby: true });
  await betweenLooks(second.clock);
  const cell = second.backend.lease;
  const read = cell.read.bind(cell);
  cell.read = () => Promise.reject(new StoreError('Away.'));
  await watching(second, 60_000);
  cell.read = read;
  await beat(first, second);
  await watching(second, LOOK_MS);
  await lease.release();
  await watching(second, LOOK_MS);
  expect((await second.taking).epoch).toBe(2);
});

test.each([
  'null',
  'not JSON',
  '{"holder":5}',
  '[]',
  '{"holder":"other","epoch":3}',
  '{"holder":"other","process":{}}',
])('a lease that is no such record (%s) is taken', async (text) => {
  const backend = backendAt(temporaryState());
  onTestFinished(() => backend.close());
  await backend.lease.replace(undefined, text);
  const parts = { clock: new ManualClock(), log: createLog('silent'), signal: new AbortController().signal };
  const lease = await takeLease(backend.lease, { ...parts, onLost: () => undefined });
  await backend.write(new Map([['thing:k', '1']]));
  await lease.release();
});

test('a stop ends the waiting for another holder', async () => {
  const state = aState();
  await (await state.want()).taking;
  const second = await state.want();
  await betweenLooks(second.clock);
  second.stopping.abort(new Error('Stopped.'));
  await expect(second.taking).rejects.toThrow('Stopped.');
});

test.runIf(process.platform === 'linux').each([
  ['a start', false, 0],
  // Whoever stands by can post at once, and a start takes seconds until then.
  ['one that stands by', true, CLEAR_AFTER_MS],
] as const)('after a holder that is known to have ended, %s takes over at once', async (_, isStandby, clearFromMs) => {
  const state = aState();
  const first = await state.want();
  await first.taking;
  const child = spawn(process.execPath, ['-e', '']);
  const { pid = 0 } = child;
  await once(child, 'exit');
  const { lease } = first.backend;
  const ended = { ...ownIdentity(), pid };
  await lease.replace((await lease.read()) ?? '', JSON.stringify({ ...(await recordOf(lease)), process: ended }));
  const second = await state.want(new ManualClock(), { isStandby });
  const taken = await second.taking;
  expect(taken).toMatchObject({ epoch: 2, clearFromMs });
  expect(second.clock.monotonicMs()).toBe(0);
});
