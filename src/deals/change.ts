import type { PastListing } from './announcement.ts';
import {
  type FeedPresence,
  formerProductKey,
  isGone,
  isInFeed,
  type KnownOffer,
  type PriceAt,
  pastListingOf,
  productKey,
  type StockAt,
} from './known-offer.ts';
import { hasEnded } from './life.ts';
import type { Offer } from './offer.ts';
import type { PriceRange } from './price.ts';

/** How long before its end an offer is said to end soon. */
export const ENDING_SOON_MS = 3 * 3_600_000;
/** Prices of one offer that are kept; the oldest go first. */
const MOST_PRICES = 50;
/** Times of one offer being sold out and back that are kept; the oldest go first. */
const MOST_STOCK = 20;

/** What happened to an offer between two looks. */
export type OfferChange = {
  /** What is known of it now. */
  known: KnownOffer;
  /** The feeds whose followers this concerns, as `feedKey` makes them. */
  feeds: readonly string[];
} /** It is news in a feed: seen for the first time anywhere, or known from other feeds only. */ & (
  | { kind: 'appeared' | 'entered' }
  | { kind: 'price-dropped' | 'price-raised'; before: PriceRange }
  | { kind: 'restocked'; soldOutAtMs: number }
  /** What was shown of it before is not true any more, or it is not for sale any more. */
  | { kind: 'sold-out' | 'ended' | 'left' | 'altered' | 'ending-soon' }
);

/** What a look brought: what happened, and the records that differ from those before. */
export interface Changes {
  changes: OfferChange[];
  records: KnownOffer[];
}

/** A whole answer of a feed. */
export interface FeedSighting {
  /** The feed's name as `feedKey` makes it. */
  feed: string;
  offers: readonly Offer[];
  isCutOff: boolean;
  nowMs: number;
}

/** What is known before the look. */
export interface Before {
  get(id: string): KnownOffer | undefined;
  all(): Iterable<KnownOffer>;
  /** Every known listing of a product; `product` as `productKey` makes it. */
  listings(product: string): readonly KnownOffer[];
  /** How products were sold the last time whose listings are known no more. */
  past: ReadonlyMap<string, PastListing>;
  /** Whether an offer that this feed shows for the first time was in it before anybody asked: then it is no news there. */
  isOld(id: string): boolean;
  /** Whether a feed has been read lately, so that what it is said to hold still counts. */
  isCurrent(feed: string): boolean;
}

/** Compares what a feed shows with what is known. */
export function changesOfFeed(before: Before, sighting: FeedSighting): Changes {
  const found: Changes = { changes: [], records: [] };
  const shown = new Map(sighting.offers.map((offer) => [offer.id, offer]));
  // Those that are gone come first: the same answer may bring their products back.
  for (const known of before.all()) {
    if (isInFeed(known, sighting.feed) && !shown.has(known.offer.id))
      note(found, known, withoutFeed(known, before, sighting));
  }
  const changed = new Map(found.records.map((record) => [record.offer.id, record]));
  for (const offer of shown.values()) {
    const known = before.get(offer.id);
    if (known) seenAgain(found, known, offer, before, sighting);
    else seenFirst(found, offer, listingBefore(offer, before, sighting, changed), before, sighting);
  }
  return found;
}

/** What time alone has done: ends that have passed, and those that are near and have not been told. */
export function changesOfTime(all: Iterable<KnownOffer>, nowMs: number): Changes {
  const found: Changes = { changes: [], records: [] };
  for (const known of all) {
    const { endDateMs } = known.offer;
    if (known.overAtMs !== null || endDateMs === null) continue;
    if (endDateMs <= nowMs) {
      const record = { ...known, overAtMs: nowMs };
      found.records.push(record);
      found.changes.push({ kind: 'ended', known: record, feeds: feedsOf(record) });
    } else if (endDateMs - nowMs <= ENDING_SOON_MS && known.endingSoonToldMs !== endDateMs) {
      const record = { ...known, endingSoonToldMs: endDateMs };
      found.records.push(record);
      found.changes.push({ kind: 'ending-soon', known: record, feeds: feedsOf(record) });
    }
  }
  return found;
}

