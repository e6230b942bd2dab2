import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOfferDetector } from '../src/bot/announcements/detect/detect-offers.ts';
import { productKey } from '../src/bot/deals/known-offer.ts';
import type { Feed } from '../src/bot/deals/offer.ts';
import { priceHistory } from '../src/bot/deals/price-history.ts';
import type { PriceRun } from '../src/bot/deals/price-runs.ts';
import { createChartRenderer } from '../src/bot/discord/charts/chart-renderer.ts';
import { priceChart } from '../src/bot/discord/charts/price-chart.ts';
import { translatorFor } from '../src/bot/discord/i18n/translator.ts';
import { createOfferBook } from '../src/bot/offers/offer-book.ts';
import { openStore, type Store } from '../src/bot/store/store.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { seededRandom } from '../test/helpers/seeded-random.ts';
import { anOffer, NOW_MS } from '../test/helpers/things.ts';
import { elapsedMs, formatCount, measure, ratioOf, type Section, spreadOf, spreadRows } from './measure.ts';

const DAY_MS = 24 * 3_600_000;
const PICTURES = 30;
const RUNS = 60;
const MOST_CPU_MS = 50;
const MOST_BLOCKED_MS = 10;
const FEEDS = { Home: 4_900, Sports: 4_600, Computers: 900, Electronics: 900, Tools: 1_100 };
const CHANGES = 10;
const ARCHIVED = 100_000;
const ROUNDS = { warmUp: 5, counted: 30 };
const MOST_RATIO = 1.1;

const show = (ms: number) => `${ms.toFixed(1)} ms`;

/** A product's year: listings at changing prices, some sold out, with gaps between. */
function aYear(random: () => number): PriceRun[] {
  let atMs = NOW_MS - 365 * DAY_MS;
  return Array.from({ length: RUNS }, () => {
    const fromMs = atMs + (random() < 0.3 ? random() * 4 * DAY_MS : 0);
    const untilMs = fromMs + random() * 5 * DAY_MS;
    atMs = untilMs;
    const price = Math.round(2_000 + random() * 3_000) / 100;
    return { fromMs, untilMs, price: random() < 0.15 ? null : { minimum: price, maximum: price } };
  });
}

async function benchPictures(): Promise<Section> {
  const charts = createChartRenderer(systemClock);
  const translator = translatorFor('en-US');
  const random = seededRandom(1);
  const blocked: number[] = [];
  const draw = () => {
    const year = aYear(random);
    const startMs = performance.now();
    const history = priceHistory(year, NOW_MS);
    if (!history) throw new Error('A year without a price.');
    const drawn = charts.render(priceChart(history, translator, NOW_MS));
    blocked.push(performance.now() - startMs);
    return drawn;
  };
  const firstMs = await elapsedMs(draw);
  const processor: number[] = [];
  const bytes: number[] = [];
  for (let index = 0; index < PICTURES; index += 1) {
    globalThis.gc?.();
    const before = process.cpuUsage();
    bytes.push((await draw()).length);
    const { user, system } = process.cpuUsage(before);
    processor.push((user + system) / 1_000);
  }
  await charts.stop();
  const row = (name: string, samples: readonly number[], write: (value: number) => string) => {
    const { median, min, max } = spreadOf(samples);
    return [name, write(median), write(min), write(max)];
  };
  return {
    title: 'A picture of a product’s prices',
    how: `\`npm run bench -- prices\`. ${PICTURES} years of ${RUNS} stretches each, none drawn before. Processor time of all threads, and the time in which the thread that answers does nothing else: it reads the history, writes the SVG and hands it on. The first picture also starts the thread: ${show(firstMs)} until it is there.`,
    head: ['', 'median', 'min', 'max'],
    rows: [
      row('processor time', processor, show),
      row('in which nothing else gets a turn', blocked.slice(1), show),
      row('size', bytes, (value) => `${(value / 1_000).toFixed(1)} kB`),
    ],
    claims: [
      {
        promise: `A picture takes at most ${MOST_CPU_MS} ms of processor time`,
        measured: `${show(spreadOf(processor).median)} at the median`,
        isKept: spreadOf(processor).median <= MOST_CPU_MS,
      },
      {
        promise: `The event loop is blocked for at most ${MOST_BLOCKED_MS} ms`,
        measured: `${show(spreadOf(blocked.slice(1)).max)} at worst`,
        isKept: spreadOf(blocked.slice(1)).max <= MOST_BLOCKED_MS,
      },
    ],
  };
}

