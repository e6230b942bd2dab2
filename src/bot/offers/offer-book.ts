import { type FeedOrder, inOrder } from '../deals/feed-order.ts';
import { feedKey, isInFeed, type KnownOffer, productKey } from '../deals/known-offer.ts';
import type { Offer } from '../deals/offer.ts';

/** What is known of the offers that are live or were lately, all of it in memory. */
export interface OfferBook {
  get(id: string): KnownOffer | undefined;
  all(): IterableIterator<KnownOffer>;
  readonly size: number;
  /** What can be bought, by what is known; of one feed, or of all. Its end may have passed since: see `isGone`. */
  live(feed?: string): readonly KnownOffer[];
  /** The live offers of a feed as they are shown: whoever turns the pages of a list gets the same one again. */
  listed(feed: string, order: FeedOrder): readonly Offer[];
  /** The last good answer of a feed, as far as it is remembered; null where the feed has never been read. */
  feedState(feed: string): FeedState | null;
  /** The offer that a link leads to, compared by its path; null where none is known. */
  findByLink(link: string): KnownOffer | null;
  /** Every listing of a product, live or lately over; `product` as `productKey` makes it. */
  listings(product: string): readonly KnownOffer[];
  /** Tells of every change from here on, at once and in order. Returns how to hear no more. */
  onChange(listener: (change: BookChange) => void): () => void;
}

export interface FeedState {
  /** When the answer was fetched: epoch milliseconds. */
  polledAtMs: number;
  /** Whether the catalog cut it off: then not all that the feed holds is known. */
  isCutOff: boolean;
  /** The display name of the category. */
  marketingName: string | null;
  /** How many live offers of the feed are known. */
  count: number;
}

export interface BookChange {
  /** New or changed: each replaces what was known under its id. */
  put: readonly KnownOffer[];
  /** Ids that are known no more. */
  removed: readonly string[];
}

/** The side of the book that only the one who keeps the records writes to, once they are stored. */
export interface WritableOfferBook extends OfferBook {
  put(records: readonly KnownOffer[]): void;
  remove(ids: readonly string[]): void;
}

/**
 * @param records what is stored
 * @param lastAnswer what is remembered of a feed's last good answer
 */
export function createOfferBook(
  records: Iterable<KnownOffer>,
  lastAnswer: (feed: string) => Omit<FeedState, 'count'> | undefined,
): WritableOfferBook {
  const offers = new Map<string, KnownOffer>();
  const listeners = new Set<(change: BookChange) => void>();
  /** Made when they are asked for and kept until the book changes: going through thousands of offers takes its time. */
  const lives = new Map<string | null, readonly KnownOffer[]>();
  const lists = new Map<string, readonly Offer[]>();
  /** The same: both together would take as much memory as the offers, and going through 12,400 takes some ten milliseconds. */
  let byPath: ReadonlyMap<string | null, readonly KnownOffer[]> | null = null;
  let byProduct: ReadonlyMap<string, readonly KnownOffer[]> | null = null;

  /** The latest last. */
  function file(record: KnownOffer): void {
    offers.delete(record.offer.id);
    offers.set(record.offer.id, record);
  }

  function emit(change: BookChange): void {
    lives.clear();
    lists.clear();
    byPath = null;
    byProduct = null;
    for (const listener of listeners) listener(change);
  }

  function live(feed?: string): readonly KnownOffer[] {
    const key = feed === undefined ? null : feedKey(feed);
    return kept(lives, key, () =>
      [...offers.values()].filter((record) => record.overAtMs === null && (key === null || isInFeed(record, key))),
    );
  }

  for (const record of records) file(record);

  return {
    get: (id) => offers.get(id),
    all: () => offers.values(),
    get size() {
      return offers.size;
    },
    live,
    listed: (feed, order) =>
      kept(lists, `${order} ${feedKey(feed)}`, () =>
        inOrder(
          live(feed).map(({ offer }) => offer),
          order,
        ),
      ),
    feedState(feed) {
      const answer = lastAnswer(feed);
      return answer ? { ...answer, count: live(feed).length } : null;
    },
    findByLink(link) {
      byPath ??= grouped(offers.values(), ({ offer }) => pathOf(offer.url));
      const path = pathOf(link);
      return (path === null ? null : byPath.get(path)?.at(-1)) ?? null;
    },
    listings(product) {
      byProduct ??= grouped(offers.values(), ({ offer }) => productKey(offer));
      return byProduct.get(product) ?? [];
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    put(changed) {
      for (const record of changed) file(record);
      emit({ put: changed, removed: [] });
    },
    remove(ids) {
      for (const id of ids) offers.delete(id);
      emit({ put: [], removed: ids });
    },
  };
}

function grouped<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** What is kept under the key, made now where nothing is. */
function kept<K, V>(values: Map<K, V>, key: K, make: () => V): V {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

/** Looked for once in a run of slashes: without the look behind, a long run elsewhere takes the square of its length. */
const TRAILING_SLASHES = /(?<!\/)\/+$/;

/** Sites share their offers, so the host does not count; nor do a trailing slash, the query and the case. */
function pathOf(link: string | null): string | null {
  if (link === null || !URL.canParse(link)) return null;
  const path = new URL(link).pathname.replace(TRAILING_SLASHES, '').toLowerCase();
  return path === '' ? null : path;
}
