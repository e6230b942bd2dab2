/** A price or a span of prices in US dollars; a single price has equal ends. */
export interface PriceRange {
  minimum: number;
  maximum: number;
}

/** How much less the sale price is than the list price, in whole percent, rounded down. */
export interface Discount {
  minimum: number;
  maximum: number;
}

/**
 * The one definition of "percent off": the cheapest sale price against the cheapest list price, the dearest against
 * the dearest, and the two results from small to large. Rounded down, so that no card promises more than there is.
 * @returns null where the list price is unknown or nothing is taken off
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

function percentOff(sale: number, list: number): number {
  return list > 0 ? Math.floor((1 - sale / list) * 100 + Number.EPSILON * 100) : 0;
}

/**
 * By how much a price changed, in US dollars: below 0 it fell, 0 is the same.
 * @returns null where the two ends of the span did not move by the same amount: no single number would be honest
 */
export function priceStep(before: PriceRange, now: PriceRange): number | null {
  const [minimum, maximum] = [cents(now.minimum - before.minimum), cents(now.maximum - before.maximum)];
  return minimum === maximum ? minimum / 100 : null;
}

/** Fractions of a cent are what floating point makes of a difference. */
function cents(dollars: number): number {
  return Math.round(dollars * 100);
}

/** The span of some prices; null for none. */
export function priceRangeOf(prices: readonly (number | null)[]): PriceRange | null {
  const known = prices.filter((price) => price !== null);
  return known.length > 0 ? { minimum: Math.min(...known), maximum: Math.max(...known) } : null;
}
