import { describe, expect, it } from 'vitest';
import { LANES } from '../../../src/catalog/catalog.ts';
import { Demand } from '../../../src/catalog/demand.ts';
import { CatalogQuotaSpentError } from '../../../src/catalog/errors.ts';
import { Throttle } from '../../../src/catalog/throttle/throttle.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { MemorySpending } from '../create-test-catalog.ts';

const LIMITS = { rate: 1, burst: 10, quota: 1000 };

/** The catalog's side: a token bucket and a day's quota, exact, without any mercy. */
class Limiter {
  tokens = LIMITS.burst;
  atMs: number;
  day = '';
  spent = 0;
  rateRefusals = 0;
  quotaRefusals = 0;
  readonly spentByDay = new Map<string, number>();

  constructor(startMs: number) {
    this.atMs = startMs;
  }

  arrive(nowMs: number): void {
    this.tokens = Math.min(LIMITS.burst, this.tokens + ((nowMs - this.atMs) / 1000) * LIMITS.rate);
    this.atMs = nowMs;
    const day = new Date(nowMs).toISOString().slice(0, 10);
    if (day !== this.day) this.spent = 0;
    this.day = day;
    if (this.tokens < 1) this.rateRefusals += 1;
    else if (this.spent >= LIMITS.quota) this.quotaRefusals += 1;
    else {
      this.tokens -= 1;
      this.spent += 1;
      this.spentByDay.set(day, this.spent);
    }
  }
}

describe.each([1, 2, 3])('two days of a busy client, seed %i', (seed) => {
  it('meet no rate limit and no quota, and use the days up', async () => {
    const random = seededRandom(seed);
    const clock = new ManualClock('2026-11-21T00:00:00Z');
    const startMs = clock.now();
    const limiter = new Limiter(startMs);
    const throttle = new Throttle({ name: 'portal', ...LIMITS, clock, spending: new MemorySpending() });

    const call = async (): Promise<void> => {
      const demand = new Demand();
      const lane = LANES[Math.floor(random() * LANES.length)] ?? 'background';
      demand.join(lane, clock.now() + 120_000);
      try {
        const lease = await throttle.take(demand);
        // The way there takes up to two seconds, the way back as well; some calls are given up on the way.
        await clock.sleep(random() * 2000);
        limiter.arrive(clock.now());
        await clock.sleep(random() * 2000);
        lease.release();
      } catch (error) {
        if (!(error instanceof CatalogQuotaSpentError)) throw error;
      }
    };

    const calls: Promise<void>[] = [];
    const until = startMs + 2 * 86_400_000;
    while (clock.now() < until) {
      // Bursts of up to thirty, every few minutes; around midnight without a pause.
      const count = Math.ceil(random() * 30);
      for (let one = 0; one < count; one += 1) calls.push(call());
      const toMidnightMs = 86_400_000 - (clock.now() % 86_400_000);
      await clock.advance(toMidnightMs < 60_000 ? random() * 2000 : Math.min(random() * 900_000, toMidnightMs - 1000));
    }
    await clock.advance(300_000);
    await Promise.all(calls);
    expect({ rate: limiter.rateRefusals, quota: limiter.quotaRefusals }).toEqual({ rate: 0, quota: 0 });
    for (const spent of [...limiter.spentByDay.values()].slice(0, 2)) {
      expect(spent).toBeGreaterThanOrEqual(0.99 * LIMITS.quota);
    }
  });
});
