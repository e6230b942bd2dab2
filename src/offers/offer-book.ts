import { type FeedOrder, inOrder } from '../deals/feed-order.ts';
import { feedKey, isInFeed, type KnownOffer, priceKeys, shownOffer } from '../deals/known-offer.ts';
import type { Offer } from '../deals/offer.ts';

/** The offers that are live or ended recently, all in memory. */
export interface OfferBook {
  get(id: string): KnownOffer | undefined;
  all(): IterableIterator<KnownOffer>;
  readonly size: number;
  /**
   * The offers that can be bought, as far as is known; of one feed, or of all. An offer's end may have passed since:
   * see `isGone`.
   */
  live(feed?: string): readonly KnownOffer[];
  /**
   * A feed's live offers as they are displayed. The same list is returned until the book changes, so that paging is
   * stable.
   */
  listed(feed: string, order: FeedOrder): readonly Offer[];
  /** The last good answer of a feed, as far as it is stored; null where the feed was never read. */
  feedState(feed: string): FeedState | null;
  /** The offer that a link leads to, found by its path; null where none is known. */
  findByLink(link: string): KnownOffer | null;
  /** Every listing under one of their `priceKeys`, live or recently ended. */
  listings(key: string): readonly KnownOffer[];
  /** Calls the listener for every later change, synchronously and in order. The returned function unsubscribes. */
  onChange(listener: (change: BookChange) => void): () => void;
}

export interface FeedState {
  /** When the answer was fetched: epoch milliseconds. */
  polledAtMs: number;
  /** Whether the catalog truncated it: then only a part of the feed is known. */
  isCutOff: boolean;
  /** The display name of the category. */
  marketingName: string | null;
  /** The number of known live offers of the feed. */
  count: number;
}

export interface BookChange {
  /** New or changed records: each replaces the one with its id. */
  put: readonly KnownOffer[];
  /** The ids that were removed. */
  removed: readonly string[];
}

/** The writable side of the book, for the owner of the records only; it writes once they are stored. */
export interface WritableOfferBook extends OfferBook {
  put(records: readonly KnownOffer[]): void;
  remove(ids: readonly string[]): void;
}

/**
 * @param records the stored records
 * @param lastAnswer the stored facts of a feed's last good answer
 */
export function createOfferBook(
  records: Iterable<KnownOffer>,
  lastAnswer: (feed: string) => Omit<FeedState, 'count'> | undefined,
): WritableOfferBook {
  const offers = new Map<string, KnownOffer>();
  const listeners = new Set<(change: BookChange) => void>();
  /** Built on demand and cached until the book changes, because filtering thousands of offers takes time. */
  const lives = new Map<string | null, readonly KnownOffer[]>();
  const lists = new Map<string, readonly Offer[]>();
  /** Also built on demand, which takes some ten milliseconds for 12,400 offers. */
  let byPath: ReadonlyMap<string | null, readonly KnownOffer[]> | null = null;
  const products = new ProductIndex();

  /** Puts the record at the end, so that the latest one is last. */
  function file(record: KnownOffer): void {
    drop(record.offer.id);
    offers.set(record.offer.id, record);
    products.add(record);
  }

  function drop(id: string): void {
    products.remove(offers.get(id));
    offers.delete(id);
  }

  function emit(change: BookChange): void {
    lives.clear();
    lists.clear();
    byPath = null;
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
    listed: (feed, order) => kept(lists, `${order} ${feedKey(feed)}`, () => inOrder(live(feed).map(shownOffer), order)),
    feedState(feed) {
      const answer = lastAnswer(feed);
      return answer ? { ...answer, count: live(feed).length } : null;
    },
    findByLink(link) {
      byPath ??= grouped(offers.values(), ({ offer }) => [pathOf(offer.url)]);
      const path = pathOf(link);
      return (path === null ? null : byPath.get(path)?.at(-1)) ?? null;
    },
    listings: (key) => products.listings(key, () => offers.values()),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    put(changed) {
      for (const record of changed) file(record);
      emit({ put: changed, removed: [] });
    },
    remove(ids) {
      for (const id of ids) drop(id);
      emit({ put: [], removed: ids });
    },
  };
}

/**
 * The listings of each product and item. Built when it is asked for first, which takes some ten milliseconds, and kept up to date
 * from then on: each price that changes asks for its product's listings.
 */
class ProductIndex {
  #byKey: Map<string, KnownOffer[]> | null = null;

  listings(key: string, all: () => Iterable<KnownOffer>): readonly KnownOffer[] {
    this.#byKey ??= grouped(all(), priceKeys);
    return this.#byKey.get(key) ?? [];
  }

  add(record: KnownOffer): void {
    if (!this.#byKey) return;
    for (const key of priceKeys(record)) addTo(this.#byKey, key, record);
  }

  remove(record: KnownOffer | undefined): void {
    if (!this.#byKey || !record) return;
    for (const key of priceKeys(record)) {
      const others = this.#byKey.get(key)?.filter((other) => other !== record) ?? [];
      if (others.length > 0) this.#byKey.set(key, others);
      else this.#byKey.delete(key);
    }
  }
}

function grouped<K, V>(values: Iterable<V>, keysOf: (value: V) => readonly K[]): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) for (const key of keysOf(value)) addTo(groups, key, value);
  return groups;
}

function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}

/** The cached value of a key, made now where there is none. */
function kept<K, V>(values: Map<K, V>, key: K, make: () => V): V {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

/**
 * The lookbehind makes the search start once per run of slashes: without it, a long run inside the text takes quadratic
 * time.
 */
const TRAILING_SLASHES = /(?<!\/)\/+$/;

/**
 * The part of a link that identifies an offer. Sites share their offers, so the host is ignored; so are a trailing
 * slash, the query and the case.
 */
function pathOf(link: string | null): string | null {
  if (link === null || !URL.canParse(link)) return null;
  const path = new URL(link).pathname.replace(TRAILING_SLASHES, '').toLowerCase();
  return path === '' ? null : path;
}
