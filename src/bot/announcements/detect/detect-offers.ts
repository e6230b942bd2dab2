import type { Unreadable } from '../../catalog/catalog.ts';
import type { ThingUpdate } from '../../deals/announcement.ts';
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

/** What a feed that has not been read for so long is said to hold need not be there any more. */
const CURRENT_MS = 24 * 3_600_000;
/** What is over is remembered for so long, so that posts can be corrected and a week be looked back on. */
const OVER_KEPT_MS = 8 * 24 * 3_600_000;
/** But no more of them than these, the last to end: a store that lives fast would fill the memory. About 60 MB. */
const MOST_OVER_KEPT = 20_000;
/** A feed that has not been read for so long holds nothing back from being forgotten. */
const LONGEST_HOLD_MS = 7 * 24 * 3_600_000;
/** How long a product is known to have been sold before. */
const PRODUCTS_MS = 180 * 24 * 3_600_000;

export interface OfferDetectorParts {
  store: Pick<Store, 'resources' | 'known' | 'offers' | 'products'>;
  book: WritableOfferBook;
}

export type OfferDetector = ReturnType<typeof createOfferDetector>;

/** Finds what happened to offers. What is done with it is done one at a time: the feeds share what is known. */
export function createOfferDetector({ store, book }: OfferDetectorParts) {
  const digested = new WeakSet<Feed>();

  async function commit({ records }: Changes, nowMs: number): Promise<void> {
    const over = records.filter(
      (record) => record.overAtMs !== null && book.get(record.offer.id)?.overAtMs !== record.overAtMs,
    );
    // Before the offers: what is over need not be looked at again.
    await store.products.save(new Map(over.map((known) => [productKey(known.offer), pastListingOf(known, nowMs)])));
    await store.offers.save(records);
    book.put(records);
  }

  return {
    /** Compares an answer of a feed with what is known. `isFirstSight`: what is new there is no news. */
    async inFeed(
      resource: `feed:${string}`,
      { value: answer, unreadable }: { value: Feed; unreadable?: Unreadable | undefined },
      isFirstSight: boolean,
      nowMs: number,
    ): Promise<DetectionResult> {
      const feed = feedKey(feedName(resource));
      // An answer may come twice. The second time it could be older than what another feed has told since.
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
    /** What time alone has done. */
    byNow(nowMs: number): DetectionResult {
      const found = changesOfTime(book.all(), nowMs);
      return { ...resultOf(found, nowMs), isDoubtful: null, live: () => [], commit: () => commit(found, nowMs) };
    },
    /** Forgets what has long been over and is in no feed any more. Called in turn with the looks. */
    async sweep(nowMs: number): Promise<void> {
      const ids = forgettable(book, feedsReadSince(store, nowMs - LONGEST_HOLD_MS), nowMs);
      await store.offers.remove(ids);
      book.remove(ids);
      await store.products.sweep(nowMs - PRODUCTS_MS);
    },
  };
}

/** What an answer of a feed is compared with. */
async function knownBefore(
  resource: ResourceKey,
  { offers }: Feed,
  isFirstSight: boolean,
  nowMs: number,
  { store, book }: OfferDetectorParts,
): Promise<Before> {
  const unknown = offers.filter(({ id }) => book.get(id) === undefined);
  // Those that were known in the feed when each resource had subjects of its own: after an update they are no news.
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

/** Their names as `feedKey` makes them. */
function feedsReadSince({ resources }: Pick<Store, 'resources'>, ms: number): Set<string> {
  const read = resources.keys().filter((key) => (resources.get(key)?.polledAtMs ?? 0) >= ms);
  return new Set(read.filter(isFeed).map((key) => feedKey(feedName(key))));
}

/** The ids of those that are over, long ago or beyond the most that are kept, and that none of the feeds holds. */
function forgettable(book: WritableOfferBook, feeds: ReadonlySet<string>, nowMs: number): string[] {
  const isHeld = (known: KnownOffer) => [...feeds].some((feed) => isInFeed(known, feed));
  return [...book.all()]
    .flatMap((known) => (known.overAtMs === null || isHeld(known) ? [] : [[known.overAtMs, known.offer.id] as const]))
    .sort(([a], [b]) => b - a)
    .filter(([overAtMs], place) => overAtMs < nowMs - OVER_KEPT_MS || place >= MOST_OVER_KEPT)
    .map(([, id]) => id);
}

/** Every key under which the product may be stored. */
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

/** One for each offer that looks different now. What appears for the first time is shown nowhere yet. */
function updatesOf(changes: readonly OfferChange[]): ThingUpdate[] {
  const shown = changes.filter(({ kind }) => kind !== 'appeared' && kind !== 'entered' && kind !== 'ending-soon');
  const records = new Map(shown.map(({ known }) => [known.offer.id, known]));
  return [...records].map(([id, known]) => ({
    thing: `offer:${id}`,
    item: shownOffer(known),
  }));
}
