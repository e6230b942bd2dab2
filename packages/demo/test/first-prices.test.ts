import { expect, test } from 'vitest';
import { createSimulator } from '../../catalog-service/src/index.ts';
import { firstPrices } from '../src/first-prices.ts';
import { STORE } from '../src/surroundings.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const DAY_MS = 86_400_000;
const LATER_MS = 25 * 60_000;

test('every product that comes in the first half hour has a past of more than a month, up to now and without gaps', () => {
  const store = createSimulator(STORE);
  const products = firstPrices(store, NOW_MS);
  const known = new Set(products.map(({ title }) => title));
  const titlesAt = (ms: number) =>
    (store.at(ms, '').feed('Electronics').items as { Title: string }[]).map((item) => item.Title);
  for (const ms of [NOW_MS, NOW_MS + LATER_MS]) {
    for (const title of titlesAt(ms)) expect(known).toContain(title);
  }
  for (const { runs } of products) {
    expect(NOW_MS - (runs[0]?.fromMs ?? NOW_MS)).toBeGreaterThan(31 * DAY_MS);
    expect(NOW_MS - (runs.at(-1)?.untilMs ?? 0)).toBeCloseTo(60_000);
    for (const [index, { fromMs, untilMs, price }] of runs.entries()) {
      expect(untilMs).toBeGreaterThan(fromMs);
      expect(price.maximum).toBeGreaterThanOrEqual(price.minimum);
      expect(price.minimum).toBeGreaterThan(0);
      const next = runs[index + 1];
      if (next) expect(next.fromMs).toBe(untilMs);
    }
  }
});

test('in three minutes a deal-off runs, whenever the demo begins', () => {
  const store = createSimulator(STORE);
  const types = (ms: number) => (store.at(ms, '').events() as { Type: string }[]).map(({ Type: type }) => type);
  for (let minute = 0; minute < 60; minute += 1) {
    const seen = [0, 1, 2, 3].flatMap((later) => types(NOW_MS + (minute + later) * 60_000));
    expect(seen).toContain('DealOff');
  }
});
