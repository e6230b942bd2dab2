import type { Unreadable } from '../../catalog/catalog.ts';
import type { DoubtCounts } from '../../catalog/doubt-counts.ts';
import type { Announcement, EntityUpdate } from '../../deals/announcement.ts';
import { type AskedOffer, changesOfAsking, toldTerms } from '../../deals/asking.ts';
import {
  type Before,
  changesOfFeed,
  changesOfTime,
  type FeedSighting,
  type Changes as FoundChanges,
  type OfferChange,
} from '../../deals/change.ts';
import { doubtsAs, doubtsBetween } from '../../deals/doubts.ts';
import {
  feedKey,
  isGone,
  isInFeed,
  type KnownOffer,
  lastSeenMs,
  pastListingOf,
  priceKeys,
  productKeys,
  runsUnder,
  shownOffer,
} from '../../deals/known-offer.ts';
import type { Feed, Offer } from '../../deals/offer.ts';
import { isFoundAs } from '../../deals/offer-record.ts';
import { namedSince } from '../../deals/presence.ts';
import { isSamePrice } from '../../deals/price.ts';
import type { PriceRun } from '../../deals/price-runs.ts';
import { feedName, isFeed, type ResourceKey } from '../../deals/subscription.ts';
import type { WritableOfferBook } from '../../offers/offer-book.ts';
import type { Log } from '../../shared/log.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { Records, Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import { announcementsOf, isLive } from '../kinds/index.ts';
import type { News } from '../match/match.ts';
import type { DetectionResult } from './detection-result.ts';

/** A feed that was last read longer ago than this may no longer contain the offers recorded for it. */
const CURRENT_MS = DAY_MS;
/** How long an ended offer is remembered, for correcting its posts and for the seven-day preview. */
const OVER_KEPT_MS = 8 * DAY_MS;
/**
 * The most ended offers that are remembered, the last to end first; more would fill the memory where offers change
 * quickly. About 60 MB.
 */
export const MOST_OVER_KEPT = 20_000;
/** A feed that was last read longer ago than this no longer keeps its offers from being forgotten. */
const LONGEST_HOLD_MS = 7 * DAY_MS;
/** The offers that one commit forgets. */
const FORGOTTEN_AT_A_TIME = 200;
const SUNDAY = 0;

export interface OfferDetectorParts {
  store: Records;
  book: WritableOfferBook;
  doubtCounts: DoubtCounts;
  /** The ids of the items of each offer that is in an event, by the offer's id. */
  items: () => ReadonlyMap<string, readonly string[]>;
  log: Log;
}

/** No answer, or one that is known. */
const NOTHING: FoundChanges = { changes: [], records: [], isDoubtful: false };

export type OfferDetector = ReturnType<typeof createOfferDetector>;

