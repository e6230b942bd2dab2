import { createMatcher, type Matchable } from '../src/bot/announcements/match/matcher.ts';
import { createFilterReader, subjectOfOffer } from '../src/bot/deals/filter/index.ts';
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

/** Takes subscriptions in, in a process of its own, and answers what that took. */
async function build(count: number): Promise<MemoryReport> {
  const offers = await simulatedOffers();
  const write = filterSource(offers, 2);
  const read = createFilterReader();
  const matcher = createMatcher<Matchable>();
  const filters = new Set<string>();
  globalThis.gc?.();
  const baseBytes = process.memoryUsage.rss();
  const startMs = performance.now();
  for (let number = 0; number < count; number += 1) {
    const parsed = read(write());
    if (!parsed.ok) throw new Error(`A filter of the bench is wrong: ${parsed.problem.code}.`);
    filters.add(parsed.filter.canonical);
    matcher.set({ id: number.toString(36).padStart(12, '0'), key: 'feed:All', filter: parsed.filter });
  }
  const buildMs = performance.now() - startMs;
  let matches = 0;
  for (const offer of offers.slice(0, 100)) {
    matches += matcher.match(['feed:All'], subjectOfOffer(offer), NOW_MS).length;
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

process.send?.(await build(Number(process.argv[2])));
