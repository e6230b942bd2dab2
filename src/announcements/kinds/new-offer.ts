import { isOver } from '../../deals/life.ts';
import { announcementCard } from '../../discord/cards/announcement-card.ts';
import type { Kind } from './kind.ts';

/** An offer that a feed did not have before. */
export const newOffer: Kind<'new-offer'> = {
  announce: (offer) => ({ kind: 'new-offer', subject: offer.id, occurrence: '', item: offer }),
  // A feed holds live offers only (specification: "What the service does").
  hasStarted: () => true,
  isLive: (offer, nowMs) => !isOver(offer, nowMs),
  card: announcementCard,
};
