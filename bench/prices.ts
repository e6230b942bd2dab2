import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productKey } from '../src/deals/known-offer.ts';
import type { PriceRun } from '../src/deals/price-runs.ts';
import { createPictureRenderer } from '../src/discord/pictures/renderer.ts';
import { systemClock } from '../src/shared/clock.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { historyShown } from '../test/helpers/price-history.ts';
import { seededRandom } from '../test/helpers/seeded-random.ts';
import { aKnownOffer, anOffer, NOW_MS } from '../test/helpers/things.ts';
import { translatorFor } from '../test/helpers/translator.ts';
import { elapsedMs, formatCount, measure, ratioOf, type Section, spreadOf, spreadRows } from './measure.ts';
import { aPolledCatalog } from './tick.ts';

const DAY_MS = 24 * 3_600_000;
const PICTURES = 30;
const RUNS = 60;
const MOST_CPU_MS = 50;
const MOST_BLOCKED_MS = 10;
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

/** The processor time of the main thread so far, in milliseconds; NaN where the system is not Linux. */
function mainThreadMs(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

async function benchPictures(): Promise<Section[]> {
  const renderer = createPictureRenderer(systemClock);
  const translator = translatorFor('en-US');
  const random = seededRandom(1);
  const blocked: number[] = [];
  const worked: number[] = [];
  const known = aKnownOffer(1);
  const draw = async () => {
    const year = aYear(random);
    const [startMs, workedMs] = [performance.now(), mainThreadMs()];
    const card = await historyShown(known.offer.id, {
      offers: { get: () => known, listings: () => [], feedState: () => null },
      prices: { among: async () => new Map([[productKey(known.offer), year]]) },
      pictures: {
        render(svg) {
          const drawn = renderer.render(svg);
          blocked.push(performance.now() - startMs);
          worked.push(mainThreadMs() - workedMs);
          return drawn;
        },
      },
      cardContext: { translator, nowMs: NOW_MS },
    });
    return card?.files?.[0]?.content ?? null;
  };
  const startMs = performance.now();
  // A bot without price histories draws none.
  if ((await draw()) === null) return [];
  const firstMs = performance.now() - startMs;
  const processor: number[] = [];
  const bytes: number[] = [];
  for (let index = 0; index < PICTURES; index += 1) {
    globalThis.gc?.();
    const before = process.cpuUsage();
    bytes.push((await draw())?.length ?? 0);
    const { user, system } = process.cpuUsage(before);
    processor.push((user + system) / 1_000);
  }
  await renderer.stop();
  const row = (name: string, samples: readonly number[], write: (value: number) => string) => {
    const { median, min, max } = spreadOf(samples);
    return [name, write(median), write(min), write(max)];
  };
  const section: Section = {
    title: 'A picture of a product’s prices',
    how: `\`npm run bench -- prices\`. ${PICTURES} years of ${RUNS} stretches each, none drawn before. Processor time of all threads, and the time in which the thread that answers does nothing else: it reads the history, writes the SVG and hands it on. The first picture counts too, which starts the thread: ${show(firstMs)} until it is there.`,
    head: ['', 'median', 'min', 'max'],
    rows: [
      row('processor time', processor, show),
      row('in which nothing else gets a turn', blocked, show),
      row('of that, processor time', worked, show),
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
        measured: `${show(spreadOf(blocked).max)} at worst`,
        isKept: spreadOf(blocked).max <= MOST_BLOCKED_MS,
        reason: 'The rest of it, the system gave the processor to others.',
      },
    ],
  };
  return [section];
}

/** A store that archives no price. */
const withoutPrices = (store: Store): Store => ({
  ...store,
  prices: { among: async () => new Map(), add: async () => undefined, sweep: async () => undefined },
});

async function benchTicks(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const paths = ['with', 'without'].map((name) => join(folder, `${name}.sqlite`));
  const [withPrices, without] = await Promise.all(paths.map((path) => openStore(`sqlite://${path}`)));
  if (!withPrices || !without) throw new Error('No store.');
  const catalogs = [await aPolledCatalog(withPrices), await aPolledCatalog(withoutPrices(without))];
  for (const catalog of catalogs) await catalog.tick();
  const bytes = await archive(withPrices, paths[0] ?? '');
  const contenders = ['with observed prices', 'without'].map((name, index) => ({
    name,
    async run() {
      const catalog = catalogs[index];
      await catalog?.change();
      return elapsedMs(async () => catalog?.tick());
    },
  }));
  const samples = await measure(contenders, ROUNDS);
  for (const catalog of catalogs) await catalog.close();
  await withPrices.close();
  await without.close();
  rmSync(folder, { recursive: true, force: true });
  const ratio = ratioOf(samples, 'with observed prices', 'without').median;
  return {
    title: 'Observed prices in a tick over 12,400 known offers',
    how: `\`npm run bench -- prices\`. The tick above, with 50 offers that got cheaper, on two SQLite files; ${ROUNDS.counted} rounds after ${ROUNDS.warmUp} to warm up, in turns. ${formatCount(ARCHIVED)} products with 3 listings each are archived, those of all known offers among them: ${(bytes / 1e6).toFixed(1)} MB, ${Math.round(bytes / ARCHIVED)} bytes a product.`,
    head: ['', 'median', 'min', 'max'],
    rows: spreadRows(samples, show),
    claims: [
      {
        promise: 'Observed prices make a tick at most 10 % dearer',
        measured: `${((ratio - 1) * 100).toFixed(1)} % at the median`,
        isKept: ratio <= MOST_RATIO,
      },
    ],
  };
}

/** Archives three earlier listings of each known product and of further ones. Resolves with their size in the file. */
async function archive(store: Store, path: string): Promise<number> {
  const runs = Array.from({ length: 3 }, (_, index) => ({
    fromMs: NOW_MS - (index + 1) * 30 * DAY_MS,
    untilMs: NOW_MS - (index + 1) * 30 * DAY_MS + 9 * DAY_MS,
    price: { minimum: 300 + index, maximum: 300 + index },
  }));
  const keys = new Set<string>();
  for (const { offer } of await store.offers.all()) keys.add(productKey(offer));
  for (let index = 0; keys.size < ARCHIVED; index += 1) keys.add(productKey(anOffer(index)));
  const before = statSync(path).size;
  await store.transact((changes) => store.prices.add(changes, new Map([...keys].map((key) => [key, runs]))));
  return statSync(path).size - before;
}

/** Measures what the memory of prices costs: its pictures, and its part in a tick. */
export async function benchPrices(): Promise<Section[]> {
  return [...(await benchPictures()), await benchTicks()];
}
