import type { Offer } from '../../deals/offer.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { offerKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'new-offer': { item: Offer };
  }
}

/** An offer that is new in a feed, of a product that was not sold before. */
export const newOffer = offerKind<'new-offer'>({
  isDefault: true,
  accent: ACCENT.offer,
  badge: 'announced.new-offer',
  symbol: '🆕',
  announce: ({ kind, known: { offer, before } }) =>
    (kind === 'appeared' || kind === 'entered') && before === null
      ? { kind: 'new-offer', subject: offer.id, occurrence: '', item: offer }
      : null,
});