/** Detects changes to offers. Its operations run one at a time, because the feeds share the offer book. */
export function createOfferDetector(parts: OfferDetectorParts) {
  const { store, book } = parts;
  const digested = new WeakSet<Feed>();

  return {
    /**
     * Compares an answer of a feed with the known offers. `isFirstSight`: the feed's new offers are not news.
     * @param told what offers of the answer have told of themselves before, by their ids
     */
    async inFeed(
      resource: `feed:${string}`,
      { value: answer, unreadable }: { value: Feed; unreadable?: Unreadable | undefined },
      isFirstSight: boolean,
      nowMs: number,
      told?: FeedSighting['told'],
    ): Promise<DetectionResult> {
      const feed = feedKey(feedName(resource));
      // The same answer may arrive twice. The second time, it may be older than what another feed has shown since.
      const isKnown = digested.has(answer);
      const { ids, fields, nameless = 0 } = unreadable ?? {};
      const shown = { offers: answer.offers, nameless };
      const beforeAnswer = () =>
        knownBefore(
          keysToRead(answer.offers, told, parts),
          isOldIn(resource, shown, isFirstSight, parts),
          nowMs,
          parts,
        );
      const sighting: FeedSighting = {
        feed,
        ...shown,
        unreadable: new Set(ids),
        ...(fields ? { unreadableFields: fields } : {}),
        isCutOff: answer.isCutOff || nameless === Number.POSITIVE_INFINITY,
        ...(told && { told }),
        nowMs,
      };
      const found = isKnown ? NOTHING : changesOfFeed(await beforeAnswer(), sighting);
      return {
        ...resultOf(found, book, nowMs),
        isDoubtful: isKnown ? null : found.isDoubtful,
        ...(isFirstSight ? { startedAtMs: answer.offers.map(({ startDateMs }) => startDateMs) } : {}),
        live() {
          const changed = new Map(found.records.map((record) => [record.offer.id, record]));
          const known = answer.offers.flatMap(({ id }) => changed.get(id) ?? book.get(id) ?? []);
          return announcedIn(
            feed,
            known.filter((one) => !isGone(one, nowMs)),
          );
        },
        save(changes) {
          save(changes, found, { by: 'answer', nowMs }, parts);
          changes.afterwards(() => digested.add(answer));
        },
      };
    },
    /** An offer that the last answer of a feed showed and that is still live, without any change. */
    lastShown(resource: `feed:${string}`, nowMs: number): DetectionResult {
      const feed = feedKey(feedName(resource));
      const isShown = (known: KnownOffer) => known.feeds[feed]?.unseenSinceMs === null && !isGone(known, nowMs);
      return {
        ...resultOf(NOTHING, book, nowMs),
        isDoubtful: null,
        live: () => announcedIn(feed, book.live(feed).filter(isShown)),
        save: () => undefined,
      };
    },
    /** Settles doubts by the catalog's answers about single offers, by id; null for an offer that no longer exists. */
    async asked(answers: ReadonlyMap<string, AskedOffer | null>, nowMs: number): Promise<DetectionResult> {
      const keys = { products: [], prices: keysOfAsked(answers, book) };
      const found = changesOfAsking(await knownBefore(keys, () => false, nowMs, parts), answers, nowMs);
      return {
        ...resultOf(found, book, nowMs),
        isDoubtful: null,
        live: () => [],
        save: (changes) => save(changes, found, { by: 'asked', nowMs }, parts),
      };
    },
    /** Detects changes that need no answer, such as an end that has passed. */
    byNow(nowMs: number): DetectionResult {
      const found = changesOfTime(book.all(), nowMs);
      return {
        ...resultOf(found, book, nowMs),
        isDoubtful: null,
        live: () => [],
        save: (changes) => save(changes, found, { by: null, nowMs }, parts),
      };
    },
    /** Forgets offers that ended long ago and are in no feed. Is never run at the same time as an ingest. */
    async sweep(nowMs: number): Promise<void> {
      const ids = forgettable(book, feedsReadSince(store, nowMs - LONGEST_HOLD_MS), nowMs);
      for (let start = 0; start < ids.length; start += FORGOTTEN_AT_A_TIME) {
        await forget(ids.slice(start, start + FORGOTTEN_AT_A_TIME), nowMs, parts);
      }
    },
  };
}

/** Adds the found changes to a commit. `by`: what they were found by; null for time alone, which settles no doubt. */
function save(
  changes: Changes,
  { records }: FoundChanges,
  { by, nowMs }: { by: 'answer' | 'asked' | null; nowMs: number },
  { store, book, doubtCounts }: OfferDetectorParts,
): void {
  const over = records.filter(
    (record) => record.overAtMs !== null && book.get(record.offer.id)?.overAtMs !== record.overAtMs,
  );
  for (const known of over) {
    for (const key of productKeys(known)) store.products.set(changes, key, pastListingOf(known, nowMs));
  }
  for (const known of records) store.offers.set(changes, known.offer.id, known);
  changes.afterwards(() => {
    if (by !== null) {
      for (const known of records) {
        const doubts = doubtsBetween(book.get(known.offer.id), known);
        doubtCounts.note(
          doubtsAs(doubts, ({ feed, field }) => ({ resource: resourceOfFeed(feed), field })),
          by,
        );
      }
    }
    book.put(records);
  });
}

/** The offers as announcements for a subscription that catches up. */
function announcedIn(feed: string, offers: readonly KnownOffer[]): Announcement[] {
  return offers.flatMap((known) => announcementsOf({ kind: 'entered', known, feeds: [feed] }));
}

/** The known state with which new statements about offers are compared. */
async function knownBefore(
  { products, prices }: KeysToRead,
  isOld: Before['isOld'],
  nowMs: number,
  parts: OfferDetectorParts,
): Promise<Before> {
  const { store, book } = parts;
  const current = feedsReadSince(store, nowMs - CURRENT_MS);
  const polled = polledByFeed(store);
  return {
    get: (id) => book.get(id),
    all: () => book.all(),
    listings: (product) => book.listings(product),
    past: await store.products.among(products),
    archived: await archivedPrices(prices, parts),
    items: parts.items(),
    polledAtMs: (read) => polled.get(read) ?? null,
    isOld,
    isCurrent: (other) => current.has(other),
  };
}

