import { isOver } from '../../deals/life.ts';
import type { OfferKind } from './kind.ts';

/** An offer that a feed did not have before, of a product that was sold before under another id. */
export const relisted: OfferKind<'relisted'> = {
  announce: ({ kind, known: { offer, before } }) =>
    (kind === 'appeared' || kind === 'entered') && before !== null
      ? { kind: 'relisted', subject: offer.id, occurrence: '', item: offer, before }
      : null,
  isLive: ({ item }, nowMs) => !isOver(item, nowMs),
};
