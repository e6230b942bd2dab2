import { newSubscription } from '../src/announcements/kinds/of-source.ts';
import { Audience } from '../src/announcements/match/match.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { openStore } from '../src/store/store.ts';
import { seededRandom } from '../test/helpers/seeded-random.ts';
import { filterSource, NOW_MS, simulatedOffers } from './matching-filters.ts';

/** The time and memory that it took a process to read the subscriptions and to index their filters. */
export interface StartReport {
  /** Milliseconds until the store was open, and until the index was whole. */
  openMs: number;
  indexMs: number;
  /** Processor time of all threads: milliseconds. */
  cpuMs: number;
  /** The JavaScript heap after a collection, and the resident memory at the most: bytes. */
  heapBytes: number;
  peakBytes: number;
}

/** Subscriptions that one commit saves. */
const BATCH = 10_000;
const FEEDS = ['All', 'Home', 'Electronics', 'Computers', 'Sports', 'Tools', 'Shirts'];

/** Writes a state with so many subscriptions, some in each server. */
async function fill(stateUrl: string, count: number, perServer: number): Promise<void> {
  const write = filterSource(await simulatedOffers(), 2);
  const random = seededRandom(3);
  const digits = (length: number) => Array.from({ length }, () => Math.floor(random() * 10)).join('');
  const store = await openStore(stateUrl);
  await store.commit((changes) => store.markSetUp(changes));
  let [guildId, createdBy] = ['', ''];
  const make = (number: number) => {
    if (number % perServer === 0) [guildId, createdBy] = [`1${digits(18)}`, `1${digits(18)}`];
    const subscription = newSubscription({
      id: `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`,
      guildId,
      channelId: `1${digits(18)}`,
      source: { kind: 'feed', feed: FEEDS[Math.floor(random() * FEEDS.length)] ?? 'All' },
      createdBy,
      createdAtMs: NOW_MS - Math.floor(random() * 1e10),
      catchUp: 0,
    });
    return { ...subscription, filter: write() };
  };
  for (let number = 0; number < count; number += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - number) }, (_, index) => make(number + index));
    await store.commit((changes) => {
      for (const subscription of batch) store.subscriptions.put(changes, subscription);
    });
  }
  await store.close();
}

/** Reads a state and indexes its subscriptions, as a start does. */
async function start(stateUrl: string): Promise<StartReport> {
  const startMs = performance.now();
  const cpu = process.cpuUsage();
  const store = await openStore(stateUrl);
  const openMs = performance.now() - startMs;
  const audience = new Audience(store.subscriptions, [], createLog('warn'));
  const indexMs = performance.now() - startMs - openMs;
  const { user, system } = process.cpuUsage(cpu);
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  globalThis.gc?.();
  const heapBytes = process.memoryUsage().heapUsed;
  // The index has to be in memory until here.
  await audience.of([], NOW_MS, { clock: systemClock });
  return { openMs, indexMs, cpuMs: (user + system) / 1000, heapBytes, peakBytes };
}

const [doing, stateUrl = '', count, perServer] = process.argv.slice(2);
const report = doing === 'fill' ? await fill(stateUrl, Number(count), Number(perServer)) : await start(stateUrl);
// Open connections would keep the process.
process.send?.(report ?? 'filled', () => process.exit());