function note(found: Changes, known: KnownOffer, record: KnownOffer | null): void {
  if (!record) return;
  found.records.push(record);
  if (known.overAtMs === null && record.overAtMs !== null) {
    found.changes.push({ kind: 'left', known: record, feeds: feedsOf(known) });
  }
}

/** The feeds that hold it and did so before. */
function feedsOf(known: KnownOffer, before = known): string[] {
  return Object.keys(before.feeds).filter((feed) => isInFeed(known, feed));
}

/** It is missing from the answer. Where that was cut off it need not have ended. */
function withoutFeed(known: KnownOffer, before: Before, { feed, isCutOff, nowMs }: FeedSighting): KnownOffer | null {
  const presence = known.feeds[feed];
  if (!presence || (isCutOff && presence.unseenSinceMs !== null)) return null;
  const missing: FeedPresence = {
    ...presence,
    unseenSinceMs: presence.unseenSinceMs ?? nowMs,
    goneSinceMs: isCutOff ? null : nowMs,
  };
  const record = { ...known, feeds: { ...known.feeds, [feed]: missing } };
  const isHeld = Object.keys(record.feeds).some(
    (other) => isInFeed(record, other) && (other === feed || before.isCurrent(other)),
  );
  return isHeld ? record : { ...record, overAtMs: known.overAtMs ?? nowMs };
}

function seenFirst(
  found: Changes,
  offer: Offer,
  listingBefore: PastListing | null,
  before: Before,
  { feed, nowMs }: FeedSighting,
): void {
  const known: KnownOffer = {
    version: 1,
    offer,
    firstSeenMs: nowMs,
    feeds: { [feed]: { firstSeenMs: nowMs, unseenSinceMs: null, goneSinceMs: null, isOld: before.isOld(offer.id) } },
    prices: [{ atMs: nowMs, salePrice: offer.salePrice }],
    soldOutAtMs: offer.isSoldOut ? nowMs : null,
    ...(offer.isSoldOut ? { stock: [{ atMs: nowMs, isSoldOut: true }] } : {}),
    // Whoever hears of it now sees its end on the card.
    endingSoonToldMs: endsSoon(offer, nowMs) ? offer.endDateMs : null,
    before: listingBefore,
    overAtMs: offer.isSoldOut || hasEnded(offer, nowMs) ? nowMs : null,
  };
  found.records.push(known);
  if (!before.isOld(offer.id)) found.changes.push({ kind: 'appeared', known, feeds: [feed] });
}

function seenAgain(found: Changes, was: KnownOffer, offer: Offer, before: Before, { feed, nowMs }: FeedSighting): void {
  const presence = was.feeds[feed];
  const isSame = isSameOffer(was.offer, offer);
  const isHeld = presence?.goneSinceMs === null && presence.unseenSinceMs === null;
  const isOver = offer.isSoldOut || hasEnded(offer, nowMs);
  if (isSame && isHeld && (was.overAtMs !== null) === isOver) return;

  const isOld = presence?.isOld ?? before.isOld(offer.id);
  const known: KnownOffer = {
    ...was,
    offer: isSame ? was.offer : offer,
    feeds: {
      ...was.feeds,
      [feed]: { firstSeenMs: presence?.firstSeenMs ?? nowMs, unseenSinceMs: null, goneSinceMs: null, isOld },
    },
    prices: pricesSince(was.prices, offer, nowMs),
    soldOutAtMs: offer.isSoldOut ? (was.soldOutAtMs ?? nowMs) : null,
    ...stockSince(was, offer, nowMs),
    overAtMs: isOver ? (was.overAtMs ?? nowMs) : null,
  };
  found.records.push(known);
  if (!presence && !isOld) found.changes.push({ kind: 'entered', known, feeds: [feed] });
  found.changes.push(...whatHappened(was, known));
}

