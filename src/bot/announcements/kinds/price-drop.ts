import { isOver } from '../../deals/life.ts';
import type { OfferKind } from './kind.ts';

/** An offer that costs less than before. By how much it must be less, each subscription says. */
export const priceDrop: OfferKind<'price-drop'> = {
  announce(change) {
    if (change.kind !== 'price-dropped') return null;
    const { known, before } = change;
    const now = known.offer.salePrice?.minimum ?? null;
    // The same drop is told once, even where a price goes up and down between two looks.
    const occurrence = `${before.minimum}-${now}`;
    return { kind: 'price-drop', subject: known.offer.id, occurrence, item: known.offer, before };
  },
  isLive: ({ item, before }, nowMs) =>
    !isOver(item, nowMs) && item.salePrice !== null && item.salePrice.minimum < before.minimum,
};
