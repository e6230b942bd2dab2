import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Limiter } from '../../../packages/catalog-service/src/limits.ts';
import { Refusal } from '../../../packages/catalog-service/src/refusal.ts';
import { CatalogQuotaSpentError, CatalogSpendingError } from '../../../src/catalog/errors.ts';
import { dayOf } from '../../../src/catalog/throttle/rate-budget.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { createTestCatalog, LateSpending, MemorySpending } from '../create-test-catalog.ts';
import { httpOf } from '../reading.ts';

const LIMITS = { rate: 1, burst: 5, quota: 20 };
const LANE = { lane: 'interactive' } as const;

/**
 * A catalog that counts by true time, and a client whose wall clock is what a test makes of it.
 * @param aheadMs by how much that is wrong from the beginning
 */
async function setUp(start: string, aheadMs = 0) {
  const clock = new ManualClock(start);
  clock.jump(aheadMs);
  const limiter = new Limiter(LIMITS);
  const spending = new MemorySpending();
  const trueMs = () => Date.parse(start) + clock.monotonicMs();
  let refusals = 0;
  let isClosed = false;
  const refusal = { status: 429, text: '{"message":"Limit Exceeded"}' };
  const http = httpOf(() => {
    if (isClosed) return refusal;
    try {
      limiter.admit('key', trueMs());
      return '[]';
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals += 1;
      return refusal;
    }
  });
  const open = () => createTestCatalog('http://catalog.invalid', { http, clock, spending, portal: LIMITS }).catalog;
  let catalog = open();
  await clock.advance(0);
  let asked = 0;

  /** Asks for that many feeds; resolves with how many of them came. The catalog may have to refuse as many as are told. */
  async function ask(count: number, refused = 0): Promise<number> {
    const calls = Array.from({ length: count }, async () => {
      asked += 1;
      try {
        await catalog.feeds.get(`Feed ${asked}`, { lane: 'interactive' });
        return true;
      } catch (error) {
        if (error instanceof CatalogQuotaSpentError) return false;
        throw error;
      }
    });
    await clock.advance(count * 2_000);
    const came = await Promise.all(calls);
    expect(refusals).toBe(refused);
    refusals = 0;
    return came.filter(Boolean).length;
  }

  return {
    clock,
    spending,
    trueMs,
    status: () => catalog.quota().portal,
    /** The catalog says that nothing is left of the day. */
    closeDay: async (): Promise<void> => {
      isClosed = true;
      expect(await ask(1)).toBe(0);
      isClosed = false;
    },
    ask,
    /** The planner looks at the quota at every tick. */
    jump: async (ms: number): Promise<void> => {
      clock.jump(ms);
      catalog.quota();
      await clock.advance(0);
    },
    restart: async (): Promise<void> => {
      await catalog.close();
      catalog = open();
      await clock.advance(0);
    },
  };
}

describe('a wall clock that jumps over midnight gives no second quota', () => {
  it.each([
    ['forward', '2026-11-21T22:00:00Z', 3],
    ['back', '2026-11-22T01:00:00Z', -3],
    ['forward by a day', '2026-11-21T12:00:00Z', 24],
    ['back by a day', '2026-11-21T12:00:00Z', -24],
  ])('%s, and the other way again', async (_, start, hours) => {
    const { clock, ask, jump } = await setUp(start);
    expect(await ask(15)).toBe(15);
    await jump(hours * HOUR_MS);
    expect(await ask(3)).toBe(3);
    await clock.advance(10 * MINUTE_MS);
    await jump(-hours * HOUR_MS);
    expect(await ask(10)).toBe(2);
  });

  it('nor does one that was wrong from the beginning and is set right', async () => {
    const { clock, ask, jump } = await setUp('2026-11-21T12:00:00Z', 3 * HOUR_MS);
    expect(await ask(15)).toBe(15);
    await jump(-3 * HOUR_MS);
    expect(await ask(10)).toBe(5);
    // The midnight of the clock that was wrong.
    await clock.advance(9.5 * HOUR_MS);
    expect(await ask(5)).toBe(0);
    await clock.advance(3 * HOUR_MS);
    expect(await ask(5)).toBe(5);
  });

  it.each([
    ['before the restart', true],
    ['before the restart, and back after it', false],
  ])('over a restart: %s', async (_, staysAhead) => {
    const { ask, jump, restart, clock } = await setUp('2026-11-21T12:00:00Z');
    await ask(15);
    await jump(13 * HOUR_MS);
    await restart();
    if (!staysAhead) await jump(-13 * HOUR_MS);
    expect(await ask(10)).toBe(5);
    await clock.advance(11.8 * HOUR_MS);
    expect(await ask(1)).toBe(0);
  });
});

