import { expect } from 'vitest';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { sampleSize } from './sampled.ts';

/** Characters. */
const SHORT = sampleSize(10_000, 2_500);
const TIMES = 16;
/** Times the cost of a text that is 16 times as long: linear takes 16, quadratic 256. */
const MOST_RATIO = 48;
/** Collecting garbage once. A quadratic search of the long text takes seconds. */
const ALLOWANCE_US = 100_000;
const MOST_TRIES = 5;

/** Microseconds of the processor: they don't count what else runs on the machine. */
function costOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Expects that the cost of the work grows with the length of the text, whatever that is. */
export function expectLinearCost(work: (text: string) => unknown): void {
  for (const [name, make] of Object.entries(HOSTILE_TEXTS)) {
    const [short, long] = [make(SHORT), make(SHORT * TIMES)];
    expect(long).toHaveLength(TIMES * SHORT);
    let shortCost = Infinity;
    let longCost = Infinity;
    // The least of some tries: what is linear needs one, what is quadratic gets no better.
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      shortCost = Math.min(
        shortCost,
        costOf(() => work(short)),
      );
      longCost = Math.min(
        longCost,
        costOf(() => work(long)),
      );
      if (longCost <= shortCost * MOST_RATIO + ALLOWANCE_US) break;
    }
    expect(longCost, `${name}: microseconds`).toBeLessThanOrEqual(shortCost * MOST_RATIO + ALLOWANCE_US);
  }
}
