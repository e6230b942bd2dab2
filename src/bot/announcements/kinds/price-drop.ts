import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { discountOf, type PriceRange } from '../../deals/price.ts';
import { formatPrice, offText } from '../../discord/format.ts';
import { message } from '../../discord/i18n/translator.ts';
import { offerKind } from './offer-kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'price-drop': { item: Offer; before: PriceRange };
  }
}

/** An offer that costs less than before. Each subscription sets the least drop that it wants. */
export const priceDrop = offerKind<'price-drop'>({
  isDefault: true,
  accent: 0xd9485f,
  badge: 'announced.price-drop',
  announce(change) {
    if (change.kind !== 'price-dropped') return null;
    const { known, before } = change;
    const now = known.offer.salePrice?.minimum ?? null;
    // The same drop is announced once, even where the price fluctuates between two polls.
    const occurrence = `${before.minimum}-${now}`;
    return { kind: 'price-drop', subject: known.offer.id, occurrence, item: known.offer, before };
  },
  lead({ before, item: { salePrice } }, translator) {
    if (!salePrice) return null;
    const discount = discountOf(salePrice, before);
    const step = `~~${formatPrice(before, translator)}~~ → **${formatPrice(salePrice, translator)}**`;
    return translator.t('offer.cheaperNow', { step: discount ? `${step} ${offText(discount, translator)}` : step });
  },
  isLive: ({ item, before }, nowMs) =>
    !isOver(item, nowMs) && item.salePrice !== null && item.salePrice.minimum < before.minimum,
  unsuited({ before, item: { salePrice } }, { priceDropPercent }) {
    const fell = before.minimum - (salePrice?.minimum ?? Infinity);
    // Binary floating-point numbers only approximate decimal prices.
    if (fell * 100 >= before.minimum * priceDropPercent - 1e-6) return null;
    const percent = fellBy(before, salePrice);
    return message('why.fellTooLittle', { percent: { percent }, wanted: { percent: priceDropPercent } });
  },
  setting: ({ priceDropPercent }, translator) =>
    translator.t('panel.priceDrop', { percent: translator.percent(priceDropPercent) }),
});

/** The drop of the cheapest variant, which decides: whole percent, rounded down. */
function fellBy(before: PriceRange, now: PriceRange | null): number {
  const cheapest = ({ minimum }: PriceRange) => ({ minimum, maximum: minimum });
  return discountOf(now && cheapest(now), cheapest(before))?.maximum ?? 0;
}
