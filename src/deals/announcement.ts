import type { PriceRange } from './price.ts';

/** The last sale of a product under an earlier offer id. */
export interface PastListing {
  offerId: string;
  salePrice: PriceRange | null;
  /** When it was last seen live: epoch milliseconds. */
  endedAtMs: number;
}

/**
 * The payload of each kind of announcement: the entity as its `item`, and fields particular to the kind. Each kind adds
 * its own entry where it is declared (`announcements/kinds/`).
 */
// biome-ignore lint/suspicious/noEmptyInterface: each kind adds its entry by declaration merging, which only an interface allows.
export interface PayloadByKind {}

/**
 * The same of the kinds of features, which make their announcements themselves, about offers. Each feature adds its own.
 * @example
 * interface PayloadOfFeatures { greeting: { item: Offer; to: string } }
 */
// biome-ignore lint/suspicious/noEmptyInterface: Features add members by declaration merging.
export interface PayloadOfFeatures {}

interface Payloads extends PayloadByKind, PayloadOfFeatures {}

/** The kinds that polls detect. */
export type DetectedKind = keyof PayloadByKind;

export type AnnouncementKind = keyof Payloads;

export type AnnouncementOf<K extends AnnouncementKind> = Payloads[K] & {
  kind: K;
  /** Identifies the entity within its kind for as long as it exists. */
  subject: string;
  /** Distinguishes repeated events of one entity; '' for events that happen only once. */
  occurrence: string;
};

/** A news item that is posted to channels. */
export type Announcement = { [K in AnnouncementKind]: AnnouncementOf<K> }[AnnouncementKind];

/** The kinds of entity that the catalog lists. */
export type Entity = 'offer' | 'event' | 'dealcast' | 'poll' | 'monkeychat';

/** Identifies an entity across all kinds of announcement: `offer:…`, `event:…`, `dealcast:…`. */
export type EntityKey = `${Entity}:${string}`;

/** The current state of an entity in the catalog. */
export interface EntityUpdate {
  key: EntityKey;
  item: Announcement['item'];
}

/** When the announced entity started: epoch milliseconds; null where the catalog gives no start. */
export function startOf({ item }: Announcement): number | null {
  return 'startDateMs' in item ? item.startDateMs : null;
}

/** Sorts what is announced newest first; what has no start comes last. Stable. */
export function newestAnnouncedFirst<T extends { announcement: Announcement }>(all: readonly T[]): T[] {
  const startMs = ({ announcement }: T) => startOf(announcement) ?? Number.NEGATIVE_INFINITY;
  return all.toSorted((a, b) => startMs(b) - startMs(a) || 0);
}

/**
 * The delay between the entity's start in the catalog and its announcement, in milliseconds. Null where the
 * announcement is not about the start, or the catalog gives none. It counts catch-up posts of entities that started
 * while nobody followed the source, too.
 */
export function announcementDelayMs({ kind, item }: Announcement, postedAtMs: number): number | null {
  const isOfStart = kind === 'new-offer' || kind === 'event-started' || kind === 'new-dealcast';
  if (!isOfStart || !('startDateMs' in item) || item.startDateMs === null) return null;
  return Math.max(0, postedAtMs - item.startDateMs);
}

/**
 * Why several announcements are one post: a digest was due, the channel's hourly limit was near, or they come late.
 */
export type RollUpReason = 'hourly' | 'daily' | 'limit' | 'late';
