import { expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/shared/errors.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { openStore } from '../../src/store/store.ts';
import { createTestLog } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { startTcpProxy } from '../helpers/tcp-proxy.ts';

/** Opens a state whose database is away. */
async function anOpening({ isWaiting = true } = {}) {
  const proxy = await startTcpProxy(temporaryPostgres());
  onTestFinished(() => proxy.close());
  proxy.set('closed');
  const [clock, networkClock] = [new ManualClock(), new ManualClock()];
  const away: boolean[] = [];
  const toldAtMs: number[] = [];
  const stopping = new AbortController();
  const log = createTestLog((line) => {
    if (line.includes('waiting for the database')) toldAtMs.push(networkClock.monotonicMs());
  });
  const opening = openStore(proxy.url, clock, {
    dealbell: '0.0.0',
    clock,
    networkClock,
    log,
    signal: stopping.signal,
    onLost: () => undefined,
    onAway: (isAway: boolean) => away.push(isAway),
    ...(isWaiting && { isPatient: () => !stopping.signal.aborted }),
  });
  let isOver = false;
  void opening
    .catch(() => undefined)
    .then(() => {
      isOver = true;
    });
  return {
    proxy,
    away,
    toldAtMs,
    networkClock,
    stopping,
    opening,
    /** Lets the time of what is waited for pass. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms && !isOver; passed += 1_000) {
        await Promise.race([opening.catch(() => undefined), networkClock.untilSleeping(() => true)]);
        await networkClock.advance(1_000);
      }
    },
    isOver: () => isOver,
  };
}

test.runIf(hasPostgres)('a start waits for a database that is away, says so once a minute, and goes on', async () => {
  const { proxy, away, toldAtMs, networkClock, opening, pass, isOver } = await anOpening();
  await pass(5 * MINUTE_MS);
  expect(isOver()).toBe(false);
  expect(new Set(away)).toEqual(new Set([true]));
  expect(toldAtMs.length).toBeGreaterThanOrEqual(4);
  expect(toldAtMs.length).toBeLessThanOrEqual(5);
  for (const [index, atMs] of toldAtMs.entries()) {
    if (index > 0) expect(atMs - (toldAtMs[index - 1] ?? 0)).toBeGreaterThanOrEqual(MINUTE_MS);
  }
  proxy.set('open');
  // It connects in real time: only the pauses between two tries pass.
  while (!isOver()) {
    await Promise.race([opening, networkClock.untilSleeping((ms) => ms <= 2_000)]);
    if (!isOver()) await networkClock.advance(2_000);
  }
  expect(away.at(-1)).toBe(false);
  await (await opening).close();
});

test.runIf(hasPostgres)('a start that waits can be stopped', async () => {
  const { stopping, opening, pass } = await anOpening();
  await pass(MINUTE_MS);
  stopping.abort(new Error('stopped'));
  const ended = expect(opening).rejects.toThrow('stopped');
  await pass(MINUTE_MS);
  await ended;
});

test.runIf(hasPostgres)('a command that does not wait is told after 15 s', async () => {
  const { opening, pass } = await anOpening({ isWaiting: false });
  const ended = expect(opening).rejects.toThrow(StoreError);
  await pass(20_000);
  await ended;
});

test.runIf(hasPostgres)('a start that is stopped while it reads a slow state gives that back at once', async () => {
  const stateUrl = temporaryPostgres();
  await (await openStore(stateUrl)).close();
  const proxy = await startTcpProxy(stateUrl);
  onTestFinished(() => proxy.close());
  // What is read takes seconds then.
  proxy.delay(100);
  const clock = new ManualClock();
  const stopping = new AbortController();
  const { signal } = stopping;
  const log = createTestLog(() => undefined);
  const opening = openStore(proxy.url, clock, { dealbell: '0.0.0', clock, log, signal, onLost: () => undefined });
  opening.catch(() => undefined);
  const holder = async () => {
    const [row] = await runPostgres(
      stateUrl,
      "SELECT value::jsonb ->> 'holder' AS holder FROM state WHERE key = 'lease'",
    );
    return row?.['holder'];
  };
  await expect.poll(holder, { timeout: 20_000 }).toEqual(expect.any(String));
  stopping.abort(new Error('stopped'));
  await expect(opening).rejects.toThrow('stopped');
  expect(await holder()).toBeNull();
});
