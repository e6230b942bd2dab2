import { newestFirst } from './life.ts';
import type { Offer } from './offer.ts';
import { discountOf } from './price.ts';

/** How a feed's offers can be sorted. */
export const FEED_ORDERS = ['newest', 'discount', 'price', 'ending'] as const;
export type FeedOrder = (typeof FEED_ORDERS)[number];

/** Newest first, most off first, cheapest first, or soonest to end first. What does not say comes last; equals are newest first. */
export function inOrder(offers: readonly Offer[], order: FeedOrder): Offer[] {
  return newestFirst(offers).toSorted((a, b) => rank(a, order) - rank(b, order) || 0);
}

function rank(offer: Offer, order: FeedOrder): number {
  switch (order) {
    case 'newest':
      return 0;
    case 'discount':
      return -(discountOf(offer.salePrice, offer.listPrice)?.maximum ?? 0);
    case 'price':
      return offer.salePrice?.minimum ?? Infinity;
    case 'ending':
      return offer.endDateMs ?? Infinity;
  }
}
