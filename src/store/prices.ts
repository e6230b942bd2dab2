import { createHash } from 'node:crypto';
import { compacted, mergeRuns, type PriceRun } from '../deals/price-runs.ts';
import { DAY_MS } from '../shared/time.ts';
import { type Changes, kind, LIST, type State } from './table/state.ts';

/**
 * The most runs kept of one product: two years of a price that changes every day. A row is 40 kB at most. `compacted` says
 * what is kept of more.
 */
const MOST_RUNS = 1_000;
/**
 * The most products: those observed last. Two years of a catalog with 3,400 new products a day, and about 500 MB of the
 * file.
 */
const MOST_PRODUCTS = 2_500_000;

/** Tuples, since there are many: from, until, cheapest and dearest variant; null where it was sold out. */
type RunTuple = readonly [fromMs: number, untilMs: number, minimum: number | null, maximum?: number];

interface PricesRow {
  /** By `fromMs`. Never empty. */
  runs: readonly RunTuple[];
}

/** How long observed prices are remembered: two years, leap days included. */
export const KEPT_MS = 2 * 366 * DAY_MS;

export const PRICES = kind<PricesRow>(
  'prices',
  { runs: LIST },
  { complete: (row) => (row.runs.every(isTuple) ? row : undefined) },
);

function isTuple(run: unknown): run is RunTuple {
  if (!Array.isArray(run) || run.length < 3) return false;
  return run.every((part, index) => Number.isFinite(part) || (part === null && index === 2));
}

/** The observed prices of products and items from listings that are no longer known, by the listings' `priceKeys`. */
export function openPrices(state: State) {
  /** The runs of these products, oldest first, where there are any. */
  async function among(products: readonly string[]): Promise<Map<string, readonly PriceRun[]>> {
    const rows = await state.among(PRICES, products.map(keyOf));
    const found = products.filter((product) => rows.has(keyOf(product)));
    return new Map(found.map((product) => [product, (rows.get(keyOf(product))?.runs ?? []).map(runOf)]));
  }

  return {
    among,
    /** Adds runs, in a commit that may read. Adding the same ones again changes nothing. */
    async add(changes: Changes, runs: ReadonlyMap<string, readonly PriceRun[]>): Promise<void> {
      const entries = [...runs].filter(([, added]) => added.length > 0);
      const kept = await among(entries.map(([product]) => product));
      for (const [product, added] of entries) {
        const merged = mergeRuns([...(kept.get(product) ?? []), ...added]);
        const runs = merged.length > MOST_RUNS ? compacted(merged, MOST_RUNS) : merged;
        changes.set(PRICES, keyOf(product), { runs: runs.map(tupleOf) });
      }
    },
    /** Forgets products that were last observed two years ago, and those beyond the most. Reads all. */
    async sweep(nowMs: number): Promise<void> {
      const observed: number[] = [];
      for await (const [, row] of state.entries(PRICES)) observed.push(lastMs(row));
      const oldestMs = observed.length > MOST_PRODUCTS ? (observed.sort((a, b) => b - a)[MOST_PRODUCTS] ?? 0) : 0;
      await state.sweep(PRICES, (row) => lastMs(row) < nowMs - KEPT_MS || lastMs(row) <= oldestMs);
    },
  };
}

/** Titles are long, and every key is stored twice. 132 bits of a hash tell products apart. */
function keyOf(product: string): string {
  return createHash('sha256').update(product).digest('base64url').slice(0, 22);
}

function lastMs({ runs }: PricesRow): number {
  return runs.reduce((latest, [, untilMs]) => Math.max(latest, untilMs), 0);
}

function tupleOf({ fromMs, untilMs, price }: PriceRun): RunTuple {
  if (!price) return [fromMs, untilMs, null];
  const { minimum, maximum } = price;
  return minimum === maximum ? [fromMs, untilMs, minimum] : [fromMs, untilMs, minimum, maximum];
}

function runOf([fromMs, untilMs, minimum, maximum = minimum ?? undefined]: RunTuple): PriceRun {
  const price = minimum === null || maximum === undefined ? null : { minimum, maximum };
  return { fromMs, untilMs, price };
}
