import { expect, test } from 'vitest';
import { createDrivenClock } from '../../../src/app/driven/clock.ts';

test('both times of the clock go forward with a jump, the monotonic one never goes back, and a paused one stands', () => {
  const nowMs = Date.now();
  const clock = createDrivenClock({ realMs: nowMs, botMs: nowMs, speed: 0 });
  const monotonicMs = clock.monotonicMs();
  expect(clock.now()).toBe(nowMs);
  clock.set({ realMs: nowMs, botMs: nowMs + 5_000, speed: 0 });
  expect(clock.now()).toBe(nowMs + 5_000);
  expect(clock.monotonicMs()).toBeCloseTo(monotonicMs + 5_000);
  clock.set({ realMs: nowMs, botMs: nowMs, speed: 0 });
  expect(clock.now()).toBe(nowMs);
  expect(clock.monotonicMs()).toBeCloseTo(monotonicMs + 5_000);
});
