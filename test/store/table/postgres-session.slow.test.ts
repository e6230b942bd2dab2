import { describe, expect, onTestFinished, test } from 'vitest';
import { PostgresSession } from '../../../src/store/table/postgres-session.ts';
import { postgresPlace } from '../../../src/store/table/state-place.ts';
import { createTestLog } from '../../helpers/keys.ts';
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
  const told: boolean[] = [];
  const log: string[] = [];
  const session = new PostgresSession({
    url: postgresPlace(proxy.url).url,
    clock,
    log: createTestLog((line) => log.push(line)),
    onAway: (isAway) => void told.push(isAway),
    isPatient,
  });
  onTestFinished(() => session.close());
  const write = (number: number) => session.query(`INSERT INTO ${schema}.numbers (number) VALUES ($1)`, [number]);
  const written = async () =>
    (await runPostgres(stateUrl, 'SELECT number FROM numbers ORDER BY at')).map(({ number }) => number);
  const timesAway = () => told.filter((isAway) => isAway).length;
  return { stateUrl, schema, proxy, clock, session, write, written, told, log, timesAway };
}

type Session = Awaited<ReturnType<typeof aSession>>;

/** Lets the pauses between two tries to connect pass, up to the one whose end is not before `ms` have passed in all. */
async function letPausesPass({ clock }: Session, ms: number): Promise<void> {
  while (clock.monotonicMs() < ms) {
    await clock.untilSleeping((slept) => slept <= 2_000);
    await clock.advance(100);
  }
  await clock.untilSleeping((slept) => slept <= 2_000);
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
        (error: Error & { code?: string }) => outcomes.push(`${number} ${error.code}: ${error.message}`),
      ),
    );
    const all = Promise.all(writing);
    while (outcomes.length < 3) {
      await Promise.race([all, clock.untilSleeping((ms) => ms <= 2_000)]);
      if (clock.monotonicMs() < 13_000) expect(outcomes).toEqual([]);
      await clock.advance(100);
    }
    expect(clock.monotonicMs()).toBeLessThanOrEqual(15_100);
    expect(outcomes).toEqual(
      ['2', '3', '4'].map((number) => `${number} DATABASE_UNREACHABLE: Connection terminated unexpectedly`),
    );
    expect(timesAway()).toBeGreaterThan(0);
    proxy.set('open');
    await write(5);
    expect(await written()).toEqual([1, 5]);
  });

  test('one that has waited for 15 s behind another one does not wait for a new connection', async () => {
    const { proxy, clock, write } = await aSession();
    await write(1);
    proxy.set('silent');
    const first = expect(write(2)).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    const behind = write(3).catch((error: unknown) => error);
    for (const ms of [12_000, 100, 5_000, 200, 5_000]) {
      await clock.untilSleeping((slept) => slept === ms);
      await clock.advance(ms);
    }
    await first;
    expect(await behind).toMatchObject({ code: 'DATABASE_UNREACHABLE', message: 'it was not reached in time' });
    expect(clock.monotonicMs()).toBe(22_300);
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

  test('a connection that the database ends is made again, whether or not a statement runs on it', async () => {
    const { session, clock, stateUrl, write, written, told } = await aSession();
    const [{ pid } = {}] = await session.query('SELECT pg_backend_pid() AS pid');
    const sleeping = async () => {
      const rows = await runPostgres(
        stateUrl,
        `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(600)'
           AND application_name = (SELECT application_name FROM pg_stat_activity WHERE pid = ${String(pid)})`,
      );
      return rows.map((row) => row['pid']);
    };
    const writing = session.query('SELECT pg_sleep(600)');
    writing.catch(() => undefined);
    await expect.poll(sleeping).toEqual([pid]);
    const after = write(1);
    await runPostgres(stateUrl, `SELECT pg_terminate_backend(${String(pid)})`);
    await clock.untilSleeping((ms) => ms === 100);
    expect(told).toEqual([true]);
    await session.close();
    await expect(writing).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    await expect(after).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(await written()).toEqual([]);
  });

  test('that the database is back is told once, and a connection that it ended while nothing ran on it is made again', async () => {
    const { session, clock, stateUrl, write, written, told } = await aSession();
    for (const number of [1, 2]) {
      const [{ pid } = {}] = await session.query('SELECT pg_backend_pid() AS pid');
      await runPostgres(stateUrl, `SELECT pg_terminate_backend(${String(pid)}, 5000)`);
      const writing = write(number);
      await Promise.race([writing, clock.untilSleeping((ms) => ms === 100).then(() => clock.advance(100))]);
      await writing;
    }
    expect(await written()).toEqual([1, 2]);
    // The end may have been noticed before the statement was sent.
    expect(told.filter((isAway) => !isAway)).toHaveLength(told.length / 2);
  });

  test('that the database can’t be reached is logged once a minute while it lasts, and at once when it comes again', async () => {
    const one = await aSession(() => true);
    const { proxy, clock, write, told, log } = one;
    await write(1);
    proxy.set('closed');
    const writing = write(2);
    await letPausesPass(one, 100);
    expect(log).toHaveLength(1);
    expect(JSON.parse(log[0] ?? '')).toMatchObject({ msg: "waiting for the database: it can't be reached" });
    await letPausesPass(one, 59_000);
    expect(log).toHaveLength(1);
    await letPausesPass(one, 62_000);
    expect(log).toHaveLength(2);
    proxy.set('open');
    await clock.advance(2_000);
    await writing;
    expect(told.at(-1)).toBe(false);
    await write(3);
    expect(told.filter((isAway) => !isAway)).toHaveLength(1);
    proxy.set('closed');
    const again = write(4);
    await clock.untilSleeping((ms) => ms === 100);
    expect(log).toHaveLength(3);
    proxy.set('open');
    await clock.advance(100);
    await again;
  });

  test('a closed session takes nothing more, and its connection is over in the database', async () => {
    const one = await aSession();
    const { session, stateUrl, write } = one;
    await write(1);
    const [{ pid } = {}] = await session.query('SELECT pg_backend_pid() AS pid');
    await session.close();
    await expect
      .poll(() => runPostgres(stateUrl, `SELECT pid FROM pg_stat_activity WHERE pid = ${String(pid)}`))
      .toEqual([]);
    await expect(write(2)).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: 'this process has closed the connection',
    });
    await session.close();
  });

  test('what waits for a database that is away when the session is closed rejects at once', async () => {
    const { proxy, clock, session, write } = await aSession(() => true);
    proxy.set('closed');
    const writing = [1, 2].map((number) => write(number).catch((error: unknown) => error));
    await clock.untilSleeping((ms) => ms === 100);
    await session.close();
    for (const error of await Promise.all(writing)) expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });

  test('a session that was never used ends in silence', async () => {
    const { session, told, log } = await aSession();
    await session.close();
    expect([told, log]).toEqual([[], []]);
  });
});
