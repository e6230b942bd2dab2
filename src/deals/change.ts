import { isDeepStrictEqual } from 'node:util';
import { HOUR_MS } from '../shared/time.ts';
import type { PastListing } from './announcement.ts';
import { arrivalAfter, arrivalOnceAsked, undecidedOf, undecidedWith } from './arrival.ts';
import { type Belief, type Dissents, hear } from './belief.ts';
import { claimsChanged, withUsualPrice } from './claims.ts';
import {
  isAstonishing,
  isElsewhere,
  isMissedIn,
  isMissingLong,
  isShown,
  LONGEST_MISSING_MS,
  shownAgain,
  withReturns,
} from './feed-presence.ts';
import {
  type FeedPresence,
  isGone,
  isInFeed,
  type KnownOffer,
  type PriceAt,
  type PriceDrop,
  pastListingOf,
  productKeys,
} from './known-offer.ts';
import { hasEnded } from './life.ts';
import { isSameOffer, type Offer, type OfferTerms } from './offer.ts';
import { OFFER_RULES } from './offer-belief.ts';
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
import { MOST_HIDDEN } from './presence.ts';
import { asRange, isSamePrice, type PriceRange } from './price.ts';
import { isRealPrice } from './price-runs.ts';
import { QUIET_MS } from './stories.ts';

/** How long before its end an offer counts as ending soon. */
export const ENDING_SOON_MS = 3 * HOUR_MS;
/**
 * The most offers of one feed that count as live although the feed no longer shows them; those unseen the longest count
 * as over. Without a bound, a feed that shows different offers each time would fill the memory. About 60 MB.
 */
const MOST_UNSEEN = 20_000;

