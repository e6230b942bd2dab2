import type { PastListing } from './announcement.ts';
import { hasEnded } from './life.ts';
import type { Offer } from './offer.ts';
import type { PriceRange } from './price.ts';

/** An offer's time in one feed. */
export interface FeedPresence {
  firstSeenMs: number;
  /** Since when answers that were cut off come without it, which proves nothing; null while the feed shows it. */
  unseenSinceMs: number | null;
  /** When a whole answer first came without it, which has to be seen a second time; absent where the last one showed it. */
  missedAtMs?: number;
  /** When a second whole answer came without it; null while the feed holds it, as far as anybody can tell. */
  goneSinceMs: number | null;
  /** True where the offer was there at the first sight of the feed, which makes it no news there. */
  isOld: boolean;
}

/** What an offer cost from a moment on. */
export interface PriceAt {
  atMs: number;
  salePrice: PriceRange | null;
}

/** Whether an offer could be bought from a moment on. */
export interface StockAt {
  atMs: number;
  isSoldOut: boolean;
}

/** All that is known of an offer, over all feeds that hold it. Never changed in place: a change makes a new one. */
export interface KnownOffer {
  version: 1;
  /** As it was last seen. */
  offer: Offer;
  firstSeenMs: number;
  /** By the feed's name in lower case. */
  feeds: Readonly<Record<string, FeedPresence>>;
  /** What it cost since when, oldest first; the last one is what it costs now. Never empty. */
  prices: readonly PriceAt[];
  /** Since when it has been sold out; null while it can be bought. */
  soldOutAtMs: number | null;
  /** When it was found sold out and to be bought again, oldest first; absent where it was never sold out, or nobody kept count. */
  stock?: readonly StockAt[];
  /** The end of which it has been said already that it is near; null before. */
  endingSoonToldMs: number | null;
  /** The listing before this one, where the product was sold before under another id. */
  before: PastListing | null;
  /** When it was found to be over: sold out, ended, or gone from every feed; null while it is live. */
  overAtMs: number | null;
}

/** A feed's name as it stands in `KnownOffer.feeds`: the catalog matches names without regard to case. */
export function feedKey(feed: string): string {
  return feed.toLowerCase();
}

/** Whether the feed holds it, as far as anybody can tell. */
export function isInFeed({ feeds }: KnownOffer, key: string): boolean {
  return feeds[key]?.goneSinceMs === null;
}

/** Whether there is nothing left to buy: found to be over before, or its end has passed since. */
export function isGone({ overAtMs, offer }: KnownOffer, nowMs: number): boolean {
  return overAtMs !== null || hasEnded(offer, nowMs);
}

/**
 * When it was last seen in a feed that still holds it: epoch milliseconds; null where none does.
 * @param polledAtMs when the feed, by its name in lower case, was last read; null where that is not known
 */
export function lastSeenMs({ feeds }: KnownOffer, polledAtMs: (feed: string) => number | null): number | null {
  const seenMs = Object.entries(feeds)
    .filter(([, { goneSinceMs }]) => goneSinceMs === null)
    .map(([feed, { unseenSinceMs }]) => unseenSinceMs ?? polledAtMs(feed))
    .filter((atMs) => atMs !== null);
  return seenMs.length > 0 ? Math.max(...seenMs) : null;
}

/** The offer as it is to be shown: one that is gone from every feed has ended, whatever its end said. */
export function shownOffer({ offer, overAtMs }: KnownOffer): Offer {
  if (overAtMs === null || offer.isSoldOut || hasEnded(offer, overAtMs)) return offer;
  return { ...offer, endDateMs: overAtMs };
}

/**
 * What makes two listings the same product: a relisted one comes back under a new id with the same title. Case, spaces
 * and most punctuation make no difference; symbols do ("C++", "C#"). A title without anything else is its punctuation.
 */
export function productKey(offer: Pick<Offer, 'title' | 'condition'>): string {
  const name = wordsOf(offer.title, NO_PART_OF_NAMES) || folded(offer.title).trim();
  return `${name}|${wordsOf(offer.condition ?? '', NO_PART_OF_NAMES)}`;
}

/** The key under which earlier versions stored a product; null where it is the same, or told nothing of the product. */
export function formerProductKey(offer: Pick<Offer, 'title' | 'condition'>): string | null {
  const [name, condition] = [offer.title, offer.condition ?? ''].map((text) => wordsOf(text, /[^\p{L}\p{N}]+/gu));
  const former = `${name}|${condition}`;
  return name === '' || former === productKey(offer) ? null : former;
}

/** Marks of trade and choices between two looks of a sign come and go; `|` stands between title and condition. */
const NO_PART_OF_NAMES = /(?:[^\p{L}\p{M}\p{N}\p{S}#%&]|[®©|]|\uFE0E|\uFE0F)+/gu;

const folded = (text: string) => text.normalize('NFKC').toLowerCase();
const wordsOf = (text: string, ignored: RegExp) => folded(text).replace(ignored, ' ').trim();

/** How it was sold, for whoever sees its product again. */
export function pastListingOf({ offer, overAtMs }: KnownOffer, nowMs: number): PastListing {
  return { offerId: offer.id, salePrice: offer.salePrice, endedAtMs: overAtMs ?? nowMs };
}
