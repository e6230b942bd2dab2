import { isOver } from '../../deals/life.ts';
import { isNewLow } from '../../deals/observed-prices.ts';
import type { Offer } from '../../deals/offer.ts';
import { formatPrice, timestamp } from '../../discord/format.ts';
import { offerKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    /** The lowest price before, in US dollars, and since when the product had been observed: epoch milliseconds. */
    'all-time-low': { item: Offer; low: number; sinceMs: number };
  }
}

/**
 * An offer that costs less than its product was ever observed to cost, once two answers have shown its price. Each new low
 * of an offer is announced once.
 */
export const allTimeLow = offerKind<'all-time-low'>({
  isDefault: false,
  accent: 0x9b51e0,
  badge: 'announced.all-time-low',
  symbol: '🏆',
  announce({ kind, known: { offer } }) {
    const { salePrice, observed } = offer;
    if (kind !== 'price-confirmed' && kind !== 'entered') return null;
    if (!isNewLow(offer) || !salePrice || !observed) return null;
    const { low, sinceMs } = observed;
    const occurrence = String(salePrice.minimum);
    return { kind: 'all-time-low', subject: offer.id, occurrence, item: offer, low: low.price, sinceMs };
  },
  lead({ item: { salePrice }, low, sinceMs }, translator) {
    if (!salePrice) return null;
    const price = formatPrice({ minimum: low, maximum: low }, translator);
    // The price has risen again since the post: an edit says that the low is over.
    if (salePrice.minimum >= low) return translator.t('offer.dropOver', { price });
    return translator.t('offer.allTimeLow', { price, since: timestamp(sinceMs, 'D') });
  },
  isLive: ({ item, low }, nowMs) => !isOver(item, nowMs) && item.salePrice !== null && item.salePrice.minimum < low,
});
