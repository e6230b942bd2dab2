import type { Offer } from '../../deals/offer.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { offerKind } from './offer-kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'new-offer': { item: Offer };
  }
}

/** An offer that a feed did not have before, of a product that is not known from before. */
export const newOffer = offerKind<'new-offer'>({
  isDefault: true,
  accent: ACCENT.offer,
  badge: 'announced.new-offer',
  announce: ({ kind, known: { offer, before } }) =>
    (kind === 'appeared' || kind === 'entered') && before === null
      ? { kind: 'new-offer', subject: offer.id, occurrence: '', item: offer }
      : null,
});
