import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../src/clock.ts';

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
