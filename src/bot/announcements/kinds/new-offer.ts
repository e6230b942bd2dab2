import { isOver } from '../../deals/life.ts';
import type { OfferKind } from './kind.ts';

/** An offer that a feed did not have before, of a product that is not known from before. */
export const newOffer: OfferKind<'new-offer'> = {
  announce: ({ kind, known: { offer, before } }) =>
    (kind === 'appeared' || kind === 'entered') && before === null
      ? { kind: 'new-offer', subject: offer.id, occurrence: '', item: offer }
      : null,
  isLive: ({ item }, nowMs) => !isOver(item, nowMs),
};
