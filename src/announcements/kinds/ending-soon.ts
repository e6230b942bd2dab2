import type { Offer } from '../../deals/offer.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import { offerKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'ending-soon': { item: Offer };
  }
}

/** An offer whose end is near: announced once for each end date that it is given. */
export const endingSoon = offerKind<'ending-soon'>({
  isDefault: false,
  accent: ACCENT.warning,
  badge: 'announced.ending-soon',
  symbol: '⏰',
  announce: ({ kind, known: { offer } }) =>
    kind === 'ending-soon'
      ? { kind: 'ending-soon', subject: offer.id, occurrence: String(offer.endDateMs), item: offer }
      : null,
});
