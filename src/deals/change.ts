import type { PastListing } from './announcement.ts';
import { type Belief, hear, withoutWitness } from './belief.ts';
import {
  type Arrival,
  type FeedPresence,
  isGone,
  isInFeed,
  type KnownOffer,
  type PriceAt,
  type PriceDrop,
  pastListingOf,
  productKey,
} from './known-offer.ts';
import { hasEnded } from './life.ts';
import { isSameOffer, type Offer } from './offer.ts';
import { OFFER_RULES } from './offer-belief.ts';
import {
  gapsSince,
  itemsOf,
  observedOf,
  pricesSince,
  type RecordSources,
  stockSince,
  withObserved,
} from './offer-record.ts';
import { MOST_HIDDEN } from './presence.ts';
import type { PriceRange } from './price.ts';
import { isRealPrice } from './price-runs.ts';

/** How long before its end an offer counts as ending soon. */
export const ENDING_SOON_MS = 3 * 3_600_000;
/**
 * The most offers of one feed that count as live although the feed no longer shows them; those unseen the longest count
 * as over. Without a bound, a feed that shows different offers each time would fill the memory. About 60 MB.
 */
const MOST_UNSEEN = 20_000;

/** A new offer is decided with what there is once so many answers have shown it. */
const DECIDED_AFTER = 3;

