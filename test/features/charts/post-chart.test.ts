import { expect, onTestFinished, test } from 'vitest';
import { priceHistory } from '../../../src/deals/observed-prices.ts';
import type { PriceRun } from '../../../src/deals/price-runs.ts';
import { createPictureRenderer } from '../../../src/discord/pictures/renderer.ts';
import { postChart } from '../../../src/features/charts/post-chart.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { NOW_MS } from '../../helpers/things.ts';
import { translatorFor } from '../../helpers/translator.ts';

/** A run in days before now. */
const run = (from: number, until: number, price: number | null): PriceRun => ({
  fromMs: NOW_MS - from * DAY_MS,
  untilMs: NOW_MS - until * DAY_MS,
  price: price === null ? null : { minimum: price, maximum: price },
});

function chart(runs: readonly PriceRun[], price: number, locale = 'en-US'): string {
  const history = priceHistory(runs, NOW_MS, true);
  if (!history) throw new Error('no history');
  const all = [history.low.price, history.high.price, price];
  const prices = { minimum: Math.min(...all), maximum: Math.max(...all) };
  return postChart(history, { prices, price, nowMs: NOW_MS }, translatorFor(locale));
}

/** The horizontal strokes of the line: from and until in pixels, and their heights. */
function strokesOf(svg: string): { from: number; until: number; y: number }[] {
  const path = /<path d="([^"]*)" fill="none"/.exec(svg)?.[1] ?? '';
  let [x, y] = [0, 0];
  return [...path.matchAll(/([MVH])([\d.]+)(?: ([\d.]+))?/g)].flatMap(([, letter, first, second]) => {
    if (letter === 'M') [x, y] = [Number(first), Number(second)];
    if (letter === 'V') y = Number(first);
    if (letter !== 'H') return [];
    const from = x;
    x = Number(first);
    return [{ from, until: x, y }];
  });
}

/** The last dot, which is that of the own price. */
const dotOf = (svg: string) => {
  const [, x, y] = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].at(-1) ?? [];
  return { x: Number(x), y: Number(y) };
};
const rightOf = (svg: string) => dotOf(svg).x;
const dashed = (svg: string) => /<path d="([^"]*)"[^>]*stroke-dasharray/.exec(svg)?.[1];
const textsOf = (svg: string) =>
  [...svg.matchAll(/<text[^>]*y="([\d.]+)"[^>]*>([^<]*)</g)].map(([, y, text]) => ({ y: Number(y), text }));

test('each price is as long as it lasted, and nothing is drawn where it was sold out or not seen', () => {
  const svg = chart([run(80, 60, 40), run(60, 50, null), run(40, 0, 20)], 20);
  const [dear, cheap, ...others] = strokesOf(svg);
  expect(others).toEqual([]);
  const day = (rightOf(svg) - 14) / 80;
  expect(dear?.from).toBe(14);
  expect(dear?.until).toBeCloseTo(14 + 20 * day, 0);
  expect(cheap?.from).toBeCloseTo(14 + 40 * day, 0);
  expect(cheap?.until).toBeCloseTo(rightOf(svg), 0);
  expect(dear?.y).toBeLessThan(cheap?.y ?? 0);
  expect(dotOf(svg).y).toBe(cheap?.y);
});

test("the dot is the offer's own price, also where another listing is cheaper, or only one answer has shown it", () => {
  const above = chart([run(40, 0, 20)], 30);
  expect(dotOf(above).y).toBeLessThan(strokesOf(above)[0]?.y ?? 0);
  const below = chart([run(40, 1, 20)], 10);
  expect(strokesOf(below)[0]?.until).toBeLessThan(rightOf(below));
  expect(dotOf(below).y).toBeGreaterThan(strokesOf(below)[0]?.y ?? 0);
});

test('the line is joined with the dot: with dashes where it was not seen until now', () => {
  expect(dashed(chart([run(40, 0, 20)], 20))).toBeUndefined();
  const path = dashed(chart([run(40, 10, 20)], 15));
  expect(path).toMatch(new RegExp(`^M[\\d.]+ [\\d.]+H${rightOf(chart([run(40, 10, 20)], 15))}V[\\d.]+$`));
});

test('a listing that begins right after the former one ended is a step of the line', () => {
  const path = /<path d="([^"]*)" fill="none"/.exec(chart([run(80, 0.01, 40), run(0.005, 0, 20)], 20))?.[1] ?? '';
  expect(path.match(/[MVH]/g)?.join('')).toBe('MHVH');
});

test('it names the own price and the lowest, apart from each other and from the edges, and no ground hides the theme', () => {
  const svg = chart([run(80, 60, 40), run(60, 50, 19.99), run(50, 0, 1_020)], 20);
  const texts = textsOf(svg);
  expect(texts.map(({ text }) => text)).toEqual(['$20.00', '$19.99']);
  const [own = 0, low = 0] = texts.map(({ y }) => y);
  expect(low - own).toBeGreaterThanOrEqual(30);
  expect([own >= 20, low <= 66]).toEqual([true, true]);
  expect(textsOf(chart([run(80, 60, 40), run(60, 0, 20)], 20)).map(({ text }) => text)).toEqual(['$20.00']);
  expect(svg).not.toContain('<rect');
});

test('it writes prices as the language does', () => {
  const texts = textsOf(chart([run(80, 60, 40), run(60, 0, 19.99)], 1_020, 'fr'));
  expect(texts.map(({ text }) => text?.replaceAll(/\s/g, ' '))).toEqual(['1 020,00 $US', '19,99 $US']);
});

test('all of it is inside of the picture', () => {
  const svg = chart([run(700, 650, 1_000), run(500, 0, 0.01)], 5_000);
  for (const { from, until, y } of strokesOf(svg)) {
    expect([from >= 0, until <= 840, y >= 0, y <= 70]).toEqual([true, true, true, true]);
  }
});

test('a price that changed a thousand times makes a picture of some kilobytes', async () => {
  const renderer = createPictureRenderer(systemClock);
  onTestFinished(() => renderer.stop());
  const runs = Array.from({ length: 1_000 }, (_, index) =>
    run((1_000 - index) / 2, (999 - index) / 2, 20 + (index % 50)),
  );
  const png = await renderer.render(chart(runs, 20));
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
  expect(png.length).toBeLessThan(40_000);
});
