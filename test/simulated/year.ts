import { statSync } from 'node:fs';
import { createSimulator } from '../../packages/catalog-service/src/index.ts';
import { KINDS_OF, newSubscription } from '../../src/announcements/kinds/of-source.ts';
import type { Source } from '../../src/deals/subscription.ts';
import { pagesOf } from '../../src/store/table/state.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { backendAt } from '../helpers/opened-state.ts';
import { createSimulatedCatalog, openBot } from './bot.ts';
import { createArrivals } from './courier.ts';

const START = '2026-01-01T00:00:00Z';
const TICK_MS = 30 * 60_000;
const TICKS_A_DAY = 48;
const DAYS_A_MONTH = 30;
const MONTHS = 13;
const OFFERS = 150;
/** Requests a day of each interface. */
const QUOTA = 30;
/** All that is swept has been kept for as long as it is kept by then: 180 days. */
const SETTLED_MONTH = 8;
/** Kept for longer than this year: its rows are as many as products were sold, and its size is said. */
const GROWING = 'prices';
/** The arrivals differ from month to month. */
const MOST_GROWTH = 1.25;
const KINDS = [
  'subscription',
  'resource',
  'offer',
  'product',
  'prices',
  'known',
  'delivery',
  'ledger',
  'roll-up',
  'post',
  'edit',
  'publication',
  'pace',
];
const SOURCES: readonly Source[] = [
  { kind: 'feed', feed: 'All' },
  { kind: 'feed', feed: 'All' },
  { kind: 'feed', feed: 'Home' },
  { kind: 'feed', feed: 'Electronics' },
  { kind: 'events', sites: [], types: [] },
  { kind: 'dealcasts' },
  { kind: 'polls' },
  { kind: 'monkeychats' },
];

/** Simulates a year, and measures the state each month. Resolves with a line for each problem. */
export async function liveAYear(path: string, say: (line: string) => void): Promise<string[]> {
  const clock = new ManualClock(START);
  const stateUrl = `sqlite://${path}`;
  const { courier, arrived } = createArrivals(() => ({ trueMs: clock.now(), botMs: clock.now() }));
  const content = createSimulator({ seed: 'year', offers: OFFERS, pace: 'store' });
  const { catalog } = createSimulatedCatalog({ content, quota: () => QUOTA, clock, trueNow: () => clock.now() });
  const open = () => openBot({ stateUrl, catalog, courier, clock });
  let bot = await open();
  for (const [index, source] of SOURCES.entries()) {
    const given = {
      id: `s${index}`,
      guildId: '1',
      channelId: `${index + 1}`,
      createdBy: '1',
      createdAtMs: 0,
      catchUp: 0,
    };
    // One in digests, so that there are roll-ups.
    const mode = index === 0 ? 'hourly' : 'at-once';
    const timing = { mode, dailyAtMinute: 0, timeZone: 'UTC', quiet: null } as const;
    const kinds = [...KINDS_OF[source.kind].all];
    const isPublished = index === 2;
    await bot.store.subscriptions.save({ ...newSubscription({ ...given, source }), timing, kinds, isPublished });
  }
  const sizes: Size[] = [];
  say(['month', 'posts', 'kB', ...KINDS].join('\t'));
  for (let month = 1; month <= MONTHS; month += 1) {
    for (let tick = 0; tick < DAYS_A_MONTH * TICKS_A_DAY; tick += 1) {
      await bot.poller.tick();
      await bot.deliverer.settled();
      await clock.advance(TICK_MS);
      await bot.deliverer.settled();
      if (tick % TICKS_A_DAY !== 0) continue;
      await bot.sweep();
    }
    await bot.stop();
    const size = await sizeOf(path);
    sizes.push(size);
    say(
      [month, arrived.length, Math.round(size.bytes / 1_000), ...KINDS.map((name) => size.rows.get(name))].join('\t'),
    );
    bot = await open();
  }
  await bot.stop();
  return growthOf(sizes);
}

interface Size {
  bytes: number;
  rows: ReadonlyMap<string, number>;
}

async function sizeOf(path: string): Promise<Size> {
  const backend = backendAt(`sqlite://${path}`);
  const rows = new Map<string, number>();
  for (const name of KINDS) {
    let count = 0;
    for await (const page of pagesOf(backend, `${name}:`)) count += page.length;
    rows.set(name, count);
  }
  await backend.close();
  return { bytes: statSync(path).size, rows };
}

/** The kinds of records of which there are more at the end than they were once everything forgettable was forgotten. */
function growthOf(sizes: readonly Size[]): string[] {
  const [settled, last] = [sizes[SETTLED_MONTH - 1], sizes.at(-1)];
  if (!settled || !last) return ['The year was too short.'];
  const problems = KINDS.filter((name) => name !== GROWING).flatMap((name) => {
    const [before = 0, after = 0] = [settled.rows.get(name), last.rows.get(name)];
    return after > before * MOST_GROWTH + 100
      ? [`Of ${name} there are more and more: ${before} records, then ${after}.`]
      : [];
  });
  const hasGrown = last.bytes > settled.bytes * MOST_GROWTH;
  return hasGrown ? [...problems, `The file grows: ${settled.bytes} bytes, then ${last.bytes}.`] : problems;
}
