import { type KnownOffer, type Named, productKeys } from '../../deals/known-offer.ts';
import type { Offer } from '../../deals/offer.ts';

/** The condition of a watch: a price, being back in stock, the lowest price ever, an end that is near, or any new offer. */
export type WatchAim = OfferAim | 'new';
/** The conditions that concern one offer. */
export const OFFER_AIMS = ['price', 'stock', 'low', 'end'] as const;
export type OfferAim = (typeof OFFER_AIMS)[number];

/** A watch is a subscription whose place is a person, to whom the bot writes in private. */
export interface Watch {
  aim: WatchAim;
  /** The one product that it watches; null where it watches for every new offer that its filter matches. */
  product: WatchedProduct | null;
  /** The most that the product may cost, in dollars; null where the watch doesn't wait for a price. */
  below: number | null;
  /** Whether the aim `low` is reached by the lowest price before, too, once it comes again; absent for no. */
  again?: true;
  /** Absent where the aim was never reached, and in watches for new offers. */
  reach?: Reach;
}

/** How a watch of a product stands. All times are epoch milliseconds. */
export interface Reach {
  /** Since when the aim is reached, or was reached last. */
  sinceMs: number;
  /** Since when it isn't any more; null while it is. */
  endedAtMs: number | null;
  /** What the person was told last; null where nothing was, or where that doesn't count any more. */
  told: MessagedAbout | null;
  /** How many messages the watch has made. */
  times: number;
}

export interface MessagedAbout {
  /** The listing that the message was about. */
  offerId: string;
  atMs: number;
  /** The price that it showed, in dollars, or the end; null where the aim is neither. */
  value: number | null;
}

export interface WatchedProduct {
  /** As `productKey` makes it: a product that comes back under another offer id is still watched. */
  key: string;
  /** Foreign text. */
  title: string;
  /** The offer that the person saw. */
  offerId: string;
  /** The product's other key, by its ASIN; absent for as long as none of its listings has told that. */
  asinKey?: string;
}

/** The product that a listing sells, as a watch keeps it. */
export function watchedProduct(listing: Named & { offer: Offer }, offerId = listing.offer.id): WatchedProduct {
  const [key = '', asinKey] = productKeys(listing);
  return { key, title: listing.offer.title, offerId, ...(asinKey !== undefined && { asinKey }) };
}

/** The listings of a watched product, under each of its keys. */
export function listingsUnder(
  { key, asinKey }: WatchedProduct,
  listings: (key: string) => readonly KnownOffer[],
): readonly KnownOffer[] {
  return asinKey === undefined ? listings(key) : [...new Set([...listings(key), ...listings(asinKey)])];
}

/** The most watches that a person can have. */
export const MOST_WATCHES = 100;

declare module '../../deals/subscription.ts' {
  interface Subscription {
    /** The watch's condition, where its place is a person; absent in a server. */
    watch?: Watch;
  }
}
