import { type Item, mainPhoto, type Offer, type OfferDetail, type Photo, type ShippingMethod } from './offer.ts';
import { pricesOf } from './price.ts';

/** Specification: "v2: Event (common fields)", Type. */
export const EVENT_TYPES = ['Daily', 'Ghost', 'Moofi', 'Reckoning', 'DealOff', 'DealPlus'] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Specification: "Site values (v2)": a site is `<prefix>.{site_domain}`. */
export const SITE_PREFIXES = [
  'accessories',
  'computers',
  'electronics',
  'home',
  'kids',
  'sellout',
  'shirt',
  'sport',
  'tools',
  'wine',
  'www',
] as const;
export type SitePrefix = (typeof SITE_PREFIXES)[number];

/** The most percent of its stock that an almost sold-out offer has left. */
export const ALMOST_GONE_PERCENT = 10;

/** Whether an event is listed under another id: title, site and times are the same, and so is an offer, where there are any. */
export function isSameEvent(one: DealEvent, other: DealEvent): boolean {
  const isAlike = (['title', 'site', 'startDateMs', 'endDateMs'] as const).every(
    (field) => one[field] === other[field],
  );
  if (!isAlike || one.startDateMs === null) return false;
  const ids = new Set(one.offers.map(({ id }) => id));
  return ids.size === 0 ? other.offers.length === 0 : other.offers.some(({ id }) => ids.has(id));
}

/** Restricts a list of events; null means all. */
export interface EventListFilter {
  site: SitePrefix | null;
  type: EventType | null;
}

/** Whether an event is of one of the sites and one of the types, without regard to case; an empty list stands for all. */
export function isEventOf(
  event: Pick<DealEvent, 'site' | 'type'>,
  { sites, types }: { sites: readonly string[]; types: readonly string[] },
): boolean {
  const type = event.type.toLowerCase();
  return (
    (sites.length === 0 || sites.some((site) => isAtSite(event, site))) &&
    (types.length === 0 || types.some((wanted) => wanted.toLowerCase() === type))
  );
}

/**
 * Specification: "Site values (v2)".
 * @param wanted a prefix, or a whole site
 */
function isAtSite({ site }: Pick<DealEvent, 'site'>, wanted: string): boolean {
  return `${site ?? ''}.`.toLowerCase().startsWith(`${wanted.toLowerCase()}.`);
}

export function isWanted(event: DealEvent, { site, type }: EventListFilter): boolean {
  return isEventOf(event, { sites: site === null ? [] : [site], types: type === null ? [] : [type] });
}

/** Specification: "v2: KeyValuePair"; objects and lists of pairs both arrive here as a list. */
export interface KeyValuePair {
  key: string;
  value: number;
}

/** Specification: "v2: OfferStats". */
export interface OfferStats {
  firstSucker: string | null;
  lastPurchaseMs: number | null;
  lastBuyerToDeal: string | null;
  overallOrderPace: number | null;
  overallDealsSold: number | null;
  siteOrderPace: number | null;
  siteDealsSold: number | null;
  percentageOfSalesPerDay: KeyValuePair[];
  percentageOfSalesPerHour: KeyValuePair[];
  purchaserExperience: KeyValuePair[];
  purchaserSeniority: KeyValuePair[];
  quantityBreakdown: KeyValuePair[];
  speedToFirstDealMs: number | null;
  dealsByState: KeyValuePair[];
}

export interface Artist {
  name: string;
  avatar: string | null;
  biography: string | null;
}

/** What somebody who bought it wrote in the offer's discussion (specification: "v2: QualityPost"). */
export interface QualityPost {
  username: string | null;
  /** As plain text, where it has no form. */
  text: string | null;
  /** HTML as the catalog sent it. */
  formattedBody: string | null;
  postedOnMs: number | null;
}

/** Specification: "v2: Offer (a collection of similar items)". HTML fields are as the catalog sent them. */
export interface EventOffer {
  id: string;
  title: string;
  subtitle: string | null;
  teaser: string | null;
  writeUp: string | null;
  features: string | null;
  specs: string | null;
  url: string | null;
  discussionUrl: string | null;
  items: Item[];
  photos: Photo[];
  shippingMethods: ShippingMethod[];
  estimatedShipDate: string | null;
  /** 0 to 100. */
  percentageRemaining: number | null;
  soldOut: boolean;
  /** When it will have sold out at its present pace: epoch milliseconds; absent where that can't be said. */
  sellsOutAtMs?: number;
  stats: OfferStats | null;
  artist: Artist | null;
  wineryDetails: string | null;
  qualityPosts: QualityPost[];
  snippet: string | null;
  rank: number | null;
  originalStartDateMs: number | null;
}

/** A grouping of offers on a site. "Deal" in the name keeps it apart from the platform's own `Event`. */
export interface DealEvent {
  id: string;
  /** In the catalog's spelling after normalisation; types that are not in EVENT_TYPES are kept. */
  type: string;
  title: string;
  site: string | null;
  startDateMs: number | null;
  endDateMs: number | null;
  offers: EventOffer[];
  subtitle: string | null;
  writeUp: string | null;
  discussionUrl: string | null;
  manufacturerText: string | null;
  photos: Photo[];
  text: string | null;
  url: string | null;
}

/** Nothing left at all counts as sold out, whatever else the catalog says. */
export function isAlmostGone(offer: EventOffer): offer is EventOffer & { percentageRemaining: number } {
  const { percentageRemaining: left, soldOut } = offer;
  return !soldOut && left !== null && left > 0 && left <= ALMOST_GONE_PERCENT;
}

/** Adds to an offer the fields that only v2 has: purchase limits of variants, and shipping costs. */
export function withEventOffer(offer: OfferDetail, { items, shippingMethods }: EventOffer): OfferDetail {
  const limits = new Map(items.map(({ id, purchaseLimit }) => [id, purchaseLimit]));
  return {
    ...offer,
    items: offer.items.map((item) => ({ ...item, purchaseLimit: item.purchaseLimit ?? limits.get(item.id) ?? null })),
    shippingMethods: withCosts(offer.shippingMethods, shippingMethods),
  };
}

/**
 * Converts an event's offer to the form of a feed; it lasts as long as the event. The price range covers the variants
 * whose price is known.
 */
export function asOffer(offer: EventOffer, event: DealEvent): Offer {
  return {
    id: offer.id,
    title: offer.title,
    subtitle: offer.subtitle,
    condition: null,
    categories: [],
    photo: mainPhoto(offer.photos),
    url: offer.url,
    forumUrl: offer.discussionUrl,
    startDateMs: event.startDateMs,
    endDateMs: event.endDateMs,
    ...pricesOf(offer.items),
    isSoldOut: offer.soldOut,
    isDealOff: event.type === 'DealOff',
    isFeatured: false,
    isFulfilledByPartner: false,
    isAvailableOnMobileAppOnly: false,
    site: event.site,
  };
}

/** Merges shipping methods by name: the portal lists the excluded regions, v2 the costs. */
function withCosts(excluding: readonly ShippingMethod[], costing: readonly ShippingMethod[]): ShippingMethod[] {
  const costs = new Map(costing.map((method) => [method.name, method]));
  const named = new Set(excluding.map(({ name }) => name));
  return [
    ...excluding.map((method) => {
      const { perOrderAmount, perEventAmount, perItemAmount } = costs.get(method.name) ?? method;
      return { ...method, perOrderAmount, perEventAmount, perItemAmount };
    }),
    ...costing.filter(({ name }) => !named.has(name)),
  ];
}
