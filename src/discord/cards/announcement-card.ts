import { headlineOf, kindOf, shownOf } from '../../announcements/kinds/index.ts';
import type { Announcement } from '../../deals/announcement.ts';
import type { AnnouncementContext, Happened } from './announced.ts';
import { newDealcastCard } from './dealcast-card.ts';
import { eventStartedCard } from './event-card.ts';
import { newMonkeychatCard } from './monkeychat-card.ts';
import { offerCard } from './offer-card.ts';
import type { Card } from './parts.ts';
import { newPollCard } from './poll-card.ts';

/** The card of an announcement of any kind. */
export function announcementCard(announcement: Announcement, context: AnnouncementContext): Card {
  const { accent } = kindOf(announcement);
  const happened: Happened = { accent, headline: headlineOf(announcement, context.translator) };
  const { subject } = announcement;
  const shown = shownOf(announcement);
  switch (shown.as) {
    case 'offer':
      return offerCard(shown.item, happened, context);
    case 'event':
      return eventStartedCard(shown.item, happened, context);
    case 'dealcast':
      return newDealcastCard({ item: shown.item, subject }, happened, context);
    case 'poll':
      return newPollCard({ item: shown.item, subject }, happened, context);
    case 'monkeychat':
      return newMonkeychatCard({ item: shown.item, subject }, happened, context);
  }
}
