import type { KeyvPostgres } from '@keyv/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StateInUseError } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import {
  CONFIRMED_FOR_MS,
  GONE_AFTER_MS,
  HEARTBEAT_MS,
  type LeaseRecord,
  LOCKED_FOR_MS,
  LOOK_MS,
  REQUEST_MS,
  takeLease,
} from '../../../src/store/table/lease.ts';
import { postgresPlace } from '../../../src/store/table/state-place.ts';
import { betweenLooks, lookUntilOver } from '../../helpers/lease-looks.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { backendAt } from '../../helpers/opened-state.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../../helpers/postgres.ts';
import { startTcpProxy } from '../../helpers/tcp-proxy.ts';

/** A state on PostgreSQL of which several want the lease, each by a connection that can be broken. */
function aState() {
  const stateUrl = temporaryPostgres();
  return {
    stateUrl,
    async want({ isStandby = false, clock = new ManualClock() } = {}) {
      const proxy = await startTcpProxy(stateUrl);
      onTestFinished(() => proxy.close());
      const backend = backendAt(proxy.url, { clock });
      onTestFinished(() => backend.close());
      const lost: StateInUseError[] = [];
      // Whoever still waits at the end would look for ever.
      const stopping = new AbortController();
      onTestFinished(() => stopping.abort(new Error('The test is over.')));
      const taking = takeLease(backend.lease, {
        clock,
        log: createLog('silent'),
        signal: stopping.signal,
        onLost: (error) => lost.push(error),
        isStandby,
      });
      taking.catch(() => undefined);
      return { backend, clock, proxy, lost, taking };
    },
  };
}

type Wanting = Awaited<ReturnType<ReturnType<typeof aState>['want']>>;

const untilTaken = ({ clock, taking }: Wanting) => lookUntilOver(clock, taking);

const recordOf = async ({ backend }: Wanting) => JSON.parse((await backend.lease.read()) ?? '') as LeaseRecord;

/** The last statement of the connection that has the lock of a state. */
async function lastOfHolder(stateUrl: string): Promise<unknown> {
  const { schema } = postgresPlace(stateUrl);
  const [session] = await runPostgres(
    stateUrl,
    `SELECT query FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE locktype = 'advisory' AND granted
       AND (classid::bigint << 32 | objid::bigint) = hashtextextended('dealbell ${schema}', 0)`,
  );
  return session?.['query'];
}

