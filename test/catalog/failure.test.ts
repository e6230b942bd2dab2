import { describe, expect, it } from 'vitest';
import type { Lane } from '../../src/catalog/catalog.ts';
import { createTestCatalog } from './create-test-catalog.ts';
import { httpOf } from './reading.ts';

const MINUTES_MS = 120_000;
const TOO_MANY = '{"message":"Too Many Requests"}';

interface Answered {
  status: number;
  text?: string;
  retryAfter?: string;
}

/**
 * Has a catalog answer the same for two minutes, as long as work waits that nobody looks at.
 * @param random what each random number is
 * @returns when it was asked, in milliseconds after the call, and the error in the end
 */
async function attempts(answer: Answered, { random = 0.5, lane = 'background' as Lane } = {}) {
  const atMs: number[] = [];
  const http = httpOf(() => {
    atMs.push(clock.monotonicMs());
    return { text: '', ...answer };
  });
  const options = { http, random: () => random, portal: { rate: 100 } };
  const { catalog, clock } = createTestCatalog('http://catalog.invalid', options);
  const failed = catalog.feeds.get('Home', { lane }).then(
    () => null,
    (error: unknown) => error,
  );
  await clock.advance(MINUTES_MS);
  return { atMs, error: await failed };
}

describe('another attempt', () => {
  it.each([
    [0, [0, 250, 750, 1_750]],
    [1, [0, 500, 1_500, 3_500]],
  ])(
    'after a failure in passing waits twice as long each time, and the fourth is the last (random: %d)',
    async (random, atMs) => {
      expect(await attempts({ status: 503 }, { random })).toMatchObject({ atMs, error: { status: 503 } });
    },
  );

  it('is not made where it is of no use', async () => {
    expect(await attempts({ status: 410 })).toMatchObject({ atMs: [0], error: { status: 410 } });
    const closed = await attempts({ status: 429, text: '{"message":"Limit Exceeded"}', retryAfter: '1' });
    expect(closed).toMatchObject({ atMs: [0], error: { code: 'CATALOG_QUOTA_SPENT' } });
  });

  it('waits longer where the catalog asked to slow down, up to a limit, and is made for as long as somebody waits', async () => {
    const { atMs, error } = await attempts({ status: 429, text: TOO_MANY }, { random: 1 });
    expect(atMs).toEqual([0, 2, 6, 14, 29, 44, 59, 74, 89, 104, 119].map((seconds) => seconds * 1_000));
    expect(error).toMatchObject({ code: 'CATALOG_RATE_LIMITED' });
  });

  it('waits as long as the catalog says, and where it said to slow down, longer each time at least', async () => {
    expect((await attempts({ status: 503, retryAfter: '7' })).atMs).toEqual([0, 7_000, 14_000, 21_000]);
    const slow = { status: 429, text: TOO_MANY };
    expect((await attempts({ ...slow, retryAfter: '30' })).atMs).toEqual([0, 30_000, 60_000, 90_000]);
    const atOnce = await attempts({ ...slow, retryAfter: '0' }, { lane: 'interactive' });
    expect(atOnce.atMs).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
  });
});

describe('Retry-After', () => {
  const USUAL_MS = 375;

  it.each([
    ['0', 0],
    [' 12 ', 12_000],
    ['Sat, 21 Nov 2026 12:01:30 GMT', 90_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    // Dates, for a reader of dates that takes anything.
    ['-5', USUAL_MS],
    ['1.5', USUAL_MS],
    ['soon', USUAL_MS],
    ['', USUAL_MS],
  ])('%j is %i ms', async (retryAfter, ms) => {
    const { atMs } = await attempts({ status: 503, retryAfter });
    expect(atMs[1]).toBe(ms);
  });

  it.each(['999999999', '9'.repeat(400), 'Sat, 21 Nov 9999 12:01:30 GMT'])('%s is a day', async (retryAfter) => {
    const { error } = await attempts({ status: 429, text: TOO_MANY, retryAfter });
    expect(error).toMatchObject({
      message: "The catalog's portal interface asked us to slow down and lets us in again in 86400 s.",
    });
  });
});