it.each([false, true])(
  'a jump to after midnight and back costs the next day nothing (restarted: %s)',
  async (isRestarted) => {
    const { clock, ask, jump, restart, status } = await setUp('2026-11-21T12:00:00Z');
    expect(await ask(12)).toBe(12);
    if (isRestarted) await restart();
    await clock.advance(5.5 * HOUR_MS);
    await jump(7 * HOUR_MS);
    expect(await ask(1)).toBe(1);
    await clock.advance(HOUR_MS);
    await jump(-7 * HOUR_MS);
    expect(status().spent).toBe(13);
    await clock.advance(5.5 * HOUR_MS);
    expect(status().spent).toBe(0);
    expect(await ask(21)).toBe(20);
  },
);

it('a clock that goes on hours ahead, as after sleep, has the rest of its old day and then what its new day has left', async () => {
  const { clock, ask, jump } = await setUp('2026-11-21T20:00:00Z', 0);
  expect(await ask(15)).toBe(15);
  await jump(8 * HOUR_MS);
  expect(await ask(3)).toBe(3);
  await clock.advance(4 * HOUR_MS);
  expect(await ask(18, 0)).toBe(17);
});

it('a clock that is wrong for days is trusted, and costs the catalog one refusal a day at most', async () => {
  const { clock, ask, jump } = await setUp('2026-11-21T12:00:00Z');
  await jump(13 * HOUR_MS);
  await clock.advance(12 * HOUR_MS);
  expect(await ask(20)).toBe(20);
  // Midnight by the wrong clock.
  await clock.advance(11.5 * HOUR_MS);
  expect(await ask(1, 1)).toBe(0);
  expect(await ask(20)).toBe(0);
  await clock.advance(24 * HOUR_MS);
  expect(await ask(20)).toBe(20);
});

it('what was spent of a day that is over counts for no other setting of the clock after a restart', async () => {
  const { clock, ask, jump, restart, status } = await setUp('2026-11-21T12:00:00Z');
  expect(await ask(20)).toBe(20);
  await clock.advance(3 * 24 * HOUR_MS);
  await restart();
  await jump(-3 * HOUR_MS);
  expect(status().spent).toBe(0);
  expect(await ask(20)).toBe(20);
});

it('what the catalog closed stays closed for a clock that still shows the same day', async () => {
  const { clock, jump, status, closeDay } = await setUp('2026-11-21T12:00:00Z');
  await closeDay();
  await jump(-2 * HOUR_MS);
  expect(status().spent).toBe(20);
  await clock.advance(HOUR_MS);
  await jump(12 * HOUR_MS);
  expect(status().spent).toBe(20);
});

it('the quota returns within a day of the last jump, and the status says when', async () => {
  const { clock, ask, jump, status } = await setUp('2026-11-21T12:00:00Z');
  await ask(20);
  await jump(-3 * HOUR_MS);
  const { spent, resetsAtMs } = status();
  expect([spent, new Date(resetsAtMs).toISOString()]).toEqual([20, '2026-11-22T00:00:00.000Z']);
  await clock.advance(resetsAtMs - clock.now() - 1);
  expect(await ask(0)).toBe(0);
  // The midnight of the setting before is over.
  expect(status()).toMatchObject({ spent: 20, resetsAtMs });
  await clock.advance(1);
  expect(status().spent).toBe(0);
  expect(await ask(20)).toBe(20);
});

it('the status says when requests return: at the midnight before the clock was set, if that leaves fewer', async () => {
  const { clock, ask, jump, status } = await setUp('2026-11-21T11:00:00Z');
  await ask(8);
  await clock.advance(HOUR_MS);
  // To just after the next midnight: nothing has left in that day.
  await jump(12.5 * HOUR_MS);
  await ask(4);
  expect(status()).toEqual({ limit: 20, spent: 12, resetsAtMs: Date.parse('2026-11-22T12:30:00Z') });
  await jump(-12.5 * HOUR_MS);
  expect(status()).toEqual({ limit: 20, spent: 12, resetsAtMs: Date.parse('2026-11-22T00:00:00Z') });
});

