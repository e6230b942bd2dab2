import { createMatcher } from '../src/bot/announcements/match/matcher.ts';
import { parseFilter, subjectOfOffer } from '../src/bot/deals/filter/index.ts';
import { productKey } from '../src/bot/deals/known-offer.ts';
import { seededRandom } from '../test/helpers/seeded-random.ts';
import { filterSource, NOW_MS, simulatedOffers } from './matching-filters.ts';

/** The memory that a process with so many subscriptions needs. */
export interface MemoryReport {
  baseBytes: number;
  bytes: number;
  peakBytes: number;
  filters: number;
  buildMs: number;
  matches: number;
}

/** How many products of the store, and of what is not on offer, are watched. */
const PRODUCTS = 100_000;

/** Takes subscriptions or watches in, in a process of its own, and answers what that took. */
async function build(count: number, areWatches: boolean): Promise<MemoryReport> {
  const offers = await simulatedOffers();
  const random = seededRandom(3);
  const products = offers.map((offer) => `product:${productKey(offer)}`);
  for (let number = products.length; number < PRODUCTS; number += 1) products.push(`product:kettle no ${number}|new`);
  const write = filterSource(offers, 2);
  const matcher = createMatcher<{ id: string }>();
  const filters = new Map<string, ReturnType<typeof parseFilter>>();
  globalThis.gc?.();
  const baseBytes = process.memoryUsage.rss();
  const startMs = performance.now();
  for (let number = 0; number < count; number += 1) {
    // Half of the watches wait for a price of one product, the others for new offers that match a filter.
    const isOfProduct = areWatches && number % 2 === 0;
    const text = isOfProduct ? `price:0.01..${1 + Math.floor(random() * 500)}` : write();
    const parsed = filters.get(text) ?? parseFilter(text);
    if (!parsed.ok) throw new Error(`A filter of the bench is wrong: ${parsed.problem.code}.`);
    filters.set(text, parsed);
    matcher.add({
      members: [{ id: number.toString(36).padStart(12, '0') }],
      key: isOfProduct ? (products[Math.floor(random() * products.length)] ?? '') : 'feed:All',
      filter: parsed.filter,
    });
  }
  const buildMs = performance.now() - startMs;
  let matches = 0;
  for (const offer of offers.slice(0, 100)) {
    const keys = ['feed:All', ...(areWatches ? [`product:${productKey(offer)}`] : [])];
    for (const { members } of matcher.match(keys, subjectOfOffer(offer), NOW_MS)) matches += members.length;
  }
  globalThis.gc?.();
  return {
    baseBytes,
    bytes: process.memoryUsage.rss(),
    peakBytes: process.resourceUsage().maxRSS * 1024,
    filters: filters.size,
    buildMs,
    matches: matches / 100,
  };
}

process.send?.(await build(Number(process.argv[2]), process.argv[3] === 'watches'));
