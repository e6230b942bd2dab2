import type { PastListing } from './announcement.ts';
import {
  type FeedPresence,
  formerProductKey,
  isGone,
  isInFeed,
  type KnownOffer,
  type PriceAt,
  pastListingOf,
  priceKeys,
  productKey,
  type StockAt,
} from './known-offer.ts';
import { hasEnded } from './life.ts';
import { runsOfListing, runsUnder } from './listing-prices.ts';
import { observedBefore } from './observed-prices.ts';
import type { Offer } from './offer.ts';
import type { PriceRange } from './price.ts';
import { type Gap, mergeRuns, type PriceRun } from './price-runs.ts';

/** How long before its end an offer counts as ending soon. */
export const ENDING_SOON_MS = 3 * 3_600_000;
/** The most price changes kept for one offer; the oldest are dropped. */
const MOST_PRICES = 50;
/**
 * The most offers of one feed that count as live although the feed no longer shows them; those unseen the longest count
 * as over. Without a bound, a feed that shows different offers each time would fill the memory. About 60 MB.
 */
const MOST_UNSEEN = 20_000;
/** The most stock changes kept for one offer; the oldest are dropped. */
const MOST_STOCK = 20;
/** The most gaps kept for one offer; of more, the two oldest become one, with what was observed between them. */
const MOST_GAPS = 20;
/**
 * An offer's price is not known where the offer was not seen for longer than this, even if it is the same after. Feeds that
 * are followed are polled more often.
 */
const LONGEST_UNSEEN_MS = 2 * 3_600_000;

/** A change of an offer between two polls. */
export type OfferChange = {
  /** The offer's record after the change. */
  known: KnownOffer;
  /** The feeds whose followers the change concerns, as `feedKey` makes them. */
  feeds: readonly string[];
} & (
  | { kind: 'appeared' | 'entered' } // New in the feed: seen for the first time anywhere, or known from other feeds only.
  | { kind: 'price-dropped' | 'price-raised'; before: PriceRange }
  | { kind: 'restocked'; soldOutAtMs: number }
  /** Posts about the offer need an update, or it is no longer for sale. */
  | { kind: 'sold-out' | 'ended' | 'left' | 'altered' | 'ending-soon' }
);

/** The result of a poll: the changes, and the records that differ from before. */
export interface Changes {
  changes: OfferChange[];
  records: KnownOffer[];
  /** Whether so much is missing for the first time that the feed should be polled again soon. */
  isDoubtful: boolean;
}

/** A complete response of a feed. */
export interface FeedSighting {
  /** The feed's name as `feedKey` makes it. */
  feed: string;
  offers: readonly Offer[];
  /** The ids of offers that were present but invalid; absent where there are none. */
  unreadable?: ReadonlySet<string>;
  isCutOff: boolean;
  nowMs: number;
}

/** The state before the poll. */
export interface Before {
  get(id: string): KnownOffer | undefined;
  all(): Iterable<KnownOffer>;
  /** All known listings under one of their `priceKeys`. */
  listings(key: string): readonly KnownOffer[];
  /** The last sale of each product whose listings have been pruned. */
  past: ReadonlyMap<string, PastListing>;
  /**
   * The observed prices from listings that have been pruned, by their `priceKeys`. null where they can't be read: then
   * nothing is said of earlier prices.
   */
  archived: ReadonlyMap<string, readonly PriceRun[]> | null;
  /** The ids of the items of each offer that is in an event, by the offer's id. */
  items: ReadonlyMap<string, readonly string[]>;
  /** When a feed was last polled before: epoch milliseconds; null where it was not. */
  polledAtMs(feed: string): number | null;
  /**
   * Whether an offer that this feed shows for the first time was in it before the bot polled it: then it is not news
   * there.
   */
  isOld(id: string): boolean;
  /** Whether a feed has been polled recently, so that its last known contents still count. */
  isCurrent(feed: string): boolean;
}

