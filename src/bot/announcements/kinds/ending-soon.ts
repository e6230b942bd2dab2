import { isOver } from '../../deals/life.ts';
import type { OfferKind } from './kind.ts';

/** An offer whose end is near: once for each end that it is given. */
export const endingSoon: OfferKind<'ending-soon'> = {
  announce: ({ kind, known: { offer } }) =>
    kind === 'ending-soon'
      ? { kind: 'ending-soon', subject: offer.id, occurrence: String(offer.endDateMs), item: offer }
      : null,
  isLive: ({ item }, nowMs) => !isOver(item, nowMs),
};