it('a record from a wrong clock of the future closes the bot for no longer than a day, however often it restarts', async () => {
  const { clock, ask, jump, restart } = await setUp('2026-11-21T12:00:00Z');
  await jump(4 * 365 * DAY_MS);
  await ask(20);
  // Set right while the bot is away.
  clock.jump(-4 * 365 * DAY_MS);
  for (let hour = 0; hour < 24; hour += 1) {
    await restart();
    expect(await ask(1)).toBe(0);
    await clock.advance(HOUR_MS - 2_000);
  }
  await restart();
  expect(await ask(20)).toBe(20);
});

it('a clock that jumps again and again does not let the record grow', async () => {
  const { clock, jump, spending, ask } = await setUp('2026-11-21T12:00:00Z');
  await ask(1);
  for (let count = 0; count < 50; count += 1) await jump(2 * MINUTE_MS);
  const endsAtMs = clock.now() + 12 * HOUR_MS - 2_000;
  expect(await spending.load('portal')).toMatchObject({
    day: '2026-11-21',
    spent: 1,
    formerDay: { spent: 1, endsAtMs },
  });
});

it('a jump before the record could be read does not write over it', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const spending = new LateSpending();
  await spending.save('portal', { day: '2026-11-21', spent: 20, tokens: 5, tokensAtMs: clock.now() });
  const { catalog } = createTestCatalog('http://catalog.invalid', { clock, spending, portal: LIMITS });
  await expect(catalog.feeds.get('Home', LANE)).rejects.toThrow(CatalogSpendingError);
  clock.jump(HOUR_MS);
  catalog.quota();
  await clock.advance(0);
  spending.isBroken = false;
  await expect(catalog.feeds.get('Home', LANE)).rejects.toThrow(CatalogQuotaSpentError);
  expect(catalog.quota().portal.spent).toBe(20);
});

it('a record that an older release wrote under a wrong clock does not close the bot for good', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const spending = new MemorySpending();
  // It had been set right before the last write: the later day stayed.
  await spending.save('portal', { day: '2030-01-01', spent: 20, tokens: 5, tokensAtMs: clock.now() - 1000 });
  const { catalog } = createTestCatalog('http://catalog.invalid', { clock, spending, portal: LIMITS });
  await clock.advance(0);
  expect(catalog.quota().portal.spent).toBe(20);
  await clock.advance(36 * HOUR_MS);
  expect(catalog.quota().portal.spent).toBe(0);
});

type Step = { do: 'ask'; count: number } | { do: 'wait' | 'jump'; minutes: number } | { do: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), count: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: 0, max: 600 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('jump' as const),
      minutes: fc.integer({ min: -288, max: 288 }).map((count) => count * 10),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

it('never overdraws a catalog that counts by true time, however the wall clock jumps before it is right by midnight, and is open again in the end', async () => {
  let asked = 0;
  let left = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 50 }),
      fc.integer({ min: 0, max: 1439 }),
      async (steps, minute) => {
        const start = new Date(Date.UTC(2026, 10, 21) + minute * MINUTE_MS).toISOString();
        const { clock, ask, jump, restart, status, trueMs } = await setUp(start);
        const setRightBefore = async (ms: number) => {
          if (dayOf(trueMs() + ms) > dayOf(trueMs())) await jump(trueMs() - clock.now());
        };
        for (const one of steps) {
          if (one.do === 'ask') {
            await setRightBefore(one.count * 2_000);
            asked += one.count;
            left += await ask(one.count);
          } else if (one.do === 'wait') {
            await setRightBefore(one.minutes * MINUTE_MS);
            await clock.advance(one.minutes * MINUTE_MS);
          } else if (one.do === 'jump') await jump(one.minutes * MINUTE_MS);
          else await restart();
        }
        await clock.advance(DAY_MS);
        expect(status().spent).toBe(0);
        expect(await ask(5)).toBe(5);
      },
    ),
    { seed: 20261122, numRuns: sampleSize(300, 60) },
  );
  // Nor is it closed for most of the time: it asks for more than three quotas a day.
  expect(left / asked).toBeGreaterThan(0.25);
});
