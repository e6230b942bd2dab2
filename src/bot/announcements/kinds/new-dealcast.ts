import { dealcastSubject } from '../../deals/dealcast.ts';
import type { ThingKind } from './kind.ts';

/** A featured video that was not there before. It has no end. */
export const newDealcast: ThingKind<'new-dealcast'> = {
  announce: (dealcast) => ({
    kind: 'new-dealcast',
    subject: dealcastSubject(dealcast),
    occurrence: '',
    item: dealcast,
  }),
  hasStarted: (dealcast, nowMs) => dealcast.startDateMs === null || dealcast.startDateMs <= nowMs,
  isLive: () => true,
  face: ({ title, teaser }) => JSON.stringify([title, teaser]),
};