function whatHappened(before: KnownOffer, known: KnownOffer): OfferChange[] {
  const changes: OfferChange[] = [];
  // Whoever hears that it has entered a feed sees on that card how it is now.
  const feeds = feedsOf(known, before);
  const [was, is] = [before.offer.salePrice, known.offer.salePrice];
  if (was && is && is.minimum < was.minimum) changes.push({ kind: 'price-dropped', known, feeds, before: was });
  else if (was && is && is.minimum > was.minimum) changes.push({ kind: 'price-raised', known, feeds, before: was });
  if (before.soldOutAtMs !== null && known.soldOutAtMs === null) {
    changes.push({ kind: 'restocked', known, feeds, soldOutAtMs: before.soldOutAtMs });
  } else if (before.soldOutAtMs === null && known.soldOutAtMs !== null) {
    changes.push({ kind: 'sold-out', known, feeds });
  } else if (before.overAtMs === null && known.overAtMs !== null) {
    changes.push({ kind: 'ended', known, feeds });
  }
  if (changes.length === 0 && (before.offer !== known.offer || before.overAtMs !== known.overAtMs)) {
    changes.push({ kind: 'altered', known, feeds });
  }
  return changes;
}

/**
 * The last listing of an offer's product, where it is sold no more. One that this feed has dropped counts as that
 * even while other feeds, which have not been read since, are thought to hold it.
 */
function listingBefore(
  offer: Offer,
  before: Before,
  { feed, nowMs }: FeedSighting,
  changed: ReadonlyMap<string, KnownOffer>,
): PastListing | null {
  const product = productKey(offer);
  const others = before
    .listings(product)
    .filter((known) => known.offer.id !== offer.id)
    .map((known) => changed.get(known.offer.id) ?? known);
  const ended = others.filter((known) => isGone(known, nowMs) || (known.feeds[feed]?.goneSinceMs ?? null) !== null);
  if (ended.length < others.length) return null;
  const kept = [product, formerProductKey(offer)].map((key) => (key === null ? undefined : before.past.get(key)));
  const candidates = [
    ...ended.map((known) => pastListingOf(known, nowMs)),
    ...kept.filter((past) => past !== undefined),
  ];
  return (
    candidates.filter(({ offerId }) => offerId !== offer.id).toSorted((a, b) => b.endedAtMs - a.endedAtMs)[0] ?? null
  );
}

function endsSoon({ endDateMs }: Offer, nowMs: number): boolean {
  return endDateMs !== null && endDateMs - nowMs <= ENDING_SOON_MS;
}

function pricesSince(prices: readonly PriceAt[], { salePrice }: Offer, nowMs: number): readonly PriceAt[] {
  const last = prices.at(-1)?.salePrice ?? null;
  if (isSamePrice(last, salePrice)) return prices;
  return [...prices, { atMs: nowMs, salePrice }].slice(-MOST_PRICES);
}

/** With the moment at which it was sold out or back, where it is that now; records from before that was kept begin with it. */
function stockSince(was: KnownOffer, { isSoldOut }: Offer, nowMs: number): { stock?: readonly StockAt[] } {
  if (isSoldOut === (was.soldOutAtMs !== null)) return {};
  const kept = was.stock ?? (was.soldOutAtMs === null ? [] : [{ atMs: was.soldOutAtMs, isSoldOut: true }]);
  return { stock: [...kept, { atMs: nowMs, isSoldOut }].slice(-MOST_STOCK) };
}

function isSamePrice(a: PriceRange | null, b: PriceRange | null): boolean {
  return a === b || (a !== null && b !== null && a.minimum === b.minimum && a.maximum === b.maximum);
}

/** `site` does not count: where it names the feed, two feeds that hold an offer would make it change with every look. */
function isSameOffer(a: Offer, b: Offer): boolean {
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
