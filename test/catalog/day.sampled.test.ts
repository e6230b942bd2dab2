import { expect, it } from 'vitest';
import { Limiter } from '../../packages/catalog-service/src/limits.ts';
import { type Catalog, LANES, type Lane } from '../../src/catalog/catalog.ts';
import { CatalogQuotaSpentError, CatalogTimeoutError } from '../../src/catalog/errors.ts';
import type { CatalogOptions } from '../../src/catalog/index.ts';
import { DAY_MS, MINUTE_MS } from '../../src/shared/time.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { sampled } from '../helpers/sampled.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { createTestCatalog } from './create-test-catalog.ts';

const LIMITS = { rate: 1, burst: 10, quota: 1000 };
/** All lanes together have to get this many requests out of a day. */
const USABLE = 0.99 * LIMITS.quota;
const LONGEST_WAY_MS = 2000;

/** A client before the service's own limiter; every way there and back takes a while, always another one. */
function setUp(startMs: number, seed: number) {
  const random = seededRandom(seed);
  const clock = new ManualClock(new Date(startMs).toISOString());
  const limiter = new Limiter(LIMITS);
  const admitted = new Map<string, number>();
  const travel = async (signal: AbortSignal) => {
    await clock.sleep(random() * LONGEST_WAY_MS, signal);
    // This throws no CatalogError, so a single refusal of either kind ends the test.
    limiter.admit('key', clock.now());
    const today = dayAt(clock.now());
    admitted.set(today, (admitted.get(today) ?? 0) + 1);
    await clock.sleep(random() * LONGEST_WAY_MS, signal);
    return { status: 200, text: '[]' };
  };
  const http: CatalogOptions['http'] = { send: (_, signal) => travel(signal), close: async () => undefined };
  const { catalog } = createTestCatalog('http://catalog.example.com', { clock, http, portal: LIMITS });
  return { random, clock, catalog, admitted };
}

/** `2028-02-29` */
function dayAt(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** Asks for feeds of which no two are the same: every call that is let through costs a request. */
function asker(catalog: Catalog) {
  let count = 0;
  return (lane: Lane) => {
    count += 1;
    return catalog.feeds.get(`feed-${count}`, { lane });
  };
}

const DAYS: [name: string, day: string, seed: number][] = [
  ['an ordinary day', '2026-11-21', 1],
  ['the end of a month', '2026-11-30', 2],
  ['the end of a year', '2026-12-31', 3],
  ['the day before a leap day', '2028-02-28', 4],
  ['a leap day', '2028-02-29', 5],
];

it.each(sampled(DAYS, 2))('%s and the next, busy: no limit is met, and both are used up', async (_, day, seed) => {
  const firstMs = Date.parse(day);
  // Some requests are on their way when the first day begins.
  const { random, clock, catalog, admitted } = setUp(firstMs - 5000, seed);
  const ask = asker(catalog);
  const calls: Promise<void>[] = [];
  const call = async () => {
    try {
      await ask(LANES[Math.floor(random() * LANES.length)] ?? 'background');
    } catch (error) {
      if (!(error instanceof CatalogQuotaSpentError || error instanceof CatalogTimeoutError)) throw error;
    }
  };
  const untilMs = firstMs + 2 * DAY_MS;
  while (clock.now() < untilMs) {
    // Bursts of up to thirty, every few minutes; around 00:00 UTC without a pause.
    const count = Math.ceil(random() * 30);
    for (let number = 0; number < count; number += 1) calls.push(call());
    const toMidnightMs = DAY_MS - (clock.now() % DAY_MS);
    const isTurning = toMidnightMs < MINUTE_MS;
    await clock.advance(isTurning ? random() * 2000 : Math.min(random() * 15 * MINUTE_MS, toMidnightMs - 1000));
  }
  await clock.advance(3 * MINUTE_MS);
  await Promise.all(calls);
  for (const atMs of [firstMs, firstMs + DAY_MS]) expect(admitted.get(dayAt(atMs))).toBeGreaterThanOrEqual(USABLE);
});

it('lets people through within seconds while background work waits for more than the day has', async () => {
  const { clock, catalog, admitted } = setUp(Date.parse('2028-02-28'), 6);
  const ask = asker(catalog);
  for (const day of ['2028-02-28', '2028-02-29', '2028-03-01']) {
    const startMs = clock.now();
    let isSpent = false;
    const work = Array.from({ length: 40 }, async () => {
      while (!isSpent) {
        await ask('background').catch((error: unknown) => {
          if (error instanceof CatalogQuotaSpentError) isSpent = true;
          else if (!(error instanceof CatalogTimeoutError)) throw error;
        });
      }
    });
    const waits: Promise<number>[] = [];
    // They ask while the rest is being spent, and then until their reserve is spent as well.
    while ((admitted.get(day) ?? 0) < USABLE) {
      const askedAtMs = clock.now();
      waits.push(ask('interactive').then(() => clock.now() - askedAtMs));
      await clock.advance(10_000);
    }
    await Promise.all(work);
    expect(Math.max(...(await Promise.all(waits)))).toBeLessThan(10_000);
    await clock.advance(startMs + DAY_MS - clock.now());
  }
});