/** A change of what is believed of an offer. */
export type OfferChange = {
  /** The offer's record after the change. */
  known: KnownOffer;
  /** The feeds whose followers the change concerns, as `feedKey` makes them. */
  feeds: readonly string[];
  /** The fields that are not known: filters that ask about them can't be decided yet. Absent where all are. */
  undecided?: readonly string[];
  /**
   * The fields that are known since the change was told: only the filters that ask about them are decided now. Absent where
   * the change was not told before.
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
  let nameless = response.nameless ?? 0;
  const unseenBefore: KnownOffer[] = [];
  // Ended offers come first: the same response may relist their products.
  for (const known of before.all()) {
    yield;
    const { id } = known.offer;
    if (!isInFeed(known, response.feed)) {
      const isBack = known.feeds[response.feed]?.backSinceMs !== undefined;
      if (isBack && !shown.has(id)) note(found, known, withoutReturn(known, response.feed));
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

/** The feed has shown the offer again in one answer, and lacks it in the next. */
function withoutReturn(known: KnownOffer, feed: string): KnownOffer {
  const { backSinceMs: _, ...presence } = known.feeds[feed] as FeedPresence;
  return { ...known, feeds: { ...known.feeds, [feed]: presence } };
}

/** Updates the offer's presence in the feed. The offer is over once no recently polled feed lists it. */
function withPresence(
  known: KnownOffer,
  change: Partial<FeedPresence>,
  before: Before,
  { feed, nowMs }: FeedSighting,
): KnownOffer {
  const presence = known.feeds[feed];
  if (!presence) return known;
  const { dissents, ...rest } = known;
  const feeds = { ...known.feeds, [feed]: { ...presence, ...change } };
  const left = dissents && feeds[feed]?.goneSinceMs !== null ? withoutWitness(dissents, feed) : dissents;
  const record: KnownOffer = { ...rest, ...(left && Object.keys(left).length > 0 ? { dissents: left } : {}), feeds };
  return isHeld(record, feed, before) ? record : { ...record, overAtMs: known.overAtMs ?? nowMs };
}

/** Whether a feed that was recently polled, or is polled now, lists the offer. */
function isHeld(known: KnownOffer, polled: string, before: Before): boolean {
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
  const observed = observedOf(offer, null, before, nowMs);
  const isOver = offer.isSoldOut || hasEnded(offer, nowMs);
  const undecided = undecidedOf(offer, unreadableIn(response, offer.id), { ...observed, isSeenOnce: true });
  const isOld = before.isOld(offer.id);
  const known: KnownOffer = {
    offer,
    seenOnce: SEEN_ONCE_AT_FIRST,
    ...(!isOld && (isOver || undecided.length > 0) ? { arrival: { answers: 1, undecided, wasOver: isOver } } : {}),
    firstSeenMs: nowMs,
    feeds: { [feed]: { firstSeenMs: nowMs, unseenSinceMs: null, goneSinceMs: null, isOld } },
    prices: [{ atMs: nowMs, salePrice: offer.salePrice, ...observed, isSeenOnce: true }],
    soldOutAtMs: offer.isSoldOut ? nowMs : null,
    ...(offer.isSoldOut ? { stock: [{ atMs: nowMs, isSoldOut: true, isSeenOnce: true }] } : {}),
    ...itemsOf(offer, null, before),
    // This announcement's card shows the end already.
    endingSoonToldMs: endsSoon(offer, nowMs) ? offer.endDateMs : null,
    before: listingBefore,
    overAtMs: isOver ? nowMs : null,
  };
  found.records.push(known);
  if (!isOld) found.changes.push({ kind: 'appeared', known, feeds: [feed], ...told(undecided) });
}

/** The fields that are watched for a second answer from an offer's first sight on: claims and news depend on them. */
const SEEN_ONCE_AT_FIRST: readonly (keyof Offer)[] = ['salePrice', 'isSoldOut'];

/**
 * The fields of a new offer that are not known: unreadable, or missing although offers have them. What was observed of
 * its product is told once a second answer has shown the price.
 */
function undecidedOf(
  { salePrice, categories }: Offer,
  unreadable: ReadonlySet<string>,
  price: Pick<PriceAt, 'observed' | 'isSeenOnce'> | undefined,
): string[] {
  const missing = [
    ...(salePrice === null ? ['salePrice'] : []),
    ...(categories.length === 0 ? ['categories'] : []),
    ...(price?.observed && price.isSeenOnce ? ['observed'] : []),
  ];
  return [...new Set([...missing, ...unreadable])];
}

function told(
  undecided: readonly string[],
  decided: readonly string[] = [],
): Pick<OfferChange, 'undecided' | 'decided'> {
  return { ...(undecided.length > 0 ? { undecided } : {}), ...(decided.length > 0 ? { decided } : {}) };
}

function seenAgain(found: Changes, was: KnownOffer, offer: Offer, before: Before, response: FeedSighting): void {
  const { feed, nowMs } = response;
  const presence = was.feeds[feed];
  const gaps = gapsSince(was, before, { feed, nowMs });
  const isTold = was.itemIds !== undefined || !before.items.has(offer.id);
  const isSettled =
    presence !== undefined && isShown(presence) && was.arrival === undefined && was.seenOnce === undefined;
  const isAsBefore = isSettled && gaps.gaps === undefined && isTold && was.dissents?.[feed] === undefined;
  // Thousands of offers take this way with each answer.
  if (isAsBefore && isSameOffer(was.offer, offer) && isOverNow(was, nowMs) === (was.overAtMs !== null)) return;

  const isOld = presence?.isOld ?? before.isOld(offer.id);
  const feeds = { ...was.feeds, [feed]: shownAgain(presence, { isOld, isElsewhere: isElsewhere(was, feed), nowMs }) };
  const unreadable = unreadableIn(response, offer.id);
  const witnesses = Object.keys(feeds).filter((name) => feeds[name]?.goneSinceMs === null);
  const believed: Belief<Offer> = { value: was.offer, dissents: was.dissents ?? {}, seenOnce: was.seenOnce ?? [] };
  const belief = hear(believed, { witness: feed, value: offer, unreadable, witnesses, nowMs }, OFFER_RULES);
  const isSame = belief.value === was.offer;
  const once = { isSeenOnce: belief.seenOnce.includes('salePrice'), nowMs };
  const prices = pricesSince(was, belief.value, before, once);
  const { dissents: _dissents, seenOnce: _seenOnce, arrival: _arrival, ...rest } = was;
  const record: KnownOffer = {
    ...rest,
    offer: isSame && once.isSeenOnce ? was.offer : withClaims(belief.value, prices.at(-1)),
    ...(Object.keys(belief.dissents).length > 0 ? { dissents: belief.dissents } : {}),
    ...(belief.seenOnce.length > 0 ? { seenOnce: belief.seenOnce } : {}),
    ...arrivalAfter(was.arrival, belief.value, undecidedOf(belief.value, unreadable, prices.at(-1)), nowMs),
    feeds,
    prices,
    soldOutAtMs: belief.value.isSoldOut ? (was.soldOutAtMs ?? nowMs) : null,
    ...stockSince(was, belief.value, { isSeenOnce: belief.seenOnce.includes('isSoldOut'), nowMs }),
    ...gaps,
    ...itemsOf(offer, was, before),
  };
  const isOver = isOverNow(record, nowMs) || !isHeld(record, feed, before);
  const known: KnownOffer = { ...record, overAtMs: isOver ? (was.overAtMs ?? nowMs) : null };
  if (isAsBefore && belief === believed && (was.overAtMs !== null) === isOver) return;
  found.records.push(known);
  if (!presence && !isOld) {
    found.changes.push({ kind: 'entered', known, feeds: [feed], ...told(known.arrival?.undecided ?? []) });
  }
  const arrived = arrivedLater(was, known);
  if (arrived) found.changes.push(arrived);
  found.changes.push(...whatHappened(was, known, arrived !== null));
}

function isOverNow({ offer }: KnownOffer, nowMs: number): boolean {
  return offer.isSoldOut || hasEnded(offer, nowMs);
}

function isShown({ unseenSinceMs, goneSinceMs, hiddenTimes }: FeedPresence): boolean {
  return unseenSinceMs === null && goneSinceMs === null && hiddenTimes === undefined;
}

/** Whether another feed shows the offer. */
function isElsewhere({ feeds }: KnownOffer, feed: string): boolean {
  return Object.entries(feeds).some(([other, presence]) => other !== feed && isShown(presence));
}

/** A feed that has dropped the offer lists it again once a second answer shows it, or while another feed does. */
function shownAgain(
  presence: FeedPresence | undefined,
  { isOld, isElsewhere, nowMs }: { isOld: boolean; isElsewhere: boolean; nowMs: number },
): FeedPresence {
  const isBack = !presence || presence.goneSinceMs === null || presence.backSinceMs !== undefined || isElsewhere;
  if (!isBack) return { ...presence, backSinceMs: nowMs };
  return { firstSeenMs: presence?.firstSeenMs ?? nowMs, unseenSinceMs: null, goneSinceMs: null, isOld };
}

/** The believed offer; with what was observed of its product before, once two answers have shown its price. */
function withClaims(offer: Offer, price: PriceAt | undefined): Offer {
  const observed = price?.isSeenOnce ? undefined : price?.observed;
  if (offer.observed === observed) return offer;
  const { observed: _, ...plain } = offer;
  return withObserved(plain, observed ? { observed } : undefined);
}

/** What is left to decide of a new offer after one more answer; absent where it is decided. */
function arrivalAfter(
  was: Arrival | undefined,
  offer: Offer,
  missing: readonly string[],
  nowMs: number,
): { arrival?: Arrival } {
  if (!was || was.answers + 1 >= DECIDED_AFTER) return {};
  const undecided = was.undecided.filter((field) => missing.includes(field));
  const wasOver = was.wasOver && (offer.isSoldOut || hasEnded(offer, nowMs));
  return undecided.length > 0 || wasOver ? { arrival: { answers: was.answers + 1, undecided, wasOver } } : {};
}

/** What an answer decides of a new offer: it can be bought after all, or what could not be told can be told now. */
function arrivedLater(was: KnownOffer, known: KnownOffer): OfferChange | null {
  if (!was.arrival || known.overAtMs !== null) return null;
  const feeds = Object.keys(was.feeds).filter((feed) => isInFeed(known, feed) && !known.feeds[feed]?.isOld);
  if (feeds.length === 0) return null;
  const undecided = known.arrival?.undecided ?? [];
  if (was.arrival.wasOver) return { kind: 'appeared', known, feeds, ...told(undecided) };
  const decided = was.arrival.undecided.filter((field) => !undecided.includes(field));
  return decided.length > 0 ? { kind: 'appeared', known, feeds, ...told(undecided, decided) } : null;
}

function whatHappened(before: KnownOffer, known: KnownOffer, hasArrived: boolean): OfferChange[] {
  const changes: OfferChange[] = [];
  // The card that announces the offer in a new feed shows its current state already.
  const feeds = feedsOf(known, before);
  const [was, is] = [before.prices.at(-1), known.prices.at(-1)];
  if (was && is) {
    // What was there before anybody asked is no news to the feed's followers, whatever it costs.
    const newTo = is.atMs === known.firstSeenMs ? feeds.filter((feed) => !known.feeds[feed]?.isOld) : feeds;
    for (const change of whatPriceDid(was, is)) changes.push({ ...change, known, feeds: newTo });
  }
  const storyMs = known.stock?.at(-1)?.storyMs;
  if (before.soldOutAtMs !== null && known.soldOutAtMs === null && storyMs !== undefined && !hasArrived) {
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

function whatPriceDid(was: PriceAt, is: PriceAt): PriceChange[] {
  const unknown = is.observed && is.isSeenOnce ? ['observed'] : [];
  if (was.atMs !== is.atMs) {
    if (is.drop) return [{ kind: 'price-dropped', ...is.drop, ...told(unknown) }];
    const isRaised =
      isRealPrice(was.salePrice) && isRealPrice(is.salePrice) && is.salePrice.minimum > was.salePrice.minimum;
    return isRaised && was.salePrice ? [{ kind: 'price-raised', before: was.salePrice }] : [];
  }
  if (!was.isSeenOnce || is.isSeenOnce || !is.observed) return [];
  const drop: PriceChange[] = is.drop ? [{ kind: 'price-dropped', ...is.drop, ...told([], ['observed']) }] : [];
  return [...drop, { kind: 'price-confirmed' }];
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