/**
 * Decides which offers of a feed's answer are not news: all of the feed's first answer, and those that could not be read
 * in it. Unreadable items without an id stand for the oldest offers that appear later and started before the last answer.
 */
function isOldIn(
  resource: `feed:${string}`,
  { offers, nameless }: { offers: readonly Offer[]; nameless: number },
  isFirstSight: boolean,
  { store, book }: OfferDetectorParts,
): Before['isOld'] {
  const { unread = [], namelessAtFirst, polledAtMs = 0 } = store.resources.get(resource) ?? {};
  const old = new Set(unread);
  const named = namedSince(namelessAtFirst, nameless);
  if (named > 0) {
    const feed = feedKey(feedName(resource));
    const startMs = ({ startDateMs }: Offer) => startDateMs ?? 0;
    const isCandidate = (offer: Offer) =>
      startMs(offer) <= polledAtMs && !old.has(offer.id) && !book.get(offer.id)?.feeds[feed];
    const candidates = offers.filter(isCandidate).toSorted((a, b) => startMs(a) - startMs(b));
    for (const { id } of candidates.slice(0, named)) old.add(id);
  }
  return (id) => isFirstSight || old.has(id);
}

/**
 * The products of the unknown offers, and the `priceKeys` of offers whose price, name or items are new, or that can be bought
 * again, maybe for the first time at their price.
 */
function keysToRead(offers: readonly Offer[], told: FeedSighting['told'], parts: OfferDetectorParts): KeysToRead {
  const { book } = parts;
  const items = parts.items();
  const products = new Set<string>();
  const prices = new Set<string>();
  for (const offer of offers) {
    const known = book.get(offer.id);
    const terms = told?.get(offer.id) ?? known?.terms;
    const found = { itemIds: items.get(offer.id) ?? [], ...known, offer, ...(terms && { terms }) };
    const isBack = known?.offer.isSoldOut && !offer.isSoldOut;
    if (known && !isBack && isSamePrice(offer.salePrice, known.offer.salePrice) && isFoundAs(found, known)) continue;
    if (!known) for (const key of productKeys(found)) products.add(key);
    // One odd title or condition is not believed: what is new otherwise is compared under the name before.
    for (const key of [...priceKeys(found), ...(known ? priceKeys(known) : [])]) prices.add(key);
  }
  return { products: [...products], prices: [...prices] };
}

/** The `priceKeys` of the asked offers, under their known names and under the titles of the answers. */
function keysOfAsked(answers: ReadonlyMap<string, AskedOffer | null>, book: WritableOfferBook): string[] {
  const keys = [...answers].flatMap(([id, asked]) => {
    const known = book.get(id);
    if (!known) return [];
    const terms = toldTerms(asked) ?? known.terms;
    const told = { ...known, ...(terms && { terms }) };
    const { condition } = known.offer;
    const ownKeys = asked ? priceKeys({ ...told, offer: { title: asked.detail.title, condition } }) : [];
    return [...priceKeys(told), ...ownKeys];
  });
  return [...new Set(keys)];
}

/** The keys to read from the store: products whose last sale is asked for, and `priceKeys`. */
interface KeysToRead {
  products: readonly string[];
  prices: readonly string[];
}

/** The feeds that were read since `ms`, by their names as `feedKey` makes them. */
function feedsReadSince({ resources }: Records, ms: number): Set<string> {
  const read = resources.keys().filter((key) => (resources.get(key)?.polledAtMs ?? 0) >= ms);
  return new Set(read.filter(isFeed).map((key) => feedKey(feedName(key))));
}

/** The ids of offers that ended long ago, or are beyond `MOST_OVER_KEPT`, and that none of the feeds contains. */
function forgettable(book: WritableOfferBook, feeds: ReadonlySet<string>, nowMs: number): string[] {
  const isHeld = (known: KnownOffer) => [...feeds].some((feed) => isInFeed(known, feed));
  return [...book.all()]
    .flatMap((known) => (known.overAtMs === null || isHeld(known) ? [] : [[known.overAtMs, known.offer.id] as const]))
    .sort(([a], [b]) => b - a)
    .filter(([overAtMs], place) => overAtMs < nowMs - OVER_KEPT_MS || place >= MOST_OVER_KEPT)
    .map(([, id]) => id);
}

