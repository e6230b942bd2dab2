import type { AnnouncementOf } from '../../deals/announcement.ts';
import type { Offer } from '../../deals/offer.ts';
import { priceStep } from '../../deals/price.ts';
import { formatPrice, timestamp } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { offerKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    relisted: { item: Offer; before: PastListing };
  }
}

/** An offer that is new in a feed, of a product that was sold before under another id. */
export const relisted = offerKind<'relisted'>({
  isDefault: true,
  // A channel gets an offer as new once, whether its product was sold before or not.
  insteadOf: 'new-offer',
  accent: 0x1f9aa8,
  badge: 'announced.relisted',
  symbol: '🔁',
  announce: ({ kind, known: { offer, before } }) =>
    (kind === 'appeared' || kind === 'entered') && before !== null
      ? { kind: 'relisted', subject: offer.id, occurrence: '', item: offer, before }
      : null,
  lead: backAgain,
});

/** Compares its price with that of the previous listing. */
function backAgain({ item, before }: AnnouncementOf<'relisted'>, translator: Translator): string {
  const at = timestamp(before.endedAtMs, 'R');
  if (!before.salePrice || !item.salePrice) return translator.t('offer.back', { at });
  const step = priceStep(before.salePrice, item.salePrice);
  if (step === null) return translator.t('offer.backWas', { at, price: formatPrice(before.salePrice, translator) });
  if (step === 0) return translator.t('offer.backSame', { at });
  const amount = formatPrice({ minimum: Math.abs(step), maximum: Math.abs(step) }, translator);
  return translator.t(step < 0 ? 'offer.backCheaper' : 'offer.backDearer', { at, amount });
}