describe.runIf(hasPostgres)('the lease on postgres', () => {
  test('who comes second is told who holds it, as soon as that shows that it lives', async () => {
    const state = aState();
    const first = await state.want();
    await first.taking;
    const second = await state.want();
    await betweenLooks(second.clock);
    await first.clock.advance(HEARTBEAT_MS);
    await expect.poll(async () => (await recordOf(first)).heartbeat).toBe(1);
    await expect(untilTaken(second)).rejects.toThrow(`process ${process.pid} on`);
    expect(second.clock.monotonicMs()).toBeLessThan(2_000);
  });

  test('a silent holder keeps it while its connection stands: only the database’s clock counts', async () => {
    const state = aState();
    const first = await state.want();
    await first.taking;
    const second = await state.want();
    for (let passed = 0; passed < LOCKED_FOR_MS; passed += LOOK_MS) {
      // However slow the machine is, the database never finds this connection idle for 15 s.
      await first.backend.lease.read();
      await betweenLooks(second.clock);
      await second.clock.advance(LOOK_MS);
    }
    await expect(second.taking).rejects.toThrow(StateInUseError);
    expect(second.clock.monotonicMs()).toBe(LOCKED_FOR_MS);
  });

  test('the database is told to end a holder’s connection after 15 s of silence', async () => {
    const state = aState();
    const first = await state.want();
    await first.taking;
    const { query } = first.backend.keyv as KeyvPostgres;
    expect(await query('SHOW idle_session_timeout')).toEqual([{ idle_session_timeout: '15s' }]);
  });

  test('no connection has the lock without that time limit, which would keep it for hours where the network fell apart', async () => {
    const state = aState();
    const first = backendAt(state.stateUrl);
    onTestFinished(() => first.close());
    expect(await first.lease.lock?.()).toBe(true);
    expect(await lastOfHolder(state.stateUrl)).toMatch(/idle_session_timeout', '15000'.*pg_try_advisory_lock/s);
  });

  test('what is given back is taken at once, and posts may begin', async () => {
    const state = aState();
    const first = await state.want();
    const lease = await first.taking;
    const second = await state.want({ isStandby: true });
    await betweenLooks(second.clock);
    await lease.release();
    await first.backend.close();
    const taken = await untilTaken(second);
    expect(taken.epoch).toBe(2);
    expect(taken.clearFromMs).toBe(second.clock.monotonicMs());
  });

  test('a holder whose connection ends is taken over at once, and posts begin 19 s after its last sign of life', async () => {
    const state = aState();
    const first = await state.want();
    await first.taking;
    const second = await state.want({ isStandby: true });
    await betweenLooks(second.clock);
    first.proxy.set('closed');
    const taken = await untilTaken(second);
    expect(taken.epoch).toBe(2);
    expect(taken.clearFromMs).toBe(CONFIRMED_FOR_MS + REQUEST_MS);
    expect(second.clock.monotonicMs()).toBeLessThan(GONE_AFTER_MS);
  });

  test('a start that finds no connection of a holder takes over at once, and posts 19 s later: it may have run elsewhere', async () => {
    const state = aState();
    const first = await state.want();
    await first.taking;
    const { lease } = first.backend;
    const record = await recordOf(first);
    const elsewhere = JSON.stringify({ ...record, process: { ...record.process, host: 'elsewhere' } });
    await lease.replace((await lease.read()) ?? '', elsewhere);
    await first.backend.close();
    const second = await state.want();
    expect(await second.taking).toMatchObject({ epoch: 2, clearFromMs: CONFIRMED_FOR_MS + REQUEST_MS });
    expect(second.clock.monotonicMs()).toBe(0);
  });

  test('where somebody keeps the lock and says nothing, a start is refused after 20 s, not before', async () => {
    const state = aState();
    const silent = backendAt(state.stateUrl);
    onTestFinished(() => silent.close());
    expect(await silent.lease.lock?.()).toBe(true);
    const clock = new ManualClock();
    await clock.advance(100_000);
    const { taking } = await state.want({ clock });
    for (let passed = 0; passed < LOCKED_FOR_MS; passed += LOOK_MS) {
      // However slow the machine is, the database never finds this connection idle for 15 s.
      await silent.lease.read();
      await betweenLooks(clock);
      await clock.advance(LOOK_MS);
    }
    await expect(taking).rejects.toThrow(
      'Another Dealbell is already using this state. Stop it first, or set another STATE_URL for this one.',
    );
    expect(clock.monotonicMs()).toBe(100_000 + LOCKED_FOR_MS);
  });

  test('one that was taken over writes nothing when it is back, is told so once, and may do nothing more', async () => {
    const state = aState();
    const first = await state.want();
    const lease = await first.taking;
    const rows = (value: string | null) => new Map([['thing:k', value]]);
    await first.backend.write(rows('1'));
    const second = await state.want({ isStandby: true });
    first.proxy.set('closed');
    await untilTaken(second);
    first.proxy.set('open');
    for (const value of ['2', null]) {
      await expect(first.backend.write(rows(value))).rejects.toThrow('another process has taken the state over');
    }
    expect(await first.backend.under(['thing:'])).toEqual([{ key: 'thing:k', value: '1' }]);
    await first.clock.advance(HEARTBEAT_MS);
    await expect.poll(() => first.lost).toHaveLength(1);
    await expect(lease.confirm()).rejects.toThrow(StateInUseError);
    await lease.release();
    expect(await recordOf(second)).toMatchObject({ epoch: 2 });
    expect((await recordOf(second)).holder).not.toBeNull();
  });

  test('one whose connection breaks while nobody waits goes on, and nobody else gets the lock', async () => {
    const state = aState();
    const first = await state.want();
    const lease = await first.taking;
    first.proxy.cut();
    await first.backend.write(new Map([['thing:k', '1']]));
    await first.clock.advance(10_000);
    await lease.confirm();
    expect(first.lost).toEqual([]);
    const other = backendAt(state.stateUrl);
    onTestFinished(() => other.close());
    expect(await other.lease.lock?.()).toBe(false);
  });

  test('of three who wait, one gets it', async () => {
    const state = aState();
    const first = await state.want();
    const lease = await first.taking;
    const others = [await state.want({ isStandby: true }), await state.want({ isStandby: true })];
    for (const { clock } of others) await betweenLooks(clock);
    await lease.release();
    await first.backend.close();
    const winner = await Promise.race(others.map((other, index) => untilTaken(other).then(() => index)));
    expect(await recordOf(others[winner] as Wanting)).toMatchObject({ epoch: 2 });
    const loser = others[1 - winner] as Wanting;
    expect(await loser.backend.lease.lock?.()).toBe(false);
  });
});
