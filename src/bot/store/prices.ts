import { createHash } from 'node:crypto';
import type { Backend } from '../../shared/storage/backend.ts';
import { mergeRuns, type PriceRun } from '../deals/price-runs.ts';
import { rowReader, sweep } from './rows.ts';

/** The rows per write. Other work runs between writes. */
const CHUNK_ROWS = 200;
/**
 * The most runs kept of one product, the latest: two years of a price that changes every day. A row is 40 kB at most.
 */
const MOST_RUNS = 1_000;
/**
 * The most products: those observed last. Two years of a catalog with 3,400 new products a day, and about 500 MB of the
 * file.
 */
const MOST_PRODUCTS = 2_500_000;

/** The observed prices of products and items from listings that are no longer known, by the listings' `priceKeys`. */
export interface PriceStore {
  /** The runs of these products, oldest first, where there are any. */
  among(products: readonly string[]): Promise<Map<string, readonly PriceRun[]>>;
  /** Adds runs. Adding the same ones again changes nothing. After an interruption, some may be added and others not. */
  add(runs: ReadonlyMap<string, readonly PriceRun[]>): Promise<void>;
  /** Forgets products that were last observed before that moment, and those beyond the most. */
  sweep(beforeMs: number): Promise<void>;
}

/** Tuples, since there are many: from, until, cheapest and dearest variant; null where it was sold out. */
type RunTuple = readonly [fromMs: number, untilMs: number, minimum: number | null, maximum?: number];

interface PricesRow {
  version: 1;
  /** By `fromMs`. Never empty. */
  runs: readonly RunTuple[];
}

const readRuns = rowReader<PricesRow>([1], { runs: 'list' });

function readRow(stored: unknown): PricesRow | undefined {
  const row = readRuns(stored);
  return row?.runs.every(isTuple) ? row : undefined;
}

function isTuple(run: unknown): run is RunTuple {
  if (!Array.isArray(run) || run.length < 3) return false;
  return run.every((part, index) => Number.isFinite(part) || (part === null && index === 2));
}

export function openPrices(backend: Backend): PriceStore {
  const table = backend.table<PricesRow>('prices', { read: readRow });

  async function among(products: readonly string[]): Promise<Map<string, readonly PriceRun[]>> {
    const rows = await table.getMany(products.map(keyOf));
    return new Map(
      products.flatMap((product, index) => {
        const row = rows[index];
        return row ? [[product, row.runs.map(runOf)] as const] : [];
      }),
    );
  }

  return {
    among,
    async add(runs) {
      const entries = [...runs].filter(([, added]) => added.length > 0);
      for (let start = 0; start < entries.length; start += CHUNK_ROWS) {
        const chunk = entries.slice(start, start + CHUNK_ROWS);
        const kept = await among(chunk.map(([product]) => product));
        await table.setMany(
          chunk.map(([product, added]) => {
            const merged = mergeRuns([...(kept.get(product) ?? []), ...added]).slice(-MOST_RUNS);
            return [keyOf(product), { version: 1, runs: merged.map(tupleOf) }];
          }),
        );
      }
    },
    async sweep(beforeMs) {
      const observed: number[] = [];
      for await (const [, row] of table.entries()) observed.push(lastMs(row));
      const oldestMs = observed.length > MOST_PRODUCTS ? (observed.sort((a, b) => b - a)[MOST_PRODUCTS] ?? 0) : 0;
      await sweep(table, (row) => lastMs(row) < beforeMs || lastMs(row) <= oldestMs);
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
