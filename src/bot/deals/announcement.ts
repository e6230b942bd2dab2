import type { PriceRange } from './price.ts';

/** How a product was sold the last time, under another offer id. */
export interface PastListing {
  offerId: string;
  salePrice: PriceRange | null;
  /** When it was last seen live. */
  endedAtMs: number;
}

/**
 * What each kind of announcement tells: the entity as its `item`, and what belongs to the kind alone. Each kind adds its
 * own entry where it is declared (`announcements/kinds/`).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the kinds fill it.
export interface PayloadByKind {}

export type AnnouncementKind = keyof PayloadByKind;

export type AnnouncementOf<K extends AnnouncementKind> = PayloadByKind[K] & {
  kind: K;
  /** Names the thing within its kind, and stays the same for as long as it lives. */
  subject: string;
  /** Tells apart what can happen to a thing more than once; '' where it can't. */
  occurrence: string;
};

/** Something to tell a channel. */
export type Announcement = { [K in AnnouncementKind]: AnnouncementOf<K> }[AnnouncementKind];

/** What the catalog tells of. */
export type Entity = 'offer' | 'event' | 'dealcast' | 'poll' | 'monkeychat';

/** Names a thing the same in every kind of announcement that tells of it: `offer:…`, `event:…`, `dealcast:…`. */
export type EntityKey = `${Entity}:${string}`;

/** A thing as the catalog has it now. */
export interface ThingUpdate {
  thing: EntityKey;
  item: Announcement['item'];
}

/** When an announcement's thing started, where it says so: epoch milliseconds. */
export function startOf({ item }: Announcement): number | null {
  return 'startDateMs' in item ? item.startDateMs : null;
}
