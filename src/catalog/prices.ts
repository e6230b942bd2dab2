import { asRange, type PriceRange } from '../deals/price.ts';
import type { Unread } from './fields.ts';

// What counts as a price, wherever the catalog states one.

/** US dollars. Zero, a negative number and what rounds to zero are no price. */
const CHEAPEST = 0.01;
/** A number from here on is a mistake. */
const TOO_DEAR = 1_000_000;

/** A price in US dollars; null where there is none, undefined where it can't be read. */
function priceIn(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value) || value >= TOO_DEAR) return undefined;
  return value < CHEAPEST ? null : value;
}

/** One price. An unreadable one is noted, and read as none. */
export function readPrice(value: unknown, field: string, unread: Unread): number | null {
  const price = value === '' ? null : priceIn(value);
  if (price === undefined) unread(field);
  return price ?? null;
}

/** `$1,299.00`, in dollars. */
const TEXT = /^\$?\d{1,3}(?:,?\d{3})?(?:\.\d{1,4})?$/;

/** A plain number or text as a price, which no specification shows; undefined where it is none. */
function plainPriceIn(value: unknown): number | null | undefined {
  if (typeof value === 'number') return priceIn(value);
  if (typeof value !== 'string' || !TEXT.test(value.trim())) return undefined;
  return priceIn(Number(value.replaceAll(/[$,]/g, '')));
}

/**
 * A range of prices in either form. An unreadable one is noted, and read as none; an absent one is read as none. A plain price
 * serves as both ends, and its form is noted.
 */
export function readPriceRange(json: unknown, field: string, unread: Unread): PriceRange | null {
  const plain = plainPriceIn(json);
  if (plain !== undefined) {
    unread(asRange(field));
    return bothEnds(plain);
  }
  const range = Array.isArray(json) ? rangeOver(json) : rangeIn(json);
  if (range === undefined) unread(field);
  return range ?? null;
}

/** "Example shows one object. The declared schema shows an array": of several ranges, the one that covers them all. */
function rangeOver(list: readonly unknown[]): PriceRange | null | undefined {
  const ranges = list.map(rangeIn);
  if (ranges.length === 0 || ranges.includes(undefined)) return undefined;
  const known = ranges.filter((range) => range !== null && range !== undefined);
  if (known.length === 0) return null;
  return {
    minimum: Math.min(...known.map(({ minimum }) => minimum)),
    maximum: Math.max(...known.map(({ maximum }) => maximum)),
  };
}

function rangeIn(json: unknown): PriceRange | null | undefined {
  if (json === undefined || json === null) return null;
  if (typeof json !== 'object') return undefined;
  const { Minimum, Maximum }: { Minimum?: unknown; Maximum?: unknown } = json;
  const [minimum, maximum] = [priceIn(Minimum), priceIn(Maximum)];
  if (minimum === undefined || maximum === undefined) return undefined;
  if (typeof Minimum !== 'number' && typeof Maximum !== 'number') return undefined;
  if (minimum === null || maximum === null) return bothEnds(minimum ?? maximum);
  return minimum <= maximum ? { minimum, maximum } : { minimum: maximum, maximum: minimum };
}

/** A range from one known end, which serves as both. */
function bothEnds(price: number | null): PriceRange | null {
  return price === null ? null : { minimum: price, maximum: price };
}
