import { lowOf, type ObservedPrices } from './observed-prices.ts';
import { isSamePrice, type PriceRange } from './price.ts';

/**
 * A live offer in a feed (specification: "Portal: FeedItem"). Fields that the catalog omits, or sends as null or an
 * empty string, are `null` here. Times are epoch milliseconds.
 */
export interface Offer {
  id: string;
  title: string;
  subtitle: string | null;
  condition: string | null;
  categories: string[];
  photo: string | null;
  url: string | null;
  forumUrl: string | null;
  startDateMs: number | null;
  endDateMs: number | null;
  salePrice: PriceRange | null;
  listPrice: PriceRange | null;
  isSoldOut: boolean;
  /** As the offer told when it was asked itself; absent where it never was. */
  terms?: OfferTerms;
  /** Milliseconds from its start, or its last restock, until it sold out; absent where the bot did not see that. */
  soldOutAfterMs?: number;
  /** Its product's prices as observed before; absent where nothing was. */
  observed?: ObservedPrices;
  isDealOff: boolean;
  isFeatured: boolean;
  isFulfilledByPartner: boolean;
  isAvailableOnMobileAppOnly: boolean;
  site: string | null;
}

/** What it takes to have an offer. */
export interface OfferTerms {
  /** What the cheapest shipping costs in US dollars; null where that is not told. */
  shipping: number | null;
  /** The codes of states that it is not sent to, as the catalog writes them. */
  notToStates: readonly string[];
  notToPOBoxes: boolean;
  /** The most that a person may buy, of any variant; null where there is no limit, or several. */
  limit: number | null;
  variants: number;
  /** The one thing in which all variants differ; absent where that is another one, or several. */
  variantsBy?: VariantsBy;
  /** The ASIN of the one product that it sells; absent where it has none, or sells several. */
  asin?: string;
}

export type VariantsBy = 'size' | 'color';

/** A condition without the catalog's count: `New (1)` is new. */
export function withoutCount(condition: string): string {
  return condition.replace(/ \(\d{1,9}\)$/, '');
}

/** A whole feed from one response (specification: "Portal: feed page"). */
export interface Feed {
  /** The display name of the category. */
  marketingName: string | null;
  offers: Offer[];
  /** True where the catalog truncated the feed: an offer that is missing then need not have ended. */
  isCutOff: boolean;
}

/** Specification: "v2: Photo" and "Portal: Photo". */
export interface Photo {
  url: string;
  width: number | null;
  height: number | null;
  caption: string | null;
  tags: string[];
}

/** The picture to show for an offer: the first in full size, else the first of any size. */
export function mainPhoto(photos: readonly Photo[]): string | null {
  return (photos.find((photo) => photo.tags.includes('fullsize-0')) ?? photos[0])?.url ?? null;
}

export interface Attribute {
  key: string;
  value: string;
}

/** One variant of an offer that can be bought (specification: "v2: Item" and "Portal: OfferItem"). */
export interface Item {
  id: string;
  title: string | null;
  /** The id of the product at Amazon, where prices of other stores are kept by it. Items of v2 carry none: null. */
  asin: string | null;
  /** US dollars. */
  salePrice: number | null;
  /** US dollars. */
  listPrice: number | null;
  /** 0 where no limit applies. Portal items carry none: null. */
  purchaseLimit: number | null;
  attributes: Attribute[];
  photos: Photo[];
}

/** Specification: "v2: ShippingMethod" and "Portal: ShippingMethod"; amounts in US dollars, v2 only. */
export interface ShippingMethod {
  name: string;
  perOrderAmount: number | null;
  perEventAmount: number | null;
  perItemAmount: number | null;
  excludedStates: string[];
  excludedPostalCodes: string[];
  excludePOBox: boolean;
}

/** An offer in full (specification: "Portal: Offer"). HTML fields are as the catalog sent them. */
export interface OfferDetail {
  id: string;
  eventId: string | null;
  title: string;
  fullTitle: string | null;
  subtitle: string | null;
  teaser: string | null;
  url: string | null;
  features: string | null;
  specs: string | null;
  snippet: string | null;
  writeUpIntro: string | null;
  writeUpBody: string | null;
  extendedWarranty: string | null;
  purchaseLimit: number | null;
  /** 0 to 100. */
  percentageRemaining: number | null;
  isDealOff: boolean;
  isSoldOut: boolean;
  /** null where the catalog does not say. */
  isOfferLiveNow: boolean | null;
  items: Item[];
  photos: Photo[];
  shippingMethods: ShippingMethod[];
}

/** Prices that differ by no more than this part are nearly the same. */
const NEARLY = 0.02;

/** Whether an offer has changed by a few cents alone, and neither price is a low. */
export function isMinorChange(was: Offer, is: Offer): boolean {
  const [before, now] = [was.salePrice, is.salePrice];
  if (!before || !now || lowOf(was) || lowOf(is)) return false;
  const isNear = (one: number, other: number) => Math.abs(one - other) <= other * NEARLY;
  const isNearly = isNear(now.minimum, before.minimum) && isNear(now.maximum, before.maximum);
  return isNearly && isSameOffer({ ...was, salePrice: now }, is);
}

/** Whether two offers look the same, `site` apart: where it names the feed, an offer in two feeds would change with every poll. */
export function isSameOffer(a: Offer, b: Offer): boolean {
  return (
    a.title === b.title &&
    a.subtitle === b.subtitle &&
    a.condition === b.condition &&
    a.photo === b.photo &&
    a.url === b.url &&
    a.forumUrl === b.forumUrl &&
    a.startDateMs === b.startDateMs &&
    a.endDateMs === b.endDateMs &&
    isSamePrice(a.salePrice, b.salePrice) &&
    isSamePrice(a.listPrice, b.listPrice) &&
    a.isSoldOut === b.isSoldOut &&
    a.isDealOff === b.isDealOff &&
    a.isFeatured === b.isFeatured &&
    a.isFulfilledByPartner === b.isFulfilledByPartner &&
    a.isAvailableOnMobileAppOnly === b.isAvailableOnMobileAppOnly &&
    a.categories.length === b.categories.length &&
    a.categories.every((category, index) => category === b.categories[index])
  );
}