/** Compares a feed's response with the known offers. */
export function changesOfFeed(before: Before, response: FeedSighting): Changes {
  const found: Changes = { changes: [], records: [], isDoubtful: false };
  const shown = new Map(response.offers.map((offer) => [offer.id, offer]));
  let live = 0;
  let missed = 0;
  let unseen = 0;
  const unseenBefore: KnownOffer[] = [];
  // Ended offers come first: the same response may relist their products.
  for (const known of before.all()) {
    if (!isInFeed(known, response.feed)) continue;
    const { id } = known.offer;
    if (!isGone(known, response.nowMs)) live += 1;
    if (shown.has(id) || response.unreadable?.has(id)) continue;
    const record = withoutFeed(known, before, response);
    note(found, known, record);
    if (isInFeed(record ?? known, response.feed)) unseen += 1;
    if (record === null) unseenBefore.push(known);
    if (record && isInFeed(record, response.feed) && !isMissing(known.feeds[response.feed]) && !response.isCutOff) {
      missed += 1;
    }
  }
  for (const known of longestUnseen(unseenBefore, response.feed, unseen - MOST_UNSEEN)) {
    note(found, known, withPresence(known, { goneSinceMs: response.nowMs }, before, response));
  }
  found.isDoubtful = isLargeShare(missed, live);
  const changed = new Map(found.records.map((record) => [record.offer.id, record]));
  for (const offer of shown.values()) {
    const known = before.get(offer.id);
    if (known) seenAgain(found, known, offer, before, response);
    else seenFirst(found, offer, listingBefore(offer, before, response, changed), before, response);
  }
  return found;
}

