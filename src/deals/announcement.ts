import type { Dealcast } from './dealcast.ts';
import type { DealEvent } from './event.ts';
import type { Offer } from './offer.ts';

/** Something to tell a channel. `subject` names the thing within its kind, and stays the same for as long as it lives. */
export type Announcement =
  | { kind: 'new-offer'; subject: string; item: Offer }
  | { kind: 'event-started'; subject: string; item: DealEvent }
  | { kind: 'new-dealcast'; subject: string; item: Dealcast };

export type AnnouncementKind = Announcement['kind'];
