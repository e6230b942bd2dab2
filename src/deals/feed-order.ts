import { newestFirst } from './life.ts';
import type { Offer } from './offer.ts';
import { discountOf } from './price.ts';
import { scoreOf } from './score.ts';
import { rankOf, unitPriceOf } from './unit-price.ts';

/** How a feed's offers can be sorted. */
export const FEED_ORDERS = ['newest', 'best', 'discount', 'price', 'unit', 'ending'] as const;
/** How search results can be sorted: by relevance too. */
export const SEARCH_ORDERS = ['relevance', ...FEED_ORDERS] as const;
export type SearchOrder = (typeof SEARCH_ORDERS)[number];
export type FeedOrder = (typeof FEED_ORDERS)[number];

/**
 * Sorts newest first, the best deals first, most off first, cheapest first, cheapest for one of a unit first, or soonest to
 * end first. Offers without the value come last;
 * equals are newest first.
 */
export function inOrder(offers: readonly Offer[], order: FeedOrder): Offer[] {
  const newest = newestFirst(offers);
  if (order === 'newest') return newest;
  return newest
    .map((offer) => ({ offer, rank: rankIn(order, offer) }))
    .toSorted((a, b) => a.rank - b.rank || 0)
    .map(({ offer }) => offer);
}

function rankIn(order: Exclude<FeedOrder, 'newest'>, offer: Offer): number {
  switch (order) {
    case 'best':
      return -scoreOf(offer).points;
    case 'discount':
      return -(discountOf(offer.salePrice, offer.listPrice)?.maximum ?? 0);
    case 'price':
      return offer.salePrice?.minimum ?? Infinity;
    case 'unit': {
      const found = unitPriceOf(offer);
      return found ? rankOf(found) : Infinity;
    }
    case 'ending':
      return offer.endDateMs ?? Infinity;
  }
}
