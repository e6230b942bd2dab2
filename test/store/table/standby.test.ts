import { expect, onTestFinished, test } from 'vitest';
import { StateHandedOverError, type StateInUseError, StoreError } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { type Dependency, Reachability } from '../../../src/shared/reachability.ts';
import { GONE_AFTER_MS, type LeaseRecord, LOOK_MS, REQUEST_MS, takeLease } from '../../../src/store/table/lease.ts';
import { COMPARE_EVERY_MS, isMore } from '../../../src/store/table/standby.ts';
import { betweenLooks, lookFor, lookUntilOver } from '../../helpers/lease-looks.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { backendAt } from '../../helpers/opened-state.ts';
import { hasPostgres, temporaryPostgres } from '../../helpers/postgres.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';

/** A process that wants the lease, and what it does not reach. Its waits for others go by a clock of their own. */
function aProcess(url: string, { isStandby = true } = {}) {
  const clock = new ManualClock();
  const network = new ManualClock();
  const backend = backendAt(url);
  onTestFinished(() => backend.close());
  const away = new Set<Dependency>();
  const ask = (name: Dependency) => async () => {
    if (away.has(name)) throw new Error('away');
  };
  const log = createLog('silent');
  const asks = { discord: ask('discord'), catalog: ask('catalog') };
  const reachability = new Reachability({ clock: network, log, asks });
  const lost: StateInUseError[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const onLost = (error: StateInUseError) => lost.push(error);
  const taking = takeLease(backend.lease, { clock, log, signal, isStandby, reachability, onLost });
  taking.catch(() => undefined);
  onTestFinished(async () => (await Promise.race([taking.catch(() => null), Promise.resolve(null)]))?.release());
  return {
    backend,
    clock,
    network,
    stopping,
    away,
    lost,
    taking,
    /** Resolves when it has compared what it reaches once more, 10 s after the last time. */
    async compare(): Promise<void> {
      await network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
      await network.advance(COMPARE_EVERY_MS);
      await network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
    },
    /** Lets it look at the lease until it has it. */
    untilTaken: () => lookUntilOver(clock, taking),
    /** Lets it look at the lease for so long. */
    watch: (ms: number) => lookFor(clock, ms, taking),
  };
}

type Process = ReturnType<typeof aProcess>;

const recordOf = async ({ backend }: Process) => JSON.parse((await backend.lease.read()) ?? '') as LeaseRecord;

/** Lets processes compare in turn, the last of them so that it sees what the others have written. */
async function compareInTurn(times: number, ...processes: Process[]): Promise<void> {
  for (let time = 0; time < times; time += 1) for (const one of processes) await one.compare();
}

/** Ends a process that has handed the lease over, as the program does. */
async function end({ taking, backend }: Process): Promise<void> {
  await (await taking).release();
  await backend.close();
}

test.each([
  [['discord', 'catalog', 'database'], ['catalog', 'database'], true],
  [['discord', 'database'], ['database'], true],
  [['discord', 'database'], ['discord', 'database'], false],
  [['discord', 'database'], ['catalog'], false],
  [['database'], ['discord', 'database'], false],
  [['database'], [], true],
  [[], [], false],
] as [Dependency[], Dependency[], boolean][])('%j is more than %j: %s', (some, others, expected) => {
  expect(isMore(some, others)).toBe(expected);
});

test.each([['sqlite', temporaryState] as const, ...(hasPostgres ? [['postgres', temporaryPostgres] as const] : [])])(
  'on %s, a leader hands the lease to the process that stands by and reaches more, after 30 s and not before',
  async (_, aStateUrl) => {
    const url = aStateUrl();
    const leader = aProcess(url, { isStandby: false });
    await leader.taking;
    const other = aProcess(url);
    const better = aProcess(url);
    other.away.add('discord');
    await compareInTurn(3, other, better, leader);
    leader.away.add('discord');
    await compareInTurn(2, other, better, leader);
    expect(leader.lost).toEqual([]);
    await compareInTurn(3, other, better, leader);
    expect(leader.lost, 'it is told once').toHaveLength(1);
    expect(leader.lost[0]).toBeInstanceOf(StateHandedOverError);
    await expect((await leader.taking).confirm(), 'nothing is sent any more').rejects.toBe(leader.lost[0]);
    // What it is at, it may still write.
    await leader.backend.write(new Map([['thing:k', '1']]));
    await end(leader);
    expect(await recordOf(better)).toMatchObject({ holder: null, epoch: 1 });
    await other.watch(GONE_AFTER_MS - LOOK_MS);
    expect(await recordOf(better)).toMatchObject({ holder: null, epoch: 1 });
    const { epoch, clearFromMs } = await better.untilTaken();
    expect(epoch).toBe(2);
    expect(clearFromMs, 'its last requests may be under way').toBe(better.clock.monotonicMs() + REQUEST_MS);
    expect(better.clock.monotonicMs(), 'it takes it at its next look').toBeLessThanOrEqual(2 * LOOK_MS);
  },
);

test('where the process that it was handed to has ended, another one takes the lease after 15 s', async () => {
  const url = temporaryState();
  const leader = aProcess(url, { isStandby: false });
  await leader.taking;
  const better = aProcess(url);
  await compareInTurn(2, better, leader);
  leader.away.add('catalog');
  await compareInTurn(3, better, leader);
  const other = aProcess(url);
  await betweenLooks(other.clock);
  await end(leader);
  await other.watch(LOOK_MS);
  await other.watch(GONE_AFTER_MS - LOOK_MS);
  expect(await recordOf(other)).toMatchObject({ holder: null, epoch: 1 });
  expect((await other.untilTaken()).epoch).toBe(2);
  expect(other.clock.monotonicMs()).toBeLessThanOrEqual(GONE_AFTER_MS + 2 * LOOK_MS);
});

test.each<[string, Dependency[], Dependency[]]>([
  ['reaches no more', ['discord'], ['discord']],
  ['reaches other things', ['discord'], ['catalog']],
  ['reaches less', [], ['discord']],
])('nothing changes hands where the process that stands by %s', async (_, ofLeader, ofOther) => {
  const url = temporaryState();
  const leader = aProcess(url, { isStandby: false });
  await leader.taking;
  const other = aProcess(url);
  for (const name of ofLeader) leader.away.add(name);
  for (const name of ofOther) other.away.add(name);
  await compareInTurn(10, other, leader);
  expect(leader.lost).toEqual([]);
});

test('nothing changes hands where no process stands by any more, whatever it has left behind', async () => {
  const url = temporaryState();
  const leader = aProcess(url, { isStandby: false });
  await leader.taking;
  const gone = aProcess(url);
  await compareInTurn(2, gone, leader);
  leader.away.add('discord');
  await compareInTurn(10, leader);
  expect(leader.lost).toEqual([]);
});

test.each([
  'not JSON',
  'null',
  '5',
  '{"id":5,"beat":1,"reached":["discord","catalog","database"]}',
  '{"id":"other","beat":1}',
  '{"id":"other","beat":1,"reached":"discord, catalog, database"}',
])(
  'a row that no standby wrote (%s) counts as none: nothing changes hands, and the next standby writes its own',
  async (text) => {
    const url = temporaryState();
    const leader = aProcess(url, { isStandby: false });
    const held = await leader.taking;
    leader.away.add('discord');
    const { lease } = leader.backend;
    for (let looks = 0; looks < 6; looks += 1) {
      // It moves, as that of a process that lives.
      await lease.writeStandby(text + ' '.repeat(looks));
      await leader.compare();
    }
    expect(leader.lost).toEqual([]);
    const other = aProcess(url);
    await other.network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
    expect(JSON.parse((await lease.readStandby()) ?? '')).toEqual({
      id: expect.any(String) as string,
      beat: 1,
      reached: ['discord', 'catalog', 'database'],
    });
    await held.release();
  },
);

test('who was handed the lease keeps it for 5 minutes, and then goes by the same rule', async () => {
  const url = temporaryState();
  const leader = aProcess(url, { isStandby: false });
  await leader.taking;
  const second = aProcess(url);
  await compareInTurn(2, second, leader);
  leader.away.add('discord');
  await compareInTurn(3, second, leader);
  await end(leader);
  await second.untilTaken();
  const third = aProcess(url);
  second.away.add('discord');
  // It may hold back at first: the row has just moved.
  await compareInTurn(29, third, second);
  expect(second.lost).toEqual([]);
  await compareInTurn(1, third, second);
  expect(second.lost).toHaveLength(1);
});

test('a leader by whose way the state takes longer than a second hands over to one that is faster', async () => {
  const url = temporaryState();
  const leader = aProcess(url, { isStandby: false });
  await leader.taking;
  const better = aProcess(url);
  await compareInTurn(2, better, leader);
  const { lease } = leader.backend;
  const read = lease.readStandby;
  let goOn = (): void => undefined;
  lease.readStandby = async () => {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    return read();
  };
  for (let looks = 0; looks < 3; looks += 1) {
    expect(leader.lost).toEqual([]);
    await better.compare();
    await leader.network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
    await leader.network.advance(COMPARE_EVERY_MS);
    await leader.network.untilSleeping((ms) => ms === 1_000);
    await leader.network.advance(1_000);
    goOn();
    await leader.network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  }
  expect(leader.lost).toHaveLength(1);
});

test('a leader that keeps its state from answering itself hands it over to nobody', async () => {
  const url = temporaryState();
  const leader = aProcess(url, { isStandby: false });
  const held = await leader.taking;
  const better = aProcess(url);
  await compareInTurn(2, better, leader);
  const { lease } = leader.backend;
  const read = lease.readStandby;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = held.whileBusy(() => ended);
  lease.readStandby = () => ended.then(read);
  await compareInTurn(6, better, leader);
  end();
  await work;
  await compareInTurn(2, better, leader);
  expect(leader.lost).toEqual([]);
});

/** The row of a process that stands by. */
async function standbyIn({ backend }: Process) {
  return JSON.parse((await backend.lease.readStandby()) ?? 'null') as {
    id: string;
    beat: number;
    reached: Dependency[];
  };
}

test('of two that stand by and reach as much, one writes that down, each time anew; one that reaches more does so instead', async () => {
  const url = temporaryState();
  await aProcess(url, { isStandby: false }).taking;
  const first = aProcess(url);
  await first.network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  const { id } = await standbyIn(first);
  const second = aProcess(url);
  await second.network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  // It had not seen yet that the other one lives.
  expect(await standbyIn(first)).toMatchObject({ beat: 1 });
  expect((await standbyIn(first)).id).not.toBe(id);
  for (let beat = 2; beat < 6; beat += 1) {
    await compareInTurn(1, first, second);
    expect(await standbyIn(first)).toMatchObject({ beat });
    expect((await standbyIn(first)).id).not.toBe(id);
  }
  second.away.add('catalog');
  await compareInTurn(1, second, first);
  expect(await standbyIn(first)).toEqual({ id, beat: 2, reached: ['discord', 'catalog', 'database'] });
});

test('one that stands by writes once another one has been silent for 30 s, not before', async () => {
  const url = temporaryState();
  await aProcess(url, { isStandby: false }).taking;
  const first = aProcess(url);
  await first.network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  const { id } = await standbyIn(first);
  const second = aProcess(url);
  await second.network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  await compareInTurn(1, second, first);
  const before = await standbyIn(first);
  expect(before).toMatchObject({ beat: 2 });
  await compareInTurn(2, first);
  expect(await standbyIn(first)).toEqual(before);
  await compareInTurn(1, first);
  expect((await standbyIn(first)).id).toBe(id);
});

test('a state that can’t be written for a while ends no comparison', async () => {
  const url = temporaryState();
  await aProcess(url, { isStandby: false }).taking;
  const other = aProcess(url);
  await other.network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  const { lease } = other.backend;
  const { writeStandby } = lease;
  lease.writeStandby = () => Promise.reject(new StoreError('The disk is full.'));
  await other.compare();
  lease.writeStandby = writeStandby;
  await other.compare();
  expect(await standbyIn(other)).toMatchObject({ beat: 3 });
});

test.each([true, false])(
  'who leads looks once in 10 s, whether or not it stood by (%s), and not after its end',
  async (isStandby) => {
    const url = temporaryState();
    const leader = aProcess(url, { isStandby });
    const held = await leader.taking;
    const { lease } = leader.backend;
    const { readStandby } = lease;
    let looks = 0;
    lease.readStandby = () => {
      looks += 1;
      return readStandby();
    };
    for (let look = 1; look <= 3; look += 1) {
      await leader.compare();
      expect(looks).toBe(look);
    }
    await held.release();
    await leader.network.advance(3 * COMPARE_EVERY_MS);
    expect(looks).toBe(3);
  },
);

test('a start that does not stand by writes nothing down before it leads', async () => {
  const url = temporaryState();
  const leader = aProcess(url, { isStandby: false });
  await leader.taking;
  await leader.compare();
  const refused = aProcess(url, { isStandby: false });
  await betweenLooks(refused.clock);
  expect(await leader.backend.lease.readStandby()).toBeUndefined();
  refused.stopping.abort(new Error('stopped'));
  await expect(refused.taking).rejects.toThrow('stopped');
});
