import { describe, expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../../src/shared/log.ts';
import { PostgresSession } from '../../../src/store/table/postgres-session.ts';
import { postgresPlace } from '../../../src/store/table/state-place.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../../helpers/postgres.ts';
import { startTcpProxy } from '../../helpers/tcp-proxy.ts';

/** A session behind a proxy, and a table of numbers in the order in which they were written. */
async function aSession(isPatient: () => boolean = () => false) {
  const stateUrl = temporaryPostgres();
  const { schema } = postgresPlace(stateUrl);
  await runPostgres(stateUrl, `CREATE SCHEMA ${schema}`, `CREATE TABLE ${schema}.numbers (at serial, number int)`);
  const clock = new ManualClock();
  const proxy = await startTcpProxy(stateUrl, '127.0.0.1', clock);
  onTestFinished(() => proxy.close());
  let away = 0;
  const session = new PostgresSession({
    url: postgresPlace(proxy.url).url,
    clock,
    log: createLog('silent'),
    onAway: (isAway) => {
      if (isAway) away += 1;
    },
    isPatient,
  });
  onTestFinished(() => session.close());
  const write = (number: number) => session.query(`INSERT INTO ${schema}.numbers (number) VALUES ($1)`, [number]);
  const written = async () =>
    (await runPostgres(stateUrl, 'SELECT number FROM numbers ORDER BY at')).map(({ number }) => number);
  return { stateUrl, schema, proxy, clock, session, write, written, timesAway: () => away };
}

describe.runIf(hasPostgres)('postgres', () => {
  test('statements run one after another, in the order of calls', async () => {
    const { write, written } = await aSession();
    await Promise.all([1, 2, 3, 4, 5].map(write));
    expect(await written()).toEqual([1, 2, 3, 4, 5]);
  });

  test('after a connection that broke, the next statement gets a new one', async () => {
    const { proxy, clock, session, write, written, timesAway } = await aSession();
    await write(1);
    const [before] = await session.query('SELECT pg_backend_pid() AS pid');
    proxy.cut();
    const writing = write(2);
    await Promise.race([writing, clock.untilSleeping((ms) => ms === 100).then(() => clock.advance(100))]);
    await writing;
    const [after] = await session.query('SELECT pg_backend_pid() AS pid');
    expect(after).not.toEqual(before);
    expect(await written()).toEqual([1, 2]);
    expect(timesAway()).toBeLessThanOrEqual(1);
  });

  test('a statement waits 15 s for a database that is away, not longer, and those behind it don’t wait anew', async () => {
    const { proxy, clock, write, written, timesAway } = await aSession();
    await write(1);
    proxy.set('closed');
    const outcomes: string[] = [];
    const writing = [2, 3, 4].map((number) =>
      write(number).then(
        () => outcomes.push(`${number} written`),
        (error: Error & { code?: string }) => outcomes.push(`${number} ${error.code}`),
      ),
    );
    const all = Promise.all(writing);
    while (outcomes.length < 3) {
      await Promise.race([all, clock.untilSleeping((ms) => ms <= 2_000)]);
      if (clock.monotonicMs() < 13_000) expect(outcomes).toEqual([]);
      await clock.advance(100);
    }
    expect(clock.monotonicMs()).toBeLessThanOrEqual(15_100);
    expect(outcomes).toEqual(['2', '3', '4'].map((number) => `${number} DATABASE_UNREACHABLE`));
    expect(timesAway()).toBeGreaterThan(0);
    proxy.set('open');
    await write(5);
    expect(await written()).toEqual([1, 5]);
  });

  test('a connection that answers nothing for 12 s is given up, and ended in the database before the next one writes', async () => {
    const { stateUrl, proxy, clock, session, write, written } = await aSession();
    const [before] = await session.query('SELECT pg_backend_pid() AS pid');
    const isThere = async (row: unknown) =>
      (await runPostgres(stateUrl, 'SELECT pid FROM pg_stat_activity')).some(({ pid }) => pid === Object(row).pid);
    proxy.set('silent');
    const writing = write(1);
    await clock.untilSleeping((ms) => ms === 12_000);
    await clock.advance(11_999);
    expect(await isThere(before)).toBe(true);
    await clock.advance(1);
    proxy.set('open');
    await clock.untilSleeping((ms) => ms === 100);
    await clock.advance(100);
    await writing;
    expect(await isThere(before)).toBe(false);
    // The bytes that the silence held back were written as well, or not: but only before the new connection's.
    expect([...new Set(await written())]).toEqual([1]);
  });

  test('a connection that comes about slowly is not given up while the database answers', async () => {
    const { proxy, clock, write, written, timesAway } = await aSession();
    proxy.trickle(100, 1_500);
    let isOver = false;
    const writing = write(1).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await Promise.race([writing, clock.untilSleeping((ms) => ms === 1_500)]);
      if (!isOver) await clock.advance(1_500);
    }
    await writing;
    expect(clock.monotonicMs()).toBeGreaterThan(15_000);
    expect(await written()).toEqual([1]);
    expect(timesAway()).toBe(0);
  });

  test('one whose database is silent for 5 s while it comes about is given up, not earlier', async () => {
    const { proxy, clock, write, timesAway } = await aSession();
    proxy.set('silent');
    const writing = write(1);
    await clock.untilSleeping((ms) => ms === 5_000);
    await clock.advance(4_999);
    expect(timesAway()).toBe(0);
    await clock.advance(1);
    await clock.untilSleeping((ms) => ms === 100);
    expect(timesAway()).toBe(1);
    proxy.set('open');
    await clock.advance(100);
    await writing;
  });

  test('a statement waits for as long as it takes while its session is patient, and for 15 s after that', async () => {
    let isPatient = true;
    const { proxy, clock, write } = await aSession(() => isPatient);
    proxy.set('closed');
    let isOver = false;
    const writing = write(1).finally(() => {
      isOver = true;
    });
    const ended = expect(writing).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    for (let passed = 0; passed < 600_000; passed += 2_000) {
      await clock.untilSleeping((ms) => ms <= 2_000);
      await clock.advance(2_000);
    }
    expect(isOver).toBe(false);
    isPatient = false;
    await clock.untilSleeping((ms) => ms <= 2_000);
    await clock.advance(2_000);
    await ended;
  });

  test('what the database refuses rejects at once, and the connection stays', async () => {
    const { session, timesAway } = await aSession();
    const [before] = await session.query('SELECT pg_backend_pid() AS pid');
    await expect(session.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await session.query('SELECT pg_backend_pid() AS pid')).toEqual([before]);
    expect(timesAway()).toBe(0);
  });

  test('the database ends a statement after 10 s', async () => {
    const { session } = await aSession();
    expect(await session.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '10s' }]);
  });

  test('what is prepared holds on every later connection', async () => {
    const { proxy, clock, session } = await aSession();
    await session.prepare("SET dealbell.holder = 'a'");
    proxy.cut();
    const asked = session.query('SHOW dealbell.holder');
    await Promise.race([asked, clock.untilSleeping((ms) => ms === 100).then(() => clock.advance(100))]);
    expect(await asked).toEqual([{ 'dealbell.holder': 'a' }]);
  });

  test('a closed session takes nothing more', async () => {
    const { session, write } = await aSession();
    await write(1);
    await session.close();
    await expect(write(2)).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });
});
