import type { Unreadable } from '../../catalog/catalog.ts';
import type { EntityUpdate } from '../../deals/announcement.ts';
import { type Before, type Changes, changesOfFeed, changesOfTime, type OfferChange } from '../../deals/change.ts';
import {
  feedKey,
  formerProductKey,
  isGone,
  isInFeed,
  type KnownOffer,
  pastListingOf,
  productKey,
  shownOffer,
} from '../../deals/known-offer.ts';
import type { Feed, Offer } from '../../deals/offer.ts';
import { feedName, isFeed } from '../../deals/resource.ts';
import type { ResourceKey } from '../../deals/subscription.ts';
import type { WritableOfferBook } from '../../offers/offer-book.ts';
import type { Store } from '../../store/store.ts';
import { announcementsOf, isLive } from '../kinds/index.ts';
import type { News } from '../match/match.ts';
import type { DetectionResult } from './detection-result.ts';

/** A feed that was last read longer ago than this may no longer contain the offers recorded for it. */
const CURRENT_MS = 24 * 3_600_000;
/** How long an ended offer is remembered, for correcting its posts and for the seven-day preview. */
const OVER_KEPT_MS = 8 * 24 * 3_600_000;
/**
 * The most ended offers that are remembered, the last to end first; more would fill the memory where offers change
 * quickly. About 60 MB.
 */
const MOST_OVER_KEPT = 20_000;
/** A feed that was last read longer ago than this no longer keeps its offers from being forgotten. */
const LONGEST_HOLD_MS = 7 * 24 * 3_600_000;
/** How long the last listing of a product is remembered. */
const PRODUCTS_MS = 180 * 24 * 3_600_000;

export interface OfferDetectorParts {
  store: Pick<Store, 'resources' | 'known' | 'offers' | 'products'>;
  book: WritableOfferBook;
}

export type OfferDetector = ReturnType<typeof createOfferDetector>;

/** Detects changes to offers. Its operations run one at a time, because the feeds share the offer book. */
export function createOfferDetector({ store, book }: OfferDetectorParts) {
  const digested = new WeakSet<Feed>();

  async function commit({ records }: Changes, nowMs: number): Promise<void> {
    const over = records.filter(
      (record) => record.overAtMs !== null && book.get(record.offer.id)?.overAtMs !== record.overAtMs,
    );
    // Products are stored before the offers: an ended offer is not processed again.
    await store.products.save(new Map(over.map((known) => [productKey(known.offer), pastListingOf(known, nowMs)])));
    await store.offers.save(records);
    book.put(records);
  }

  return {
    /** Compares an answer of a feed with the known offers. `isFirstSight`: the feed's new offers are not news. */
    async inFeed(
      resource: `feed:${string}`,
      { value: answer, unreadable }: { value: Feed; unreadable?: Unreadable | undefined },
      isFirstSight: boolean,
      nowMs: number,
    ): Promise<DetectionResult> {
      const feed = feedKey(feedName(resource));
      // The same answer may arrive twice. The second time, it may be older than what another feed has shown since.
      const isKnown = digested.has(answer);
      const found: Changes = isKnown
        ? { changes: [], records: [], isDoubtful: false }
        : changesOfFeed(await knownBefore(resource, answer, isFirstSight, nowMs, { store, book }), {
            feed,
            offers: answer.offers,
            unreadable: new Set(unreadable?.ids),
            isCutOff: answer.isCutOff,
            nowMs,
          });
      return {
        ...resultOf(found, nowMs),
        isDoubtful: isKnown ? null : found.isDoubtful,
        ...(isFirstSight ? { startedAtMs: answer.offers.map(({ startDateMs }) => startDateMs) } : {}),
        live() {
          const changed = new Map(found.records.map((record) => [record.offer.id, record]));
          return answer.offers.flatMap(({ id }) => {
            const known = changed.get(id) ?? book.get(id);
            return known && !isGone(known, nowMs) ? announcementsOf({ kind: 'entered', known, feeds: [feed] }) : [];
          });
        },
        async commit() {
          await commit(found, nowMs);
          digested.add(answer);
        },
      };
    },
    /** Detects changes that need no answer, such as an end that has passed. */
    byNow(nowMs: number): DetectionResult {
      const found = changesOfTime(book.all(), nowMs);
      return { ...resultOf(found, nowMs), isDoubtful: null, live: () => [], commit: () => commit(found, nowMs) };
    },
    /** Forgets offers that ended long ago and are in no feed. Is never run at the same time as an ingest. */
    async sweep(nowMs: number): Promise<void> {
      const ids = forgettable(book, feedsReadSince(store, nowMs - LONGEST_HOLD_MS), nowMs);
      await store.offers.remove(ids);
      book.remove(ids);
      await store.products.sweep(nowMs - PRODUCTS_MS);
    },
  };
}

/** The known state that an answer of a feed is compared with. */
async function knownBefore(
  resource: ResourceKey,
  { offers }: Feed,
  isFirstSight: boolean,
  nowMs: number,
  { store, book }: OfferDetectorParts,
): Promise<Before> {
  const unknown = offers.filter(({ id }) => book.get(id) === undefined);
  // Offers recorded by an old version, which kept known subjects per feed: after an update they are not news.
  const oldSubjects: ReadonlyMap<string, unknown> =
    store.resources.get(resource)?.version === 1
      ? await store.known.among(
          resource,
          unknown.map(({ id }) => id),
        )
      : new Map();
  const current = feedsReadSince(store, nowMs - CURRENT_MS);
  return {
    get: (id) => book.get(id),
    all: () => book.all(),
    listings: (product) => book.listings(product),
    past: await store.products.among([...new Set(unknown.flatMap(storedKeys))]),
    isOld: (id) => isFirstSight || oldSubjects.has(id),
    isCurrent: (other) => current.has(other),
  };
}

/** The feeds that were read since `ms`, by their names as `feedKey` makes them. */
function feedsReadSince({ resources }: Pick<Store, 'resources'>, ms: number): Set<string> {
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

/** All keys under which the product may be stored, older forms included. */
function storedKeys(offer: Offer): string[] {
  return [productKey(offer), formerProductKey(offer)].filter((key) => key !== null);
}

function resultOf(
  { changes, records }: Changes,
  nowMs: number,
): Omit<DetectionResult, 'live' | 'isDoubtful' | 'commit'> {
  const isNews = ({ kind }: OfferChange) => kind === 'appeared' || kind === 'entered';
  return {
    news: changes.flatMap((change): News[] =>
      announcementsOf(change)
        .filter((announcement) => isLive(announcement, nowMs))
        .map((announcement) => ({ announcement, resources: change.feeds.map((feed): ResourceKey => `feed:${feed}`) })),
    ),
    offers: records,
    updates: updatesOf(changes),
    startedAtMs: changes.filter(isNews).map(({ known }) => known.offer.startDateMs),
  };
}

/** One update for each offer that looks different now. An offer that appears for the first time has no posts yet. */
function updatesOf(changes: readonly OfferChange[]): EntityUpdate[] {
  const shown = changes.filter(({ kind }) => kind !== 'appeared' && kind !== 'entered' && kind !== 'ending-soon');
  const records = new Map(shown.map(({ known }) => [known.offer.id, known]));
  return [...records].map(([id, known]) => ({
    key: `offer:${id}`,
    item: shownOffer(known),
  }));
}
