import type { PastListing } from './announcement.ts';
import type { Offer } from './offer.ts';
import type { PriceRange } from './price.ts';

/** An offer's time in one feed. */
export interface FeedPresence {
  firstSeenMs: number;
  /** When a whole answer first came without it; null while the feed holds it, or was cut off before it. */
  goneSinceMs: number | null;
  /** True where the offer was there at the first sight of the feed, which makes it no news there. */
  isOld: boolean;
}

/** All that is known of an offer, over all feeds that hold it. */
export interface KnownOffer {
  version: 1;
  /** As it was last seen. */
  offer: Offer;
  firstSeenMs: number;
  /** By the feed's name in lower case. */
  feeds: Record<string, FeedPresence>;
  /** What it cost since when, oldest first; the last one is what it costs now. */
  prices: { atMs: number; salePrice: PriceRange | null }[];
  soldOutAtMs: number | null;
  /** How often it came back after it was sold out. */
  restocks: number;
  /** The listing before this one, where the product was sold before under another id. */
  before: PastListing | null;
  /** When it was found to be over: sold out, ended, or gone from every feed; null while it is live. */
  overAtMs: number | null;
}
