import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { cronProblem, scheduleCron } from '../../src/app/cron.ts';
import { createLog } from '../../src/shared/log.ts';
import { NOW_MS } from '../helpers/things.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

test('runs at every moment, goes on after an error, and not after its stop', async () => {
  let runs = 0;
  const job = scheduleCron(
    'test',
    '*/15 * * * * *',
    async () => {
      runs += 1;
      if (runs === 2) throw new Error('once');
    },
    createLog('silent'),
  );
  onTestFinished(() => job.stop());
  await vi.advanceTimersByTimeAsync(60_500);
  expect(runs).toBe(4);
  await job.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(4);
});

test('leaves out a run while the one before is under way, and waits for it when it stops', async () => {
  let finish = () => {};
  const underWay = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let runs = 0;
  const job = scheduleCron(
    'test',
    '* * * * * *',
    () => {
      runs += 1;
      return underWay;
    },
    createLog('silent'),
  );
  await vi.advanceTimersByTimeAsync(5_500);
  expect(runs).toBe(1);
  let hasStopped = false;
  const stopped = job.stop().then(() => {
    hasStopped = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(hasStopped).toBe(false);
  finish();
  await stopped;
});

test.each([
  ['back by 3 hours', -3 * 3_600_000],
  ['back by a day', -86_400_000],
  ['forward by 3 hours', 3 * 3_600_000],
  ['forward by ten years', 3_650 * 86_400_000],
])('goes on at its pace when the clock is set %s', async (_, jumpMs) => {
  let runs = 0;
  const job = scheduleCron(
    'test',
    '*/15 * * * * *',
    async () => {
      runs += 1;
    },
    createLog('silent'),
  );
  onTestFinished(() => job.stop());
  await vi.advanceTimersByTimeAsync(30_500);
  expect(runs).toBe(2);
  vi.setSystemTime(Date.now() + jumpMs);
  await vi.advanceTimersByTimeAsync(60_000);
  // One that the clock has passed by comes at once.
  expect(runs - 2).toBeGreaterThanOrEqual(3);
  expect(runs - 2).toBeLessThanOrEqual(5);
});

test('a moment that is more than a month away comes once, and not before', async () => {
  let runs = 0;
  const job = scheduleCron(
    'test',
    '0 0 1 1 *',
    async () => {
      runs += 1;
    },
    createLog('silent'),
  );
  onTestFinished(() => job.stop());
  vi.setSystemTime('2026-12-31T23:59:00Z');
  await vi.advanceTimersByTimeAsync(59_999);
  expect(runs).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(runs).toBe(1);
});

test('says what is wrong with an expression', () => {
  expect(cronProblem('*/15 * * * * *')).toBeNull();
  expect(cronProblem('0 5 * * *')).toBeNull();
  expect(cronProblem('99 * * * *')).toMatch(/minute/);
  expect(cronProblem('whenever')).not.toBeNull();
});
