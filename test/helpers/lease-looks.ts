import { LOOK_MS } from '../../src/store/table/lease.ts';
import type { ManualClock } from './manual-clock.ts';

/** Resolves when a process sleeps until its next look at the lease that another one holds. */
export const betweenLooks = (clock: ManualClock): Promise<void> => clock.untilSleeping((ms) => ms === LOOK_MS);

/**
 * Lets the time of a process that waits for a lease pass in the steps in which it looks. Afterwards it sleeps again, or
 * has ended: what comes next is not seen by a look that is still under way.
 */
export async function lookFor(clock: ManualClock, ms: number, waiting: Promise<unknown>): Promise<void> {
  for (let passed = 0; passed < ms; passed += LOOK_MS) {
    await betweenLooks(clock);
    await clock.advance(LOOK_MS);
    await Promise.race([betweenLooks(clock), waiting.catch(() => undefined)]);
  }
}

/** Lets a process look at a lease until its wait is over, and resolves or rejects as that does. */
export async function lookUntilOver<R>(clock: ManualClock, waiting: Promise<R>): Promise<R> {
  let isOver = false;
  const over = Promise.allSettled([waiting]).then(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([over, betweenLooks(clock)]);
    if (!isOver) await clock.advance(LOOK_MS);
  }
  return waiting;
}
