import { expect, test } from 'vitest';
import { ManualClock } from '../helpers/manual-clock.ts';

test('who waits for a sleep that nobody takes is told so, with those that there are', async () => {
  const clock = new ManualClock();
  clock.after(2_000, () => undefined);
  await clock.advance(500);
  await expect(clock.untilSleeping((ms) => ms > 2_000)).rejects.toThrow(
    'Nobody sleeps for such a time, and nothing happens any more. There are: 2000 ms (until 2000 ms), at 500 ms.',
  );
  await clock.untilSleeping((ms) => ms === 2_000);
});
