import type { Lane } from '../../../src/catalog/catalog.ts';
import { Demand } from '../../../src/catalog/demand.ts';
import { Throttle } from '../../../src/catalog/throttle/throttle.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { MemorySpending } from '../create-test-catalog.ts';

/** Stands for a request: it gets the day that pays for it, and resolves when it is answered. */
export type Send = (day: number) => Promise<void>;

const LIMITS = { rate: 1, burst: 3, quota: 1000 };

export function setUp(limits: Partial<typeof LIMITS> = {}, clock = new ManualClock(), spending = new MemorySpending()) {
  const throttle = new Throttle({
    name: 'portal',
    ...LIMITS,
    ...limits,
    clock,
    spending,
  });
  return { throttle, clock, spending };
}

/** The demand of one caller, who waits for `patienceMs`. */
export function want(clock: ManualClock, lane: Lane = 'background', patienceMs = 600_000): Demand {
  const demand = new Demand();
  demand.join(lane, clock.monotonicMs() + patienceMs);
  return demand;
}
