import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { discountOf, type PriceRange } from '../../deals/price.ts';
import { formatPrice, offText } from '../../discord/format.ts';
import { say } from '../../discord/i18n/translator.ts';
import { offerKind } from './offer-kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'price-drop': { item: Offer; before: PriceRange };
  }
}

/** An offer that costs less than before. By how much it must be less, each subscription says. */
export const priceDrop = offerKind<'price-drop'>({
  isDefault: true,
  accent: 0xd9485f,
  badge: 'announced.price-drop',
  announce(change) {
    if (change.kind !== 'price-dropped') return null;
    const { known, before } = change;
    const now = known.offer.salePrice?.minimum ?? null;
    // The same drop is told once, even where a price goes up and down between two looks.
    const occurrence = `${before.minimum}-${now}`;
    return { kind: 'price-drop', subject: known.offer.id, occurrence, item: known.offer, before };
  },
  lead({ before, item: { salePrice } }, words) {
    if (!salePrice) return null;
    const discount = discountOf(salePrice, before);
    const step = `~~${formatPrice(before, words)}~~ → **${formatPrice(salePrice, words)}**`;
    return words.t('offer.cheaperNow', { step: discount ? `${step} ${offText(discount, words)}` : step });
  },
  isLive: ({ item, before }, nowMs) =>
    !isOver(item, nowMs) && item.salePrice !== null && item.salePrice.minimum < before.minimum,
  unsuited({ before, item: { salePrice } }, { priceDropPercent }) {
    const fell = before.minimum - (salePrice?.minimum ?? Infinity);
    // Prices are decimal fractions, which binary ones only come near to.
    if (fell * 100 >= before.minimum * priceDropPercent - 1e-6) return null;
    const percent = fellBy(before, salePrice);
    return say('why.fellTooLittle', { percent: { percent }, wanted: { percent: priceDropPercent } });
  },
  setting: ({ priceDropPercent }, words) => words.t('panel.priceDrop', { percent: words.percent(priceDropPercent) }),
});

/** Of the cheapest variant, which is what counts: whole percent, rounded down. */
function fellBy(before: PriceRange, now: PriceRange | null): number {
  const cheapest = ({ minimum }: PriceRange) => ({ minimum, maximum: minimum });
  return discountOf(now && cheapest(now), cheapest(before))?.maximum ?? 0;
}
