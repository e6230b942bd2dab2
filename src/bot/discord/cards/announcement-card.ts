import type { Announcement } from '../../deals/announcement.ts';
import type { AnnouncementContext } from './context.ts';
import { newDealcastCard } from './dealcast-card.ts';
import { eventStartedCard } from './event-card.ts';
import { newMonkeychatCard } from './monkeychat-card.ts';
import { offerCard } from './offer-card.ts';
import type { Card } from './parts.ts';
import { newPollCard } from './poll-card.ts';

/** The card that announces something, whatever its kind. */
export function announcementCard(announcement: Announcement, context: AnnouncementContext): Card {
  switch (announcement.kind) {
    case 'new-offer':
    case 'relisted':
    case 'price-drop':
    case 'restocked':
    case 'ending-soon':
      return offerCard(announcement, context);
    case 'event-started':
      return eventStartedCard(announcement, context);
    case 'new-dealcast':
      return newDealcastCard(announcement, context);
    case 'new-poll':
      return newPollCard(announcement, context);
    case 'new-monkeychat':
      return newMonkeychatCard(announcement, context);
  }
}
