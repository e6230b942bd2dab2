// Draws the picture of /history in docs/commands.md: the demo has observed prices for minutes only.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const DRAWING = `
export { priceHistory } from './src/deals/observed-prices.ts';
export { createTranslators } from './src/discord/i18n/translator.ts';
export { createPictureRenderer } from './src/discord/pictures/renderer.ts';
export { priceChart } from './src/features/charts/price-chart.ts';
export { WORDS } from './src/features/charts/words/index.ts';
export { systemClock } from './src/shared/clock.ts';
`;

const NOW_MS = Date.UTC(2026, 9, 6, 12);
const DAY_MS = 24 * 3_600_000;
/** From and until how many days ago a product cost how many dollars; null while it was sold out. */
const OBSERVED = [
  [120, 110, 39.99],
  [110, 104, 34.99],
  [104, 100, null],
  [80, 70, 34.99],
  [70, 62, 29.99],
  [62, 60, null],
  [40, 30, 36.49],
  [30, 22, 34.99],
  [10, 3, 31.99],
  [3, 0, 24.99],
];

/** Writes the picture to `path`. */
export async function drawPricePicture(path) {
  const { priceHistory, createPictureRenderer, priceChart, createTranslators, WORDS, systemClock } = await drawing();
  const runs = OBSERVED.map(([from, until, price]) => ({
    fromMs: NOW_MS - from * DAY_MS,
    untilMs: NOW_MS - until * DAY_MS,
    price: price === null ? null : { minimum: price, maximum: price },
  }));
  const translator = createTranslators(() => undefined, [WORDS])('en-US');
  const renderer = createPictureRenderer(systemClock);
  writeFileSync(path, await renderer.render(priceChart(priceHistory(runs, NOW_MS), translator, NOW_MS)));
  await renderer.stop();
}

/** What the bot draws charts with, as JavaScript. */
async function drawing() {
  const outfile = fileURLToPath(new URL('../dist/price-picture.js', import.meta.url));
  await build({
    stdin: { contents: DRAWING, resolveDir: root },
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  return import(outfile);
}
