import { isOver } from '../../deals/life.ts';
import { isNewLow, lowestPriceOf, lowOf } from '../../deals/observed-prices.ts';
import type { Offer } from '../../deals/offer.ts';
import { formatPrice, timestamp } from '../../discord/format.ts';
import { offerKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    /**
     * The lowest price before, in US dollars, and since when the product had been observed: epoch milliseconds. `hasGaps`:
     * it was not seen on most of the days since then.
     */
    'all-time-low': { item: Offer; low: number; sinceMs: number; hasGaps?: boolean };
  }
}

/** An offer that costs less than its product was ever observed to cost. Each new low of an offer is announced once. */
export const allTimeLow = offerKind<'all-time-low'>({
  isDefault: false,
  accent: 0x9b51e0,
  badge: 'announced.all-time-low',
  symbol: '🏆',
  announce({ kind, known: { offer } }) {
    const { salePrice, observed } = offer;
    if (kind !== 'appeared' && kind !== 'entered' && kind !== 'price-dropped') return null;
    if (!isNewLow(offer) || !salePrice || !observed) return null;
    const { low, sinceMs } = observed;
    const occurrence = String(salePrice.minimum);
    const gaps = lowOf(offer)?.hasGaps ? { hasGaps: true } : {};
    return { kind: 'all-time-low', subject: offer.id, occurrence, item: offer, low: low.price, sinceMs, ...gaps };
  },
  lead({ item, low, sinceMs, hasGaps }, translator) {
    if (!item.salePrice) return null;
    const price = formatPrice({ minimum: low, maximum: low }, translator);
    // The price has risen again since the post: an edit says that the low is over.
    if (item.salePrice.minimum >= low) return translator.t('offer.dropOver', { price });
    // One answer alone has shown the price that it has now: nothing is claimed of that.
    if (!item.observed) return null;
    const lowest = lowestPriceOf(item.observed);
    if (lowest < item.salePrice.minimum) {
      return translator.t('offer.lowBeaten', { price: formatPrice({ minimum: lowest, maximum: lowest }, translator) });
    }
    const since = timestamp(sinceMs, 'D');
    return translator.t(hasGaps ? 'offer.allTimeLowSeen' : 'offer.allTimeLow', { price, since });
  },
  isLive: ({ item, low }, nowMs) => !isOver(item, nowMs) && isStillLow(item, low),
});

/** Whether the offer costs less than before, and its product was not seen cheaper meanwhile under any listing. */
function isStillLow({ salePrice, observed }: Offer, low: number): boolean {
  if (!salePrice || !observed) return false;
  return salePrice.minimum < low && salePrice.minimum <= lowestPriceOf(observed);
}
