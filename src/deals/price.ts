/** A price or a span of prices in US dollars; a single price has equal ends. */
export interface PriceRange {
  minimum: number;
  maximum: number;
}
