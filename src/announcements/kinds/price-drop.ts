import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { discountOf, type PriceRange } from '../../deals/price.ts';
import { formatPrice, offText } from '../../discord/format.ts';
import { message } from '../../discord/i18n/translator.ts';
import { offerKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    /** `beforeForMs`: how long the offer had cost that; absent in what earlier versions stored. */
    'price-drop': { item: Offer; before: PriceRange; beforeForMs?: number };
  }
}

/** An offer that costs less than before. Each subscription sets the least drop that it wants. */
export const priceDrop = offerKind<'price-drop'>({
  isDefault: true,
  accent: 0xd9485f,
  badge: 'announced.price-drop',
  symbol: '📉',
  announce(change) {
    if (change.kind !== 'price-dropped') return null;
    const { known, times, before, beforeForMs } = change;
    // A price that comes and goes is announced once.
    const occurrence = `${known.offer.salePrice?.minimum ?? null}-${times}`;
    return { kind: 'price-drop', subject: known.offer.id, occurrence, item: known.offer, before, beforeForMs };
  },
  lead({ before, beforeForMs, item: { salePrice } }, translator) {
    if (!salePrice) return null;
    const price = formatPrice(before, translator);
    // The price has risen again since the post: an edit says that the drop is over.
    if (salePrice.minimum >= before.minimum) return translator.t('offer.dropOver', { price });
    const discount = discountOf(salePrice, before);
    const struck = `~~${price}~~`;
    const was =
      beforeForMs === undefined
        ? translator.t('offer.was', { price: struck })
        : translator.t('offer.wasFor', { price: struck, span: translator.span(beforeForMs) });
    return [discount && `**${offText(discount, translator)}**`, was].filter(Boolean).join(' · ');
  },
  isLive: ({ item, before }, nowMs) =>
    !isOver(item, nowMs) && item.salePrice !== null && item.salePrice.minimum < before.minimum,
  unsuited({ before, item: { salePrice } }, { priceDropPercent }) {
    if (isWantedDrop(before, salePrice, priceDropPercent)) return null;
    const percent = fellBy(before, salePrice);
    return message('unsuited.fellTooLittle', { percent: { percent }, wanted: { percent: priceDropPercent } });
  },
});

/** Whether the drop is at least as large as a subscription asks for. */
export function isWantedDrop(before: PriceRange, now: PriceRange | null, leastPercent: number): boolean {
  const fell = before.minimum - (now?.minimum ?? Infinity);
  // Binary floating-point numbers only approximate decimal prices.
  return fell * 100 >= before.minimum * leastPercent - 1e-6;
}

/** The drop of the cheapest variant, which decides: whole percent, rounded down. */
function fellBy(before: PriceRange, now: PriceRange | null): number {
  const cheapest = ({ minimum }: PriceRange) => ({ minimum, maximum: minimum });
  return discountOf(now && cheapest(now), cheapest(before))?.maximum ?? 0;
}
