import type { Offer } from '../../deals/offer.ts';
import { offerKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    restocked: { item: Offer };
  }
}

/** An offer that can be bought again after it was sold out. */
export const restocked = offerKind<'restocked'>({
  isDefault: true,
  accent: 0x5fb236,
  badge: 'announced.restocked',
  symbol: '📦',
  announce(change) {
    if (change.kind !== 'restocked') return null;
    const { offer } = change.known;
    return { kind: 'restocked', subject: offer.id, occurrence: String(change.storyMs), item: offer };
  },
});
