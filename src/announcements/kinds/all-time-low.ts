import type { KnownOffer } from '../../deals/known-offer.ts';
import { isOver } from '../../deals/life.ts';
import { isNewLow, lowestPriceOf, lowOf } from '../../deals/observed-prices.ts';
import type { Offer } from '../../deals/offer.ts';
import type { PriceRange } from '../../deals/price.ts';
import { isRealPrice } from '../../deals/price-runs.ts';
import { formatPrice } from '../../discord/format.ts';
import { message } from '../../discord/i18n/translator.ts';
import { offerKind } from './kind.ts';
import { isWantedDrop } from './price-drop.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    /**
     * The lowest price before, in US dollars, and since when the product had been observed: epoch milliseconds. `hasGaps`:
     * it was not seen on most of the days since then.
     */
    'all-time-low': { item: Offer; low: number; sinceMs: number; hasGaps?: boolean; told?: AnnouncedAs };
  }
}

/** What the price was announced as when one answer had shown it: a new offer, or a drop from another price. */
type AnnouncedAs = { as: 'new' } | { as: 'drop'; before: PriceRange };

/**
 * An offer that costs less than its product was ever observed to cost, once two answers have shown its price. Each new low
 * of an offer is announced once.
 */
export const allTimeLow = offerKind<'all-time-low'>({
  isDefault: false,
  accent: 0x9b51e0,
  badge: 'announced.all-time-low',
  symbol: '🏆',
  announce({ kind, known }) {
    const { salePrice, observed, id } = known.offer;
    if (kind !== 'price-confirmed' && kind !== 'entered') return null;
    if (!isNewLow(known.offer) || !salePrice || !observed) return null;
    const { low, sinceMs } = observed;
    const told = announcedAs(known);
    return {
      kind: 'all-time-low',
      subject: id,
      occurrence: String(salePrice.minimum),
      item: known.offer,
      low: low.price,
      sinceMs,
      ...(lowOf(known.offer)?.hasGaps ? { hasGaps: true } : {}),
      ...(told ? { told } : {}),
    };
  },
  lead({ item, low }, translator) {
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
    // A post does not repeat what was known when it was made: the offer may have got another name since.
    if (!isNewLow(item)) return null;
    const former = { minimum: item.observed.low.price, maximum: item.observed.low.price };
    const claim = { price: formatPrice(former, translator), since: translator.date(item.observed.sinceMs) };
    return translator.t(lowOf(item)?.hasGaps ? 'offer.allTimeLowSeen' : 'offer.allTimeLow', claim);
  },
  isLive: ({ item, low }, nowMs) => !isOver(item, nowMs) && isStillLow(item, low),
  // The post that announced the price shows the low, too.
  unsuited({ told, item }, { kinds, priceDropPercent }) {
    if (told?.as === 'new' && (kinds.includes('new-offer') || kinds.includes('relisted'))) {
      return message('unsuited.lowToldAsNew');
    }
    const isAnnouncedDrop = told?.as === 'drop' && isWantedDrop(told.before, item.salePrice, priceDropPercent);
    return isAnnouncedDrop && kinds.includes('price-drop') ? message('unsuited.lowToldAsDrop') : null;
  },
});

function announcedAs({ prices }: KnownOffer): AnnouncedAs | null {
  const drop = prices.at(-1)?.drop;
  if (drop) return { as: 'drop', before: drop.before };
  // Where one answer alone had shown it without a price, its post as a new offer shows this one.
  const isFirst = prices.slice(0, -1).every(({ salePrice, isSeenOnce }) => isSeenOnce && !isRealPrice(salePrice));
  return isFirst ? { as: 'new' } : null;
}

/** Whether the offer costs less than before, and its product was not seen cheaper meanwhile under any listing. */
function isStillLow({ salePrice, observed }: Offer, low: number): boolean {
  if (!salePrice || !observed) return false;
  return salePrice.minimum < low && salePrice.minimum <= lowestPriceOf(observed);
}