/** All feeds, of which some offers have a new price in each round. */
function feedsOf(round: number): [string, Feed][] {
  return Object.entries(FEEDS).map(([name, count], feed) => [
    name,
    {
      marketingName: name,
      isCutOff: false,
      offers: Array.from({ length: count }, (_, index) => {
        const isChanged = index >= CHANGES * round && index < CHANGES * (round + 1);
        const price = isChanged ? 100 : 300;
        return anOffer(feed * 10_000 + index, { endDateMs: null, salePrice: { minimum: price, maximum: price } });
      }),
    },
  ]);
}

/** A detector that knows all offers, and polls all feeds once a call. Resolves with the milliseconds that it took. */
async function aDetector(store: Pick<Store, 'resources' | 'known' | 'offers' | 'products' | 'prices'>) {
  const book = createOfferBook([], (feed) => store.resources.get(`feed:${feed}`));
  const detector = createOfferDetector({ store, book, items: () => new Map(), log: createLog('silent') });
  let round = 0;
  async function poll(): Promise<number> {
    const feeds = feedsOf(round);
    round += 1;
    const nowMs = NOW_MS + round * 600_000;
    return elapsedMs(async () => {
      for (const [name, value] of feeds) {
        const found = await detector.inFeed(`feed:${name}`, { value }, round === 1, nowMs);
        await found.commit();
      }
    });
  }
  await poll();
  return poll;
}

async function benchPolls(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const paths = ['with', 'without'].map((name) => join(folder, `${name}.sqlite`));
  const [withPrices, without] = await Promise.all(paths.map((path) => openStore(`sqlite://${path}`)));
  if (!withPrices || !without) throw new Error('No store.');
  const runs = Array.from({ length: 3 }, (_, index) => ({
    fromMs: NOW_MS - (index + 1) * 30 * DAY_MS,
    untilMs: NOW_MS - (index + 1) * 30 * DAY_MS + 9 * DAY_MS,
    price: { minimum: 300 + index, maximum: 300 + index },
  }));
  const product = (index: number) => productKey(anOffer(index));
  await withPrices.prices.add(new Map(Array.from({ length: ARCHIVED }, (_, index) => [product(index), runs])));
  const bytes = statSync(paths[0] ?? '').size - statSync(paths[1] ?? '').size;
  const nothing = { among: async () => new Map(), add: async () => undefined, sweep: async () => undefined };
  const contenders = [
    { name: 'with observed prices', run: await aDetector(withPrices) },
    { name: 'without', run: await aDetector({ ...without, prices: nothing }) },
  ];
  const samples = await measure(contenders, ROUNDS);
  await withPrices.close();
  await without.close();
  rmSync(folder, { recursive: true, force: true });
  const ratio = ratioOf(samples, 'with observed prices', 'without').median;
  const perProduct = bytes / ARCHIVED;
  return {
    title: 'Observed prices in a poll of 12,400 known offers',
    how: `\`npm run bench -- prices\`. All ${Object.keys(FEEDS).length} feeds detected and committed on a SQLite file, ${CHANGES * Object.keys(FEEDS).length} offers of them with a new price; ${ROUNDS.counted} rounds after ${ROUNDS.warmUp} to warm up, in turns. ${formatCount(ARCHIVED)} products with 3 listings each are archived: ${(bytes / 1e6).toFixed(1)} MB, ${Math.round(perProduct)} bytes a product.`,
    head: ['', 'median', 'min', 'max'],
    rows: spreadRows(samples, show),
    claims: [
      {
        promise: 'Observed prices make a poll at most 10 % dearer',
        measured: `${((ratio - 1) * 100).toFixed(1)} % at the median`,
        isKept: ratio <= MOST_RATIO,
      },
    ],
  };
}

/** Measures what the memory of prices costs: its pictures, and its part in a poll. */
export async function benchPrices(): Promise<Section[]> {
  return [await benchPictures(), await benchPolls()];
}
