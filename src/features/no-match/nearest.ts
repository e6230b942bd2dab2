import type { OfferSearch } from '../../offers/search.ts';

/** A word between spaces that no sign makes anything else of. */
const WORD = /(?<=^|\s)[\p{L}\p{N}][\p{L}\p{N}\p{Mn}'’]*(?=\s|$)/gu;
/** Words of the filter language. */
const OPERATORS: readonly string[] = ['OR', 'AND', 'NOT'];
/** The most words that are looked up. */
const MOST_WORDS = 8;

/** The filter with its words that no offer has replaced by the nearest that some offer has; null where none is near. */
export function nearestFilter(filter: string, search: Pick<OfferSearch, 'nearest'>): string | null {
  let looked = 0;
  const nearest = filter.replace(WORD, (word) => {
    looked += 1;
    return OPERATORS.includes(word) || looked > MOST_WORDS ? word : (search.nearest(word) ?? word);
  });
  return nearest === filter ? null : nearest;
}