/** The observed prices of these listings up to when each was last seen (now where unknown), by their `priceKeys`. */
function pricesByKey(listings: readonly KnownOffer[], store: Records, nowMs: number): Map<string, PriceRun[]> {
  const polledMs = polledByFeed(store);
  const byKey = new Map<string, PriceRun[]>();
  for (const known of listings) {
    const seenMs = lastSeenMs(known, (feed) => polledMs.get(feed) ?? null) ?? nowMs;
    for (const key of priceKeys(known)) byKey.set(key, [...(byKey.get(key) ?? []), ...runsUnder(key, known, seenMs)]);
  }
  return byKey;
}

/** When each feed was last read, by its name as `feedKey` makes it. */
function polledByFeed({ resources }: Records): Map<string, number | null> {
  const feeds = resources.keys().filter(isFeed);
  return new Map(feeds.map((key) => [feedKey(feedName(key)), resources.get(key)?.polledAtMs ?? null]));
}

/** Forgets offers, and archives their observed prices. A failure is logged, and the offers stay. */
async function forget(ids: readonly string[], nowMs: number, { store, book, log }: OfferDetectorParts): Promise<void> {
  const forgotten = ids.flatMap((id) => book.get(id) ?? []);
  try {
    await store.transact(async (changes) => {
      await store.prices.add(changes, pricesByKey(forgotten, store, nowMs));
      for (const id of ids) store.offers.delete(changes, id);
      changes.afterwards(() => book.remove(ids));
    });
  } catch (error) {
    log.error({ err: error }, 'observed prices could not be archived');
  }
}

/**
 * Forgets prices that were last observed two years ago. Reading all of them takes seconds, so it is done on Sundays, and
 * may run at the same time as an ingest, which only reads them.
 */
export async function sweepPrices(prices: Store['prices'], nowMs: number): Promise<void> {
  if (new Date(nowMs).getUTCDay() === SUNDAY) await prices.sweep(nowMs);
}

/** The archived prices under these keys. Where they can't be read, the offers are announced without them. */
async function archivedPrices(
  keys: readonly string[],
  { store, log }: OfferDetectorParts,
): Promise<Before['archived']> {
  try {
    return await store.prices.among(keys);
  } catch (error) {
    log.error({ err: error }, 'observed prices could not be read');
    return null;
  }
}

function resultOf(
  { changes, records }: FoundChanges,
  book: WritableOfferBook,
  nowMs: number,
): Omit<DetectionResult, 'live' | 'isDoubtful' | 'save'> {
  const isNews = ({ kind }: OfferChange) => kind === 'appeared' || kind === 'entered';
  return {
    news: changes.flatMap((change): News[] => {
      const [first, ...others] = announcementsOf(change).filter((announcement) => isLive(announcement, nowMs));
      const { undecided, decided, known } = change;
      return first
        ? [
            {
              announcements: [first, ...others],
              resources: change.feeds.map(resourceOfFeed),
              ...(undecided ? { undecided } : {}),
              ...(decided
                ? { decided, sinceMs: change.kind === 'appeared' ? known.firstSeenMs : known.prices.at(-1)?.atMs }
                : {}),
            },
          ]
        : [];
    }),
    offers: records,
    updates: updatesOf(changes, unknownIn(book, records)),
    startedAtMs: changes.filter(isNews).map(({ known }) => known.offer.startDateMs),
  };
}

const resourceOfFeed = (feed: string): ResourceKey => `feed:${feed}`;

/**
 * The records of offers that the book lacks. They may have posts already: a state that was restored keeps the posts that
 * were made after the backup.
 */
function unknownIn(book: WritableOfferBook, records: readonly KnownOffer[]): KnownOffer[] {
  return records.filter(({ offer }) => book.get(offer.id) === undefined);
}

/** One update for each offer that looks different now, and for each that was not known before. */
function updatesOf(changes: readonly OfferChange[], unknown: readonly KnownOffer[]): EntityUpdate[] {
  const shown = changes.filter(({ kind }) => kind !== 'appeared' && kind !== 'entered' && kind !== 'ending-soon');
  const changed = [...unknown, ...shown.map(({ known }) => known)];
  const records = new Map(changed.map((known) => [known.offer.id, known]));
  return [...records].map(([id, known]) => ({
    key: `offer:${id}`,
    item: shownOffer(known),
  }));
}
