import { feedKey, type KnownOffer } from '../deals/known-offer.ts';
import { wordsOf } from './search.ts';

/** A feed that a search could read. */
export interface ReadableFeed {
  feed: string;
  /** The display name of the category; null where the feed was never read. */
  marketingName: string | null;
  /** When it was last read: epoch milliseconds; null where that never happened. */
  polledAtMs: number | null;
}

/** The results that tell in which feeds more of their kind are; more would only cost time. */
const MOST_RESULTS = 50;
/** Shorter words begin too many others. */
const SHORTEST_BEGINNING = 3;

/**
 * The feeds in the order in which a search should read them: those that the words name, then those that hold what was
 * found so far or have its category, then those that were never read, then the oldest.
 * @param found the known results, best match first
 */
export function readingOrder(
  feeds: readonly ReadableFeed[],
  words: string,
  found: readonly KnownOffer[],
): ReadableFeed[] {
  const asked = wordsOf(words);
  const results = found.slice(0, MOST_RESULTS);
  const ranked = feeds.map((feed) => ({
    feed,
    named: isNamed(feed, asked) ? 1 : 0,
    holds: results.filter((record) => isAkin(record, feedKey(feed.feed))).length,
  }));
  return ranked
    .toSorted((a, b) => b.named - a.named || b.holds - a.holds || (a.feed.polledAtMs ?? 0) - (b.feed.polledAtMs ?? 0))
    .map(({ feed }) => feed);
}

/** `laptop computer` names Computers. */
function isNamed({ feed, marketingName }: ReadableFeed, asked: readonly string[]): boolean {
  return wordsOf(`${feed} ${marketingName ?? ''}`).some((name) => asked.some((word) => areAlike(word, name)));
}

function areAlike(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter.length >= SHORTEST_BEGINNING && longer.startsWith(shorter);
}

/** Whether the offer was ever in the feed, or is of the category of that name. */
function isAkin({ feeds, offer }: KnownOffer, key: string): boolean {
  return key in feeds || offer.categories.some((category) => feedKey(category.split('/')[0] ?? '') === key);
}
