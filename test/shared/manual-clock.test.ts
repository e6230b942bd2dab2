import { expect, test } from 'vitest';
import { ManualClock } from '../helpers/manual-clock.ts';

test('who waits for a sleep that nobody takes is told so once the process is idle, with the sleeps that there are', async () => {
  const idle = new Set<() => void>();
  const clock = new ManualClock('2026-11-21T12:00:00Z', (onIdle) => {
    idle.add(onIdle);
    return () => idle.delete(onIdle);
  });
  clock.after(2_000, () => undefined);
  await clock.advance(500);
  const waiting = clock.untilSleeping((ms) => ms > 2_000);
  for (const tell of idle) tell();
  await expect(waiting).rejects.toThrow(
    'Nobody sleeps for such a time, and nothing happens any more. There are: 2000 ms (until 2000 ms), at 500 ms.',
  );
  await clock.untilSleeping((ms) => ms === 2_000);
  expect(idle.size).toBe(0);
});
