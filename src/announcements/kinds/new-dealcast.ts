import {
  DEALCAST_RULES,
  type Dealcast,
  dealcastSubject,
  isLaterDealcast,
  isLikeDealcast,
} from '../../deals/dealcast.ts';
import { hearEntity } from '../../deals/entity-belief.ts';
import { ACCENT } from '../../discord/cards/accent.ts';
import type { EntityKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    'new-dealcast': { item: Dealcast };
  }
}

/** A featured video that is new. It has no end. */
export const newDealcast: EntityKind<'new-dealcast'> = {
  tells: 'entity',
  source: 'dealcasts',
  entity: 'dealcast',
  isDefault: true,
  accent: ACCENT.dealcast,
  badge: 'dealcast.kind',
  symbol: '🎬',
  announce: (dealcast) => ({
    kind: 'new-dealcast',
    subject: dealcastSubject(dealcast),
    occurrence: '',
    item: dealcast,
  }),
  hasStarted: (dealcast, nowMs) => dealcast.startDateMs === null || dealcast.startDateMs <= nowMs,
  isLive: () => true,
  fingerprint: ({ title, teaser }) => JSON.stringify([title, teaser]),
  hear: (heard, said) => hearEntity(heard, said, DEALCAST_RULES),
  isLike: isLikeDealcast,
  isOther: isLaterDealcast,
  shown: ({ item }) => ({ as: 'dealcast', item }),
};
