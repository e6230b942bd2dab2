import { dealcastSubject } from '../../deals/dealcast.ts';
import { announcementCard } from '../../discord/cards/announcement-card.ts';
import type { Kind } from './kind.ts';

/** A featured video that was not there before. It has no end. */
export const newDealcast: Kind<'new-dealcast'> = {
  announce: (dealcast) => ({
    kind: 'new-dealcast',
    subject: dealcastSubject(dealcast),
    occurrence: '',
    item: dealcast,
  }),
  hasStarted: (dealcast, nowMs) => dealcast.startDateMs === null || dealcast.startDateMs <= nowMs,
  isLive: () => true,
  card: announcementCard,
};
