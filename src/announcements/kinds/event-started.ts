import { hasEnded } from '../../deals/life.ts';
import { announcementCard } from '../../discord/cards/announcement-card.ts';
import type { Kind } from './kind.ts';

/** An event that has begun. It counts as long as it runs, even when what it shows just now is sold out. */
export const eventStarted: Kind<'event-started'> = {
  announce: (event) => ({ kind: 'event-started', subject: event.id, occurrence: '', item: event }),
  hasStarted: (event, nowMs) => event.startDateMs === null || event.startDateMs <= nowMs,
  isLive: (event, nowMs) => !hasEnded(event, nowMs),
  card: announcementCard,
};
