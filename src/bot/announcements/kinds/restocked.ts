import { isOver } from '../../deals/life.ts';
import type { OfferKind } from './kind.ts';

/** An offer that can be bought again after it was sold out. */
export const restocked: OfferKind<'restocked'> = {
  announce(change) {
    if (change.kind !== 'restocked') return null;
    const { offer } = change.known;
    return { kind: 'restocked', subject: offer.id, occurrence: String(change.soldOutAtMs), item: offer };
  },
  isLive: ({ item }, nowMs) => !isOver(item, nowMs),
};
