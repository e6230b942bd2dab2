import type { AnnouncementOf } from '../../deals/announcement.ts';
import type { Offer } from '../../deals/offer.ts';
import { priceStep } from '../../deals/price.ts';
import { formatPrice, timestamp } from '../../discord/format.ts';
import type { Words } from '../../discord/i18n/translator.ts';
import { offerKind } from './offer-kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    relisted: { item: Offer; before: PastListing };
  }
}

/** An offer that a feed did not have before, of a product that was sold before under another id. */
export const relisted = offerKind<'relisted'>({
  isDefault: true,
  // An offer is new in a channel once, whether its product was there before or not.
  insteadOf: 'new-offer',
  accent: 0x1f9aa8,
  badge: 'announced.relisted',
  announce: ({ kind, known: { offer, before } }) =>
    (kind === 'appeared' || kind === 'entered') && before !== null
      ? { kind: 'relisted', subject: offer.id, occurrence: '', item: offer, before }
      : null,
  lead: backAgain,
});

/** How its price compares with the last time. */
function backAgain({ item, before }: AnnouncementOf<'relisted'>, words: Words): string {
  const at = timestamp(before.endedAtMs, 'R');
  if (!before.salePrice || !item.salePrice) return words.t('offer.back', { at });
  const step = priceStep(before.salePrice, item.salePrice);
  if (step === null) return words.t('offer.backWas', { at, price: formatPrice(before.salePrice, words) });
  if (step === 0) return words.t('offer.backSame', { at });
  const amount = formatPrice({ minimum: Math.abs(step), maximum: Math.abs(step) }, words);
  return words.t(step < 0 ? 'offer.backCheaper' : 'offer.backDearer', { at, amount });
}
