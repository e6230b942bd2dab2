import type { Dealcast } from './dealcast.ts';
import type { DealEvent } from './event.ts';
import type { Monkeychat } from './monkeychat.ts';
import type { Offer } from './offer.ts';
import type { Poll } from './poll.ts';
import type { PriceRange } from './price.ts';

/** Every kind of announcement there is, in the order in which people are shown them. */
export const ANNOUNCEMENT_KINDS = [
  'new-offer',
  'relisted',
  'price-drop',
  'restocked',
  'ending-soon',
  'event-started',
  'new-dealcast',
  'new-poll',
  'new-monkeychat',
] as const;
export type AnnouncementKind = (typeof ANNOUNCEMENT_KINDS)[number];

/** How a product was sold the last time, under another offer id. */
export interface PastListing {
  offerId: string;
  salePrice: PriceRange | null;
  /** When it was last seen live. */
  endedAtMs: number;
}

/** What each kind tells beside its thing. */
interface Told {
  'new-offer': { item: Offer };
  relisted: { item: Offer; before: PastListing };
  'price-drop': { item: Offer; before: PriceRange };
  restocked: { item: Offer };
  'ending-soon': { item: Offer };
  'event-started': { item: DealEvent };
  'new-dealcast': { item: Dealcast };
  'new-poll': { item: Poll };
  'new-monkeychat': { item: Monkeychat };
}

export type AnnouncementOf<K extends AnnouncementKind> = Told[K] & {
  kind: K;
  /** Names the thing within its kind, and stays the same for as long as it lives. */
  subject: string;
  /** Tells apart what can happen to a thing more than once; '' where it can't. */
  occurrence: string;
};

/** Something to tell a channel. */
export type Announcement = { [K in AnnouncementKind]: AnnouncementOf<K> }[AnnouncementKind];

/** Names a thing the same in every kind of announcement that tells of it: `offer:…`, `event:…`, `dealcast:…`. */
export type ThingKey = `${'offer' | 'event' | 'dealcast' | 'poll' | 'monkeychat'}:${string}`;

/** What an announcement tells of, whatever happened to it. */
export function thingOf({ kind, subject }: Pick<Announcement, 'kind' | 'subject'>): ThingKey {
  switch (kind) {
    case 'event-started':
      return `event:${subject}`;
    case 'new-dealcast':
      return `dealcast:${subject}`;
    case 'new-poll':
      return `poll:${subject}`;
    case 'new-monkeychat':
      return `monkeychat:${subject}`;
    default:
      return `offer:${subject}`;
  }
}

/** Each thing once, as it was told last, in the order in which they were first told. */
export function onePerThing(announcements: readonly Announcement[]): Announcement[] {
  return [...new Map(announcements.map((announcement) => [thingOf(announcement), announcement])).values()];
}

/** A thing as the catalog has it now. */
export interface ThingUpdate {
  thing: ThingKey;
  item: Announcement['item'];
}

/** When an announcement's thing started, where it says so: epoch milliseconds. */
export function startOf({ item }: Announcement): number | null {
  return 'startDateMs' in item ? item.startDateMs : null;
}