/** A change of what is believed of an offer. */
export type OfferChange = {
  /** The offer's record after the change. */
  known: KnownOffer;
  /** The feeds whose followers the change concerns, as `feedKey` makes them. */
  feeds: readonly string[];
  /** The fields that are not known yet, so that filters on them can't be decided; absent where all are known. */
  undecided?: readonly string[];
  /**
   * The fields that became known after the change was announced, so that only filters on them are decided now; absent where
   * the change was not announced before.
   */
  decided?: readonly string[];
} & (
  | { kind: 'appeared' | 'entered' } // New in the feed: seen for the first time anywhere, or known from other feeds only.
  | ({ kind: 'price-dropped' } & PriceDrop)
  | { kind: 'price-raised'; before: PriceRange }
  /** A second answer has shown the price: from now on claims are made with it. */
  | { kind: 'price-confirmed' }
  | { kind: 'restocked'; storyMs: number }
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
  /** The fields that could not be read, by the offer's id; absent where there are none. */
  unreadableFields?: ReadonlyMap<string, readonly string[]>;
  /** How many items had no readable id: each may be an offer that is missing. Absent for none. */
  nameless?: number;
  isCutOff: boolean;
  /** The terms of the offers that were asked for theirs, by the offers' ids; absent where none was. */
  told?: ReadonlyMap<string, OfferTerms>;
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

/** Compares a feed's response with the known offers. */
export function changesOfFeed(before: Before, response: FeedSighting): Changes {
  const found: Changes = { changes: [], records: [], isDoubtful: false };
  const shown = new Map(response.offers.map((offer) => [offer.id, offer]));
  const missing: KnownOffer[] = [];
  let live = 0;
  let missed = 0;
  let unseen = 0;
  let nameless = response.nameless ?? 0;
  const unseenBefore: KnownOffer[] = [];
  // Ended offers come first: the same response may relist their products.
  for (const known of before.all()) {
    const { id } = known.offer;
    if (!isInFeed(known, response.feed)) {
      const isBack = known.feeds[response.feed]?.backSinceMs !== undefined;
      const isMaybeThere = shown.has(id) || response.isCutOff || response.unreadable?.has(id);
      if (isBack && !isMaybeThere) note(found, known, withoutReturn(known, response.feed));
      continue;
    }
    if (!isGone(known, response.nowMs)) live += 1;
    if (shown.has(id) || response.unreadable?.has(id)) continue;
    const hiddenTimes = known.feeds[response.feed]?.hiddenTimes ?? 0;
    if (nameless > 0 && hiddenTimes < MOST_HIDDEN) {
      nameless -= 1;
      note(found, known, withPresence(known, { hiddenTimes: hiddenTimes + 1 }, before, response));
      continue;
    }
    missing.push(known);
  }
  const missingLive = missing.filter((known) => !isGone(known, response.nowMs));
  const isDoubted = isAstonishing({ missing: missingLive.length, live });
  for (const known of missing) {
    const record = withoutFeed(known, before, response, isDoubted);
    note(found, known, record);
    if (isInFeed(record ?? known, response.feed)) unseen += 1;
    if (record === null) unseenBefore.push(known);
    if (record && isInFeed(record, response.feed) && !isMissedIn(known.feeds[response.feed]) && !response.isCutOff) {
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
  return withTrueClaims(found, before, response.nowMs);
}

/** The changes, and one more for each record, without price claims that another listing has disproved. */
export function withTrueClaims(found: Changes, before: Before, nowMs: number): Changes {
  const weaker = new Map(claimsChanged(found.records, before, nowMs).map((known) => [known.offer.id, known]));
  if (weaker.size === 0) return found;
  const now = (known: KnownOffer) => weaker.get(known.offer.id) ?? known;
  const records = new Set(found.records.map(({ offer }) => offer.id));
  const others = [...weaker.values()].filter(({ offer }) => !records.has(offer.id));
  const changes = found.changes.map((change) => ({ ...change, known: now(change.known) }));
  const changedIds = new Set(changes.map(({ known }) => known.offer.id));
  const unchanged = [...weaker.values()].filter(({ offer }) => !changedIds.has(offer.id));
  return {
    ...found,
    records: [...found.records.map(now), ...others],
    changes: [...changes, ...unchanged.map((known) => ({ kind: 'altered' as const, known, feeds: feedsOf(known) }))],
  };
}

/**
 * The changes that time alone brings: ends that have passed, ends that are near and not yet announced, and prices that have
 * become the usual ones.
 */
export function changesOfTime(all: Iterable<KnownOffer>, nowMs: number): Changes {
  const found: Changes = { changes: [], records: [], isDoubtful: false };
  for (const known of all) {
    const usual = withUsualPrice(known, nowMs);
    if (usual !== known) {
      found.records.push(usual);
      found.changes.push({ kind: 'altered', known: usual, feeds: feedsOf(usual) });
      continue;
    }
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

export function note(found: Changes, known: KnownOffer, record: KnownOffer | null): void {
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
 * @param isDoubted whether so much is missing that a second response is not enough
 */
function withoutFeed(known: KnownOffer, before: Before, response: FeedSighting, isDoubted: boolean): KnownOffer | null {
  const { feed, isCutOff, nowMs } = response;
  const presence = known.feeds[feed];
  if (!presence || (isCutOff && presence.unseenSinceMs !== null)) return null;
  const missedForMs = presence.missedAtMs === undefined ? 0 : nowMs - presence.missedAtMs;
  const isSure = isMissingLong(known, feed, nowMs) && (!isDoubted || missedForMs >= LONGEST_MISSING_MS);
  const isLeft = !isCutOff && (isSure || isGone(known, nowMs));
  const gaps = gapsSince(known, before, response);
  const isAsBefore = presence.unseenSinceMs !== null && (isCutOff || presence.missedAtMs !== undefined);
  if (isAsBefore && !isLeft && gaps.gaps === undefined) return null;
  const missing = {
    unseenSinceMs: presence.unseenSinceMs ?? nowMs,
    ...(isCutOff ? {} : { missedAtMs: presence.missedAtMs ?? nowMs }),
    goneSinceMs: isLeft ? nowMs : null,
  };
  return withPresence(withinBounds({ ...known, ...gaps }, nowMs), missing, before, response);
}

/** Forgets that the feed showed a dropped offer again, because its next answer lacks it. */
function withoutReturn(known: KnownOffer, feed: string): KnownOffer {
  const { backSinceMs: _, ...presence } = known.feeds[feed] as FeedPresence;
  return { ...known, feeds: { ...known.feeds, [feed]: presence } };
}

function asDissents(dissents: Dissents): Pick<KnownOffer, 'dissents'> {
  return Object.keys(dissents).length > 0 ? { dissents } : {};
}

/** Updates the offer's presence in the feed. The offer is over once no recently polled feed lists it. */
export function withPresence(
  known: KnownOffer,
  change: Partial<FeedPresence>,
  before: Before,
  { feed, nowMs }: { feed: string; nowMs: number },
): KnownOffer {
  const presence = known.feeds[feed];
  if (!presence) return known;
  const record: KnownOffer = { ...known, feeds: { ...known.feeds, [feed]: { ...presence, ...change } } };
  return isHeld(record, feed, before) ? record : { ...record, overAtMs: known.overAtMs ?? nowMs };
}

/** Whether a feed that was recently polled, or is polled now, lists the offer. */
function isHeld(known: KnownOffer, polled: string | null, before: Before): boolean {
  return Object.keys(known.feeds).some((feed) => isInFeed(known, feed) && (feed === polled || before.isCurrent(feed)));
}

/** The `wanted` offers that the feed has not shown for the longest time. */
function longestUnseen(unseen: readonly KnownOffer[], feed: string, wanted: number): KnownOffer[] {
  if (wanted <= 0) return [];
  const sinceMs = ({ feeds }: KnownOffer) => feeds[feed]?.unseenSinceMs ?? Infinity;
  return unseen.toSorted((a, b) => sinceMs(a) - sinceMs(b)).slice(0, wanted);
}

const NOTHING: ReadonlySet<string> = new Set();

function unreadableIn({ unreadableFields }: FeedSighting, id: string): ReadonlySet<string> {
  const fields = unreadableFields?.get(id);
  return fields ? new Set(fields) : NOTHING;
}

function seenFirst(
  found: Changes,
  offer: Offer,
  listingBefore: PastListing | null,
  before: Before,
  response: FeedSighting,
): void {
  const { feed, nowMs } = response;
  const terms = response.told?.get(offer.id);
  const observed = observedOf({ offer, terms }, null, before, nowMs);
  const isOver = offer.isSoldOut || hasEnded(offer, nowMs);
  const unreadable = unreadableIn(response, offer.id);
  const isOld = before.isOld(offer.id);
  // An offer that was there before anybody asked is no news: of it only what could not be read is still to be learned.
  const undecided = isOld ? [...unreadable] : undecidedOf(offer, unreadable, { ...observed, isSeenOnce: true });
  const wasOver = isOver && !isOld;
  const known: KnownOffer = {
    offer,
    seenOnce: SEEN_ONCE_AT_FIRST,
    ...(wasOver || undecided.length > 0 ? { arrival: { answers: 1, undecided, wasOver } } : {}),
    firstSeenMs: nowMs,
    feeds: { [feed]: { firstSeenMs: nowMs, unseenSinceMs: null, goneSinceMs: null, isOld } },
    prices: [{ atMs: nowMs, salePrice: offer.salePrice, ...observed, isSeenOnce: true }],
    soldOutAtMs: offer.isSoldOut ? nowMs : null,
    ...(offer.isSoldOut ? { stock: [{ atMs: nowMs, isSoldOut: true, isSeenOnce: true }] } : {}),
    ...itemsOf(offer, null, before),
    // This announcement's card shows the end already.
    endingSoonToldMs: endsSoon(offer, nowMs) ? offer.endDateMs : null,
    ...asTerms(terms),
    before: listingBefore,
    overAtMs: isOver ? nowMs : null,
  };
  found.records.push(known);
  if (!isOld) found.changes.push({ kind: 'appeared', known, feeds: [feed], ...decidedNow(undecided) });
}

function asTerms(terms: OfferTerms | undefined): Pick<KnownOffer, 'terms'> {
  return terms ? { terms } : {};
}

/** The fields that are watched for a second answer from an offer's first sight on: claims and news depend on them. */
const SEEN_ONCE_AT_FIRST: readonly (keyof Offer)[] = ['salePrice', 'isSoldOut'];

/** The fields of a change that are not known, and those that are known since; absent where there are none. */
export function decidedNow(
  undecided: readonly string[],
  decided: readonly string[] = [],
): Pick<OfferChange, 'undecided' | 'decided'> {
  return { ...(undecided.length > 0 ? { undecided } : {}), ...(decided.length > 0 ? { decided } : {}) };
}

function seenAgain(found: Changes, was: KnownOffer, offer: Offer, before: Before, response: FeedSighting): void {
  const { feed, nowMs } = response;
  const presence = was.feeds[feed];
  const gaps = gapsSince(was, before, { feed, nowMs });
  const hasNoNewItems = was.itemIds !== undefined || !before.items.has(offer.id);
  const terms = response.told?.get(offer.id);
  const isSettled = presence !== undefined && isShown(presence) && was.arrival === undefined;
  /** Whether nothing changes besides what is believed. */
  const isAsBefore = isSettled && gaps.gaps === undefined && hasNoNewItems && terms === undefined;
  const isBeyondDoubt = was.seenOnce === undefined && was.dissents?.[feed] === undefined;
  const isOverAsBefore = isOverNow(was, nowMs) === (was.overAtMs !== null);
  // Thousands of offers take this way with each answer.
  if (isAsBefore && isBeyondDoubt && isOverAsBefore && isSameOffer(was.offer, offer)) return;

  const isOld = presence?.isOld ?? before.isOld(offer.id);
  const shown = shownAgain(presence, { isOld, isElsewhere: isElsewhere(was, feed), nowMs });
  const feeds = { ...(shown.goneSinceMs === null ? withReturns(was.feeds) : was.feeds), [feed]: shown };
  const unreadable = unreadableIn(response, offer.id);
  const believed: Belief<Offer> = { value: was.offer, dissents: was.dissents ?? {}, seenOnce: was.seenOnce ?? [] };
  const statement = {
    witness: feed,
    value: offer,
    unreadable,
    isFirst: presence === undefined,
    unknown: new Set(was.arrival?.undecided),
    isTentative: (field: string) => shown.goneSinceMs !== null || unreadable.has(asRange(field)),
    witnesses: Object.keys(feeds),
    nowMs,
  };
  const belief = hear(believed, statement, OFFER_RULES);
  const known = recordOf(was, belief, { feeds, unreadable, gaps, terms, polled: feed }, before, nowMs);
  const isOver = known.overAtMs !== null;
  if (isAsBefore && belief === believed && (was.overAtMs !== null) === isOver) return;
  found.records.push(known);
  if (!presence && !isOld) {
    found.changes.push({ kind: 'entered', known, feeds: [feed], ...decidedNow(known.arrival?.undecided ?? []) });
  }
  const arrived = arrivedLater(was, known);
  if (arrived) found.changes.push(arrived);
  found.changes.push(...whatHappened(was, known));
}

/** The record after its belief changed. `unreadable` is null where no feed showed the offer, which was asked itself. */
export function recordOf(
  was: KnownOffer,
  { value, dissents, seenOnce }: Belief<Offer>,
  seen: {
    feeds: KnownOffer['feeds'];
    unreadable: ReadonlySet<string> | null;
    gaps: Pick<KnownOffer, 'gaps'>;
    /** The terms that the offer has told now. */
    terms: OfferTerms | undefined;
    polled: string | null;
  },
  before: Before,
  nowMs: number,
): KnownOffer {
  const prices = pricesSince(was, value, before, {
    isSeenOnce: seenOnce.includes('salePrice'),
    terms: seen.terms,
    nowMs,
  });
  const price = prices.at(-1);
  const { dissents: _dissents, seenOnce: _seenOnce, arrival, ...rest } = was;
  const arriving =
    arrival &&
    (seen.unreadable
      ? arrivalAfter(arrival, { value, dissents, seenOnce }, undecidedOf(value, seen.unreadable, price), nowMs)
      : arrivalOnceAsked(arrival, value, nowMs));
  const record: KnownOffer = {
    ...rest,
    offer: prices === was.prices ? value : withClaims(value, price),
    ...asDissents(dissents),
    ...(seenOnce.length > 0 ? { seenOnce } : {}),
    ...arriving,
    feeds: seen.feeds,
    prices,
    soldOutAtMs: value.isSoldOut ? (was.soldOutAtMs ?? nowMs) : null,
    ...stockSince(was, value, { isSeenOnce: seenOnce.includes('isSoldOut'), nowMs }),
    ...seen.gaps,
    ...itemsOf(value, was, before),
    ...asTerms(seen.terms),
  };
  const isOver = isOverNow(record, nowMs) || !isHeld(record, seen.polled, before);
  const isBack = was.overAtMs !== null && !isOver;
  const isRestated =
    isBack || hasOtherTerms(was, seen.terms) || !isSameOffer({ ...was.offer, ...priceAndStock(value) }, value);
  return withinBounds(
    { ...record, overAtMs: isOver ? (was.overAtMs ?? nowMs) : null, ...(isRestated && { restatedAtMs: nowMs }) },
    nowMs,
  );
}

/** Whether an offer tells other terms than it told before. */
export function hasOtherTerms({ terms: before }: KnownOffer, terms: OfferTerms | undefined): boolean {
  return before !== undefined && terms !== undefined && !isDeepStrictEqual(before, terms);
}

/** The fields of which the record keeps a history. */
function priceAndStock({ salePrice, isSoldOut, observed }: Offer): Pick<Offer, 'salePrice' | 'isSoldOut' | 'observed'> {
  return { salePrice, isSoldOut, ...(observed && { observed }) };
}

function isOverNow({ offer }: KnownOffer, nowMs: number): boolean {
  return offer.isSoldOut || hasEnded(offer, nowMs);
}

/** The believed offer; with what was observed of its product before, once two answers have shown its price. */
function withClaims(offer: Offer, price: PriceAt | undefined): Offer {
  const { observed: _, ...plain } = offer;
  return withObserved(offer.observed ? plain : offer, price);
}

/** The change of a new offer that can be bought after all, or whose unknown fields are known now; null for none. */
export function arrivedLater(was: KnownOffer, known: KnownOffer): OfferChange | null {
  if (!was.arrival || known.overAtMs !== null) return null;
  const feeds = Object.keys(was.feeds).filter((feed) => isInFeed(known, feed) && !known.feeds[feed]?.isOld);
  if (feeds.length === 0) return null;
  const undecided = known.arrival?.undecided ?? [];
  if (was.arrival.wasOver) return { kind: 'appeared', known, feeds, ...decidedNow(undecided) };
  const decided = was.arrival.undecided.filter((field) => !undecided.includes(field));
  return decided.length > 0 ? { kind: 'appeared', known, feeds, ...decidedNow(undecided, decided) } : null;
}

export function whatHappened(before: KnownOffer, known: KnownOffer): OfferChange[] {
  const changes: OfferChange[] = [];
  // The card that announces the offer in a new feed shows its current state already.
  const feeds = feedsOf(known, before);
  const [was, is] = [before.prices.at(-1), known.prices.at(-1)];
  if (was && is) {
    // An offer that was there before anybody asked is no news, whatever it costs.
    const isFirst = known.prices.length === 1;
    const newTo = isFirst ? feeds.filter((feed) => !known.feeds[feed]?.isOld) : feeds;
    const wasOver = isBack(before, known) && is.atMs > (before.overAtMs ?? 0) - QUIET_MS;
    const found = isFirst && newTo.length === 0 ? [] : whatPriceDid(was, is, wasOver);
    for (const change of found) changes.push({ ...change, known, feeds: newTo });
  }
  const storyMs = known.stock?.at(-1)?.storyMs;
  if (before.soldOutAtMs !== null && known.soldOutAtMs === null && storyMs !== undefined) {
    changes.push({ kind: 'restocked', known, feeds, storyMs });
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

type PriceChange<C = OfferChange> = C extends { kind: 'price-dropped' | 'price-raised' | 'price-confirmed' }
  ? Omit<C, 'known' | 'feeds'>
  : never;

/** Whether the offer can be bought again. */
function isBack(before: KnownOffer, known: KnownOffer): boolean {
  return before.overAtMs !== null && known.overAtMs === null;
}

/**
 * The changes of a price: one when it is believed, one when two answers have shown it.
 * @param wasOver whether the offer was over when its price changed
 */
function whatPriceDid(was: PriceAt, is: PriceAt, wasOver: boolean): PriceChange[] {
  const isNew = wasOver || !isSamePrice(was.salePrice, is.salePrice);
  const isSure = is.observed !== undefined && !is.isSeenOnce;
  const confirmed: PriceChange[] = isSure && (isNew || was.isSeenOnce) ? [{ kind: 'price-confirmed' }] : [];
  const drop = is.drop && { kind: 'price-dropped' as const, ...is.drop };
  if (!isNew)
    return drop && confirmed.length > 0 ? [{ ...drop, ...decidedNow([], ['observed']) }, ...confirmed] : confirmed;
  if (drop) return [{ ...drop, ...decidedNow(undecidedWith(is)) }, ...confirmed];
  const isRaised =
    isRealPrice(was.salePrice) && isRealPrice(is.salePrice) && is.salePrice.minimum > was.salePrice.minimum;
  return [
    ...(isRaised && was.salePrice ? [{ kind: 'price-raised' as const, before: was.salePrice }] : []),
    ...confirmed,
  ];
}

/**
 * The last listing of an offer's product, or null while another listing is live. A listing that this feed has dropped
 * counts as ended, even while other feeds that have not been polled since are assumed to hold it.
 */
function listingBefore(
  offer: Offer,
  before: Before,
  { feed, told, nowMs }: FeedSighting,
  changed: ReadonlyMap<string, KnownOffer>,
): PastListing | null {
  const keys = productKeys({ offer, ...asTerms(told?.get(offer.id)) });
  const others = keys
    .flatMap((key) => before.listings(key))
    .filter((known) => known.offer.id !== offer.id)
    .map((known) => changed.get(known.offer.id) ?? known);
  const ended = others.filter((known) => isGone(known, nowMs) || isMissedIn(known.feeds[feed]));
  if (ended.length < others.length) return null;
  const past = keys.flatMap((key) => before.past.get(key) ?? []);
  const candidates = [...ended.map((known) => pastListingOf(known, nowMs)), ...past];
  return (
    candidates.filter(({ offerId }) => offerId !== offer.id).toSorted((a, b) => b.endedAtMs - a.endedAtMs)[0] ?? null
  );
}

function endsSoon({ endDateMs }: Offer, nowMs: number): boolean {
  return endDateMs !== null && endDateMs - nowMs <= ENDING_SOON_MS;
}
