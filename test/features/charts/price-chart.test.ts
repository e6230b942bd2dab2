import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceHistory } from '../../../src/deals/observed-prices.ts';
import type { PriceRun } from '../../../src/deals/price-runs.ts';
import { priceChart } from '../../../src/features/charts/price-chart.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

/** A run in days before now. */
const run = (from: number, until: number, price: number | null): PriceRun => ({
  fromMs: NOW_MS - from * DAY_MS,
  untilMs: NOW_MS - until * DAY_MS,
  price: price === null ? null : { minimum: price, maximum: price },
});

function chart(runs: readonly PriceRun[], locale = 'en-US', isListed = true): string {
  const history = priceHistory(runs, NOW_MS, isListed);
  if (!history) throw new Error('no history');
  return priceChart(history, translatorFor(locale), NOW_MS);
}

const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
const heights = (svg: string) =>
  [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" text-anchor="start"/g)]
    .filter(([, x]) => Number(x) > 200)
    .map(([, , y]) => Number(y));

const SOME = [run(60, 50, 40), run(50, 45, 34.99), run(45, 44, null), run(30, 10, 34.99), run(10, 0, 25)];

test('it names what it costs, the lowest and the usual price, sold-out time and the days', () => {
  expect(texts(chart(SOME))).toEqual(['usual $34.99', 'now, low $25.00', 'Aug 7', 'Sep 6', 'Oct 6', 'sold out']);
});

test('a price that never changed has one label, and a product that is sold out names its last price', () => {
  expect(texts(chart([run(9, 0, 20)]))).toEqual(['now $20.00', 'Sep 27', 'Oct 2', 'Oct 6']);
  expect(texts(chart([run(9, 5, 20), run(5, 0, null)]))).toContain('last $20.00');
  expect(texts(chart([run(9, 5, 20)], 'en-US', false))).toContain('last $20.00');
  expect(texts(chart([run(0, 0, 20)]))).toEqual(['now $20.00', 'Oct 6']);
});

test('more than 300 days are labelled by months and years', () => {
  expect(texts(chart([run(400, 0, 20)]))).toEqual(['now $20.00', 'Sep 2025', 'Mar 2026', 'Oct 2026']);
});

test('runs that touch are one line, and a gap is one', () => {
  const moves = (svg: string) => /<path d="(M[^"]*)" fill="none"/.exec(svg)?.[1]?.match(/M/g)?.length;
  expect(moves(chart([run(9, 5, 20), run(5, 0, 25)]))).toBe(1);
  expect(moves(chart([run(9, 6, 20), run(5, 0, 25)]))).toBe(2);
});

/** What the line shows of each price: how many pixels wide, by how many high. */
function drawn(svg: string): { from: number; until: number; y: number }[] {
  const path = /<path d="(M[^"]*)" fill="none"/.exec(svg)?.[1] ?? '';
  let [x, y] = [0, 0];
  return [...path.matchAll(/M([\d.]+) ([\d.]+)|V([\d.]+)|H([\d.]+)/g)].flatMap(([, startX, startY, down, to]) => {
    if (startX !== undefined) [x, y] = [Number(startX), Number(startY)];
    if (down !== undefined) y = Number(down);
    if (to === undefined) return [];
    const from = x;
    x = Number(to);
    return [{ from, until: x, y }];
  });
}

test.each([[365], [200], [100], [1]])(
  'each price is drawn for as long as it lasted: a year at one, with one day cheaper %d days ago',
  (day) => {
    const stretches = drawn(
      chart([run(366, day, 30), run(day, day - 1, 20), run(day - 1, 0, 30)].filter((one) => one.untilMs > one.fromMs)),
    );
    const low = Math.max(...stretches.map(({ y }) => y));
    const width = ({ from, until }: { from: number; until: number }) => until - from;
    const cheap = stretches.filter(({ y }) => y === low).reduce((sum, one) => sum + width(one), 0);
    const all = stretches.reduce((sum, one) => sum + width(one), 0);
    expect(cheap / all).toBeGreaterThan(0.5 / 366);
    expect(cheap / all).toBeLessThan(2 / 366);
    for (const one of stretches) expect(width(one)).toBeGreaterThanOrEqual(0);
  },
);

test('a price that was seen for seconds is a line down and up again', () => {
  const second = 1 / 86_400;
  const stretches = drawn(chart([run(10, 5, 30), run(5, 5 - 9 * second, 20), run(5 - 9 * second, 0, 30)]));
  expect(stretches).toHaveLength(3);
  expect((stretches[1]?.until ?? 0) - (stretches[1]?.from ?? 0)).toBeLessThan(0.2);
});

test('labels never overlap, nor leave the picture, whatever the prices', () => {
  const prices = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(prices, fc.constantFrom('en-US', 'de', 'fr', 'es-ES'), (amounts, locale) => {
      const svg = chart(
        amounts.map((price, index) => run(60 - index * 10, 50 - index * 10, price)),
        locale,
      );
      const placed = heights(svg).filter((y) => y < 420);
      for (const [index, y] of placed.entries()) {
        expect(y).toBeGreaterThan(20);
        if (index > 0) expect(y - (placed[index - 1] ?? 0)).toBeGreaterThanOrEqual(45.9);
      }
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }),
    { seed: 20261122 },
  );
});

test('a thousand stretches make a picture of bounded size', () => {
  const many = Array.from({ length: 1000 }, (_, index) => run(1000 - index, 999 - index, 20 + (index % 7)));
  expect(chart(many).length).toBeLessThan(20_000);
});
