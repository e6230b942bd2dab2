import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ageMs, systemClock } from '../../src/shared/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('sleeps for that long and leaves no listener behind', async () => {
  const { signal } = new AbortController();
  let isAwake = false;
  const slept = systemClock.sleep(100, signal).then(() => {
    isAwake = true;
  });
  await vi.advanceTimersByTimeAsync(99);
  expect(isAwake).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await slept;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it("rejects with the signal's reason, and leaves no timer and no listener behind", async () => {
  const controller = new AbortController();
  const reason = new Error('Enough.');
  const slept = systemClock.sleep(100, controller.signal);
  controller.abort(reason);
  await expect(slept).rejects.toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

it('rejects at once where the signal has aborted before, and starts no timer', async () => {
  const reason = new Error('Too late.');
  await expect(systemClock.sleep(100, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
});

it('waits longer than the longest timer of Node, to the millisecond', async () => {
  const THIRTY_DAYS_MS = 30 * 86_400_000;
  let isAwake = false;
  systemClock.after(THIRTY_DAYS_MS, () => {
    isAwake = true;
  });
  await vi.advanceTimersByTimeAsync(THIRTY_DAYS_MS - 1);
  expect(isAwake).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isAwake).toBe(true);
});

it('can be called off after the longest timer of Node has passed once', async () => {
  let isAwake = false;
  const callOff = systemClock.after(30 * 86_400_000, () => {
    isAwake = true;
  });
  await vi.advanceTimersByTimeAsync(29 * 86_400_000);
  callOff();
  await vi.advanceTimersByTimeAsync(2 * 86_400_000);
  expect(isAwake).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([
  { thenMs: 1_000, nowMs: 4_000, age: 3_000 },
  { thenMs: 4_000, nowMs: 4_000, age: 0 },
  { thenMs: 4_001, nowMs: 4_000, age: 0 },
])('says that what was done at $thenMs is $age ms old at $nowMs', ({ thenMs, nowMs, age }) => {
  expect(ageMs(thenMs, nowMs)).toBe(age);
});
