import type { PastListing } from './announcement.ts';
import { claimsChanged } from './claims.ts';
import { type FeedPresence, isGone, isInFeed, type KnownOffer, pastListingOf, productKey } from './known-offer.ts';
import { hasEnded } from './life.ts';
import { isSameOffer, type Offer } from './offer.ts';
import {
  gapsSince,
  itemsOf,
  observedOf,
  pricesSince,
  type RecordSources,
  stockSince,
  withinBounds,
  withObserved,
} from './offer-record.ts';
import type { PriceRange } from './price.ts';

/** How long before its end an offer counts as ending soon. */
export const ENDING_SOON_MS = 3 * 3_600_000;
/**
 * The most offers of one feed that count as live although the feed no longer shows them; those unseen the longest count
 * as over. Without a bound, a feed that shows different offers each time would fill the memory. About 60 MB.
 */
const MOST_UNSEEN = 20_000;

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
export interface Before extends RecordSources {
  get(id: string): KnownOffer | undefined;
  all(): Iterable<KnownOffer>;
  /** The last sale of each product whose listings have been pruned. */
  past: ReadonlyMap<string, PastListing>;
  /**
   * Whether an offer that this feed shows for the first time was in it before the bot polled it: then it is not news
   * there.
   */
  isOld(id: string): boolean;
  /** Whether a feed has been polled recently, so that its last known contents still count. */
  isCurrent(feed: string): boolean;
}

/**
 * Compares a feed's response with the known offers. Yields after each offer, so that other work can run meanwhile;
 * `before` must not change until it returns.
 */
export function* changesOfFeed(before: Before, response: FeedSighting): Generator<void, Changes> {
  const found: Changes = { changes: [], records: [], isDoubtful: false };
  const shown = new Map(response.offers.map((offer) => [offer.id, offer]));
  let live = 0;
  let missed = 0;
  let unseen = 0;
  const unseenBefore: KnownOffer[] = [];
  // Ended offers come first: the same response may relist their products.
  for (const known of before.all()) {
    yield;
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
    yield;
    const known = before.get(offer.id);
    if (known) seenAgain(found, known, offer, before, response);
    else seenFirst(found, offer, listingBefore(offer, before, response, changed), before, response);
  }
  return withTrueClaims(found, before, response.nowMs);
}

/** The changes, with records that claim nothing of prices that another listing has disproved. */
function withTrueClaims(found: Changes, before: Before, nowMs: number): Changes {
  const weaker = new Map(claimsChanged(found.records, before, nowMs).map((known) => [known.offer.id, known]));
  if (weaker.size === 0) return found;
  const now = (known: KnownOffer) => weaker.get(known.offer.id) ?? known;
  const records = new Set(found.records.map(({ offer }) => offer.id));
  const others = [...weaker.values()].filter(({ offer }) => !records.has(offer.id));
  const told = found.changes.map((change) => ({ ...change, known: now(change.known) }));
  return {
    ...found,
    records: [...found.records.map(now), ...others],
    changes: [...told, ...others.map((known) => ({ kind: 'altered' as const, known, feeds: feedsOf(known) }))],
  };
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
  const gapped = withinBounds({ ...known, ...gapsSince(known, before, response) }, nowMs);
  return withPresence(gapped, missing, before, response);
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
  const known = withinBounds(
    {
      ...was,
      offer: isSame && prices === was.prices ? was.offer : withObserved(offer, prices.at(-1)),
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
    },
    nowMs,
  );
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
  const past = before.past.get(product);
  const candidates = [...ended.map((known) => pastListingOf(known, nowMs)), ...(past ? [past] : [])];
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
