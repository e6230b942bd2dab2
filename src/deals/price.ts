/** A price or a price range in US dollars; a single price has equal ends. */
export interface PriceRange {
  minimum: number;
  maximum: number;
}

/** The name of a field among those that could not be read, where its price was read, although it was not written as a range. */
export function asRange(field: string): string {
  return `${field} as a range`;
}

/** The reduction from the list price to the sale price, in whole percent, rounded down. */
export interface Discount {
  minimum: number;
  maximum: number;
}

/**
 * The one definition of "percent off": compares the lowest sale price with the lowest list price and the highest with
 * the highest, and orders the two results. Rounded down, so that no card promises too much.
 * @returns null where a price is unknown or nothing is taken off
 */
export function discountOf(salePrice: PriceRange | null, listPrice: PriceRange | null): Discount | null {
  if (!salePrice || !listPrice) return null;
  const [minimum, maximum] = [
    percentOff(salePrice.minimum, listPrice.minimum),
    percentOff(salePrice.maximum, listPrice.maximum),
  ].sort((a, b) => a - b) as [number, number];
  if (maximum < 1) return null;
  return { minimum: Math.max(minimum, 0), maximum };
}

/** How much less `sale` is than `list`, in whole percent, rounded down; negative where it is more. */
export function percentOff(sale: number, list: number): number {
  return list > 0 ? Math.floor((1 - sale / list) * 100 + Number.EPSILON * 100) : 0;
}

/**
 * The change of a price in US dollars: negative where it fell, 0 where it is the same.
 * @returns null where the two ends of the range changed by different amounts, so that no single number is right
 */
export function priceStep(before: PriceRange, now: PriceRange): number | null {
  const [minimum, maximum] = [cents(now.minimum - before.minimum), cents(now.maximum - before.maximum)];
  return minimum === maximum ? minimum / 100 : null;
}

/** Rounds to whole cents, because differences of floating-point numbers have errors. */
function cents(dollars: number): number {
  return Math.round(dollars * 100);
}

/** The range of the known prices; null where none is known. */
export function priceRangeOf(prices: readonly (number | null)[]): PriceRange | null {
  const known = prices.filter((price) => price !== null);
  return known.length > 0 ? { minimum: Math.min(...known), maximum: Math.max(...known) } : null;
}

/** What something costs, and its list price; null where that is not known. */
export interface Prices {
  salePrice: PriceRange | null;
  listPrice: PriceRange | null;
}

/** The prices of all these items together, such as an offer's variants. */
export function pricesOf(items: readonly { salePrice: number | null; listPrice: number | null }[]): Prices {
  return {
    salePrice: priceRangeOf(items.map(({ salePrice }) => salePrice)),
    listPrice: priceRangeOf(items.map(({ listPrice }) => listPrice)),
  };
}

/** Whether two prices are the same range, or both unknown. */
export function isSamePrice(a: PriceRange | null, b: PriceRange | null): boolean {
  return a === b || (a !== null && b !== null && a.minimum === b.minimum && a.maximum === b.maximum);
}