/** The changes that time alone brings: ends that have passed, and ends that are near and not yet announced. */
export function changesOfTime(all: Iterable<KnownOffer>, nowMs: number): Changes {
  const found: Changes = { changes: [], records: [], isDoubtful: false };
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

/** The feeds that list the offer now and listed it before. */
function feedsOf(known: KnownOffer, before = known): string[] {
  return Object.keys(before.feeds).filter((feed) => isInFeed(known, feed));
}

/** Whether more than a third of the live offers are missing for the first time. */
export function isLargeShare(missed: number, live: number): boolean {
  return missed * 3 > live;
}

/**
 * Records that the offer is missing from the response. It stays live where the response was truncated, or on the first
 * miss of a live offer: a single response may be wrong, and posts would show the offer as ended until the next one.
 * Null where nothing changed.
 */
function withoutFeed(known: KnownOffer, before: Before, response: FeedSighting): KnownOffer | null {
  const { feed, isCutOff, nowMs } = response;
  const presence = known.feeds[feed];
  if (!presence || (isCutOff && presence.unseenSinceMs !== null)) return null;
  const isFirstMiss = presence.missedAtMs === undefined && !isGone(known, nowMs);
  const missing = {
    unseenSinceMs: presence.unseenSinceMs ?? nowMs,
    ...(isCutOff ? {} : { missedAtMs: presence.missedAtMs ?? nowMs }),
    goneSinceMs: isCutOff || isFirstMiss ? null : nowMs,
  };
  return withPresence({ ...known, ...gapsSince(known, before, response) }, missing, before, response);
}

/** Updates the offer's presence in the feed. The offer is over once no recently polled feed lists it. */
function withPresence(
  known: KnownOffer,
  change: Partial<FeedPresence>,
  before: Before,
  { feed, nowMs }: FeedSighting,
): KnownOffer {
  const presence = known.feeds[feed];
  const record = presence ? { ...known, feeds: { ...known.feeds, [feed]: { ...presence, ...change } } } : known;
  const isHeld = Object.keys(record.feeds).some(
    (other) => isInFeed(record, other) && (other === feed || before.isCurrent(other)),
  );
  return isHeld ? record : { ...record, overAtMs: known.overAtMs ?? nowMs };
}

/** The `wanted` offers that the feed has not shown for the longest time. */
function longestUnseen(unseen: readonly KnownOffer[], feed: string, wanted: number): KnownOffer[] {
  if (wanted <= 0) return [];
  const sinceMs = ({ feeds }: KnownOffer) => feeds[feed]?.unseenSinceMs ?? Infinity;
  return unseen.toSorted((a, b) => sinceMs(a) - sinceMs(b)).slice(0, wanted);
}

function seenFirst(
  found: Changes,
  offer: Offer,
  listingBefore: PastListing | null,
  before: Before,
  { feed, nowMs }: FeedSighting,
): void {
  const observed = observedOf(offer, null, before, nowMs);
  const known: KnownOffer = {
    version: 1,
    offer: withObserved(offer, observed),
    firstSeenMs: nowMs,
    feeds: { [feed]: { firstSeenMs: nowMs, unseenSinceMs: null, goneSinceMs: null, isOld: before.isOld(offer.id) } },
    prices: [{ atMs: nowMs, salePrice: offer.salePrice, ...observed }],
    soldOutAtMs: offer.isSoldOut ? nowMs : null,
    ...(offer.isSoldOut ? { stock: [{ atMs: nowMs, isSoldOut: true }] } : {}),
    ...itemsOf(offer, null, before),
    // This announcement's card shows the end already.
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
  const gaps = gapsSince(was, before, { feed, nowMs });
  const isTold = was.itemIds !== undefined || !before.items.has(offer.id);
  if (isSame && isHeld && isTold && (was.overAtMs !== null) === isOver && gaps.gaps === undefined) return;

  const isOld = presence?.isOld ?? before.isOld(offer.id);
  const prices = pricesSince(was, offer, before, nowMs);
  const known: KnownOffer = {
    ...was,
    offer: isSame ? was.offer : withObserved(offer, prices.at(-1)),
    feeds: {
      ...was.feeds,
      [feed]: { firstSeenMs: presence?.firstSeenMs ?? nowMs, unseenSinceMs: null, goneSinceMs: null, isOld },
    },
    prices,
    soldOutAtMs: offer.isSoldOut ? (was.soldOutAtMs ?? nowMs) : null,
    ...stockSince(was, offer, nowMs),
    ...gaps,
    ...itemsOf(offer, was, before),
    overAtMs: isOver ? (was.overAtMs ?? nowMs) : null,
  };
  found.records.push(known);
  if (!presence && !isOld) found.changes.push({ kind: 'entered', known, feeds: [feed] });
  found.changes.push(...whatHappened(was, known));
}

function whatHappened(before: KnownOffer, known: KnownOffer): OfferChange[] {
  const changes: OfferChange[] = [];
  // The card that announces the offer in a new feed shows its current state already.
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
 * The last listing of an offer's product, or null while another listing is live. A listing that this feed has dropped
 * counts as ended, even while other feeds that have not been polled since are assumed to hold it.
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
  const ended = others.filter((known) => isGone(known, nowMs) || isMissing(known.feeds[feed]));
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

/** Whether the feed's last complete response lacked the offer. */
function isMissing(presence: FeedPresence | undefined): boolean {
  return presence !== undefined && (presence.goneSinceMs !== null || presence.missedAtMs !== undefined);
}

function endsSoon({ endDateMs }: Offer, nowMs: number): boolean {
  return endDateMs !== null && endDateMs - nowMs <= ENDING_SOON_MS;
}

function pricesSince(was: KnownOffer, offer: Offer, before: Before, nowMs: number): readonly PriceAt[] {
  const last = was.prices.at(-1)?.salePrice ?? null;
  if (isSamePrice(last, offer.salePrice)) return was.prices;
  const price = { atMs: nowMs, salePrice: offer.salePrice, ...observedOf(offer, was, before, nowMs) };
  return [...was.prices, price].slice(-MOST_PRICES);
}

/** The ids of the offer's items, where they are known. */
function itemsOf(
  { id }: Offer,
  was: Pick<KnownOffer, 'itemIds'> | null,
  { items }: Before,
): Pick<KnownOffer, 'itemIds'> {
  const itemIds = was?.itemIds ?? items.get(id);
  return itemIds ? { itemIds } : {};
}

/**
 * The prices of the product, and of its items, as observed before the offer's price began, in earlier listings, other live
 * ones and its own earlier prices.
 * @param was the offer's record before; null where there is none
 */
function observedOf(offer: Offer, was: KnownOffer | null, before: Before, nowMs: number): Pick<Offer, 'observed'> {
  const { archived } = before;
  if (!archived) return {};
  const runs = priceKeys({ offer, ...itemsOf(offer, was, before) }).flatMap((key) => {
    const others = before.listings(key).filter((known) => known.offer.id !== offer.id);
    return [...(archived.get(key) ?? []), ...others.flatMap((known) => runsUnder(key, known, nowMs))];
  });
  const own = was ? runsOfListing(was, nowMs) : [];
  // The same run may stand under the product and under its items.
  const observed = observedBefore(mergeRuns([...runs, ...own]), offer.salePrice, nowMs);
  return observed ? { observed } : {};
}

/**
 * The offer with what was observed before its price. `Object.assign` and not a spread: V8 gives every object that was
 * spread and got one more property a hidden class of its own, and comparing thousands of those takes 20 times as long.
 */
function withObserved(offer: Offer, priced: Pick<Offer, 'observed'> | undefined): Offer {
  return priced?.observed ? Object.assign({}, offer, { observed: priced.observed }) : offer;
}

/**
 * The offer's gaps and the one that ends now, where it was not seen for long: empty where it was. A gap that has the
 * same beginning as the last one replaces it: its end could not be stored.
 */
function gapsSince(
  was: KnownOffer,
  before: Before,
  { feed, nowMs }: Pick<FeedSighting, 'feed' | 'nowMs'>,
): { gaps?: readonly Gap[] } {
  const isLong = (shownMs: number) => nowMs - shownMs > LONGEST_UNSEEN_MS;
  const shownMs = (shownBy: string, { unseenSinceMs, goneSinceMs }: FeedPresence) =>
    unseenSinceMs ?? goneSinceMs ?? before.polledAtMs(shownBy) ?? nowMs;
  const presence = was.feeds[feed];
  if (!presence || !isLong(shownMs(feed, presence))) return {};
  const fromMs = Math.max(...Object.entries(was.feeds).map(([shownBy, other]) => shownMs(shownBy, other)));
  if (!isLong(fromMs)) return {};
  const [last, earlier] = [was.gaps?.at(-1), was.gaps?.slice(0, -1) ?? []];
  const kept = last && last.fromMs !== fromMs ? [...earlier, last] : earlier;
  const gaps = [...kept, { fromMs, untilMs: nowMs }];
  const [first, second, ...rest] = gaps;
  if (gaps.length <= MOST_GAPS || !first || !second) return { gaps };
  return { gaps: [{ fromMs: first.fromMs, untilMs: second.untilMs }, ...rest] };
}

/**
 * Appends the moment at which the offer sold out or came back, if that changed. Records from before stock was recorded
 * begin with this entry.
 */
function stockSince(was: KnownOffer, { isSoldOut }: Offer, nowMs: number): { stock?: readonly StockAt[] } {
  if (isSoldOut === (was.soldOutAtMs !== null)) return {};
  const kept = was.stock ?? (was.soldOutAtMs === null ? [] : [{ atMs: was.soldOutAtMs, isSoldOut: true }]);
  return { stock: [...kept, { atMs: nowMs, isSoldOut }].slice(-MOST_STOCK) };
}

function isSamePrice(a: PriceRange | null, b: PriceRange | null): boolean {
  return a === b || (a !== null && b !== null && a.minimum === b.minimum && a.maximum === b.maximum);
}

/** Ignores `site`: where it names the feed, an offer in two feeds would change with every poll. */
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
