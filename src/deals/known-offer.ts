import type { PastListing } from './announcement.ts';
import type { Dissents } from './belief.ts';
import { hasEnded } from './life.ts';
import type { ObservedPrices } from './observed-prices.ts';
import type { Offer, OfferTerms } from './offer.ts';
import type { PriceRange } from './price.ts';
import { type Gap, isRealPrice, mergeRuns, type PriceRun, runFrom, withoutGaps } from './price-runs.ts';

/** The period in which one feed listed an offer. */
export interface FeedPresence {
  firstSeenMs: number;
  /** Since when responses lack the offer, truncated ones included, which prove nothing; null while the feed shows it. */
  unseenSinceMs: number | null;
  /**
   * When a complete response first lacked the offer, which a second one has to confirm; absent where the last one
   * contained it.
   */
  missedAtMs?: number;
  /** When a second complete response lacked the offer; null while the feed counts as listing it. */
  goneSinceMs: number | null;
  /** When a feed that counts as having dropped the offer first showed it again, which a second answer has to confirm. */
  backSinceMs?: number;
  /** In how many answers in a row an item without an identity may have been the offer. */
  hiddenTimes?: number;
  /** True where the feed's first poll contained the offer, so that it is not news there. */
  isOld: boolean;
}

/** An offer's price from a moment on. */
export interface PriceAt {
  atMs: number;
  salePrice: PriceRange | null;
  /** The product's prices observed before; absent where none were observed or recorded. */
  observed?: ObservedPrices;
  /** One answer alone has shown it, so far or ever: no claim is made with it. */
  isSeenOnce?: true;
  /** The drop to this price; absent where the price did not drop. */
  drop?: PriceDrop;
}

/** Epoch milliseconds, US dollars. */
export interface PriceDrop {
  /** When the offer first fell to the price; a price that comes and goes is one story. */
  storyMs: number;
  /**
   * The number of earlier stories about that price. It identifies the drop, which a moment can't, because a restored state
   * finds the same drop later.
   */
  times: number;
  /** The price from which it fell. */
  before: PriceRange;
  /** How long the offer had cost that: milliseconds. */
  beforeForMs: number;
}

/** Whether an offer could be bought, from a moment on. */
export interface StockAt {
  atMs: number;
  isSoldOut: boolean;
  /** One answer alone has shown it, so far or ever: nothing is known of that time. */
  isSeenOnce?: true;
  /** Of a restock that is news: when the offer sold out first; stock that comes and goes is one story. Epoch milliseconds. */
  storyMs?: number;
}

/** The state of a new offer of which fields that filters ask about are not known yet, or that could not be bought at first. */
export interface Arrival {
  /** The number of answers that have shown the offer. */
  answers: number;
  /** The fields that are not known. */
  undecided: readonly string[];
  /** Whether it could not be bought when it was first seen. */
  wasOver: boolean;
}

/** How an offer was observed before the first of the moments that its record keeps one by one. */
export interface EarlierRuns {
  /** The moment at which the record's own prices, stock and gaps begin: epoch milliseconds. */
  untilMs: number;
  /** As `compacted` leaves them. */
  runs: readonly PriceRun[];
}

/** The bot's record of an offer over all feeds that list it. Immutable: a change makes a new record. */
export interface KnownOffer {
  /** As it is believed to be. */
  offer: Offer;
  /** What feeds say that is not believed, by feed; absent where they agree. */
  dissents?: Dissents;
  /** The fields whose believed value one answer alone has shown; absent where there are none. */
  seenOnce?: readonly (keyof Offer)[];
  /** Absent once it is decided. */
  arrival?: Arrival;
  firstSeenMs: number;
  /**
   * When the offer last came back after it was over, or last changed in a field without history, such as its end or title,
   * so that earlier decisions can't be explained by the record: epoch milliseconds; absent for never.
   */
  restatedAtMs?: number;
  /** By the feed's name in lower case. */
  feeds: Readonly<Record<string, FeedPresence>>;
  /** Price history, oldest first; the last entry is the current price. Never empty. */
  prices: readonly PriceAt[];
  /** Since when it has been sold out; null while it can be bought. */
  soldOutAtMs: number | null;
  /** Stock history, oldest first; absent where the offer was never sold out. */
  stock?: readonly StockAt[];
  /** The periods in which no feed was seen to show the offer although none had dropped it, oldest first; absent for none. */
  gaps?: readonly Gap[];
  /** The observations from before `prices`, `stock` and `gaps` begin; absent where those go back to the first sight. */
  earlier?: EarlierRuns;
  /** As it told when it was asked itself; absent where it never was. */
  terms?: OfferTerms;
  /** The ids of its items, as an event showed them first; absent where none did. */
  itemIds?: readonly string[];
  /** The end date for which "ending soon" was announced; null before. Epoch milliseconds. */
  endingSoonToldMs: number | null;
  /** The product's previous listing under another id; null where there is none. */
  before: PastListing | null;
  /** When the offer was found to be over (sold out, ended, or gone from every feed); null while it is live. */
  overAtMs: number | null;
}

/** A feed's key in `KnownOffer.feeds`: the catalog matches names without regard to case. */
export function feedKey(feed: string): string {
  return feed.toLowerCase();
}

/** Whether the feed counts as listing the offer. */
export function isInFeed({ feeds }: KnownOffer, key: string): boolean {
  return feeds[key]?.goneSinceMs === null;
}

/** Whether the offer can no longer be bought: recorded as over, or its end has passed since. */
export function isGone({ overAtMs, offer }: KnownOffer, nowMs: number): boolean {
  return overAtMs !== null || hasEnded(offer, nowMs);
}

/** Whether the offer counts as over only because no feed shows it any more. */
export function isMissing({ overAtMs, offer }: KnownOffer, nowMs: number): boolean {
  return overAtMs !== null && !offer.isSoldOut && !hasEnded(offer, nowMs);
}

/**
 * Whether an offer can't come back: its end has passed, two answers have shown that it is sold out, or it is forgotten
 * (undefined). One that is only missing can.
 */
export function isOverForGood(known: KnownOffer | undefined, nowMs: number): boolean {
  if (!known) return true;
  const { offer, seenOnce = [] } = known;
  return hasEnded(offer, nowMs) || (offer.isSoldOut && !seenOnce.includes('isSoldOut'));
}

/**
 * When the offer was last seen in a feed that still lists it: epoch milliseconds; null where none does.
 * @param polledAtMs when the feed, by its name in lower case, was last polled; null where that is not known
 */
export function lastSeenMs({ feeds }: KnownOffer, polledAtMs: (feed: string) => number | null): number | null {
  const seenMs = Object.entries(feeds)
    .filter(([, { goneSinceMs }]) => goneSinceMs === null)
    .map(([feed, { unseenSinceMs }]) => unseenSinceMs ?? polledAtMs(feed))
    .filter((atMs) => atMs !== null);
  return seenMs.length > 0 ? Math.max(...seenMs) : null;
}

/**
 * The offer as cards show it: with the time until it sold out, and one that is gone from every feed has ended, whatever
 * its end date says.
 */
export function shownOffer(known: KnownOffer): Offer {
  const { offer, overAtMs, terms } = known;
  if (offer.isSoldOut) return withSoldOutAfter(known);
  if (overAtMs !== null && !hasEnded(offer, overAtMs)) return { ...offer, endDateMs: overAtMs };
  return terms ? { ...offer, terms } : offer;
}

function withSoldOutAfter({ offer, firstSeenMs, soldOutAtMs, stock = [] }: KnownOffer): Offer {
  // An offer that was sold out at first sight sold out at an unknown time before.
  if (soldOutAtMs === null || soldOutAtMs <= firstSeenMs) return offer;
  const restockedAtMs = stock.findLast(({ isSoldOut }) => !isSoldOut)?.atMs;
  const startMs = Math.min(offer.startDateMs ?? firstSeenMs, firstSeenMs);
  return { ...offer, soldOutAfterMs: soldOutAtMs - (restockedAtMs ?? startMs) };
}

type ProductNames = Pick<Offer, 'title' | 'condition'>;

/**
 * Identifies a product across listings: a relisted product comes back under a new id with the same title. Case, spaces
 * and most punctuation are ignored; symbols count ("C++", "C#"). A title of punctuation alone is compared as it is.
 */
export function productKey(offer: ProductNames): string {
  const known = KEYS.get(offer);
  if (known !== undefined) return known;
  const name = wordsOf(offer.title) || folded(offer.title).trim();
  const key = `${name}|${wordsOf(offer.condition ?? '')}`;
  KEYS.set(offer, key);
  return key;
}

/** The keys of the offers that are in memory: each is asked for four times when its offer is new, and takes some µs. */
const KEYS = new WeakMap<ProductNames, string>();

/**
 * The keys of the product that an offer sells: its name and, once it has told that, its ASIN, which stays where a relisted
 * product has another title. A title that counts differently sells another amount of it: "2-pack", "64 GB".
 */
export function productKeys({ offer, terms }: Named): string[] {
  const key = productKey(offer);
  if (terms?.asin === undefined) return [key];
  const counts = folded(offer.title).match(COUNTS)?.toSorted() ?? [];
  return [key, `asin:${terms.asin}|${wordsOf(offer.condition ?? '')}|${counts.join(' ')}`];
}

/** The parts of an offer that identify its product and its items. */
export interface Named {
  offer: ProductNames;
  itemIds?: readonly string[] | undefined;
  terms?: OfferTerms | undefined;
}

/** The numbers in a title, and the catalog's words for several. */
const COUNTS = /\d+(?:\.\d+)?|\b(?:pair|twin|double|triple|two|three|four|five|six|ten|dozen|set|bundle|lot|kit)s?\b/g;

/** The most items of an offer that identify it; an offer in all sizes and colours has dozens. */
const MOST_ITEMS = 20;

/**
 * The names under which an offer's observed prices are found: its product, and each of its items where they are known. An
 * item keeps its id where the catalog renames, splits or merges products.
 */
export function priceKeys(named: Named): string[] {
  return [...productKeys(named), ...(named.itemIds ?? []).slice(0, MOST_ITEMS).map((id) => `item:${id}`)];
}

/** Trademark signs and emoji variation selectors come and go between polls; `|` separates title and condition. */
const NO_PART_OF_NAMES = /(?:[^\p{L}\p{M}\p{N}\p{S}#%&]|[®©|]|\uFE0E|\uFE0F)+/gu;

const folded = (text: string) => text.normalize('NFKC').toLowerCase();
const wordsOf = (text: string) => folded(text).replace(NO_PART_OF_NAMES, ' ').trim();

/**
 * The record of this sale, for a later listing of the same product: at the last price that two answers have shown, and at
 * which it could be bought. It ended when it was found to be over, or was last seen before that if nobody had looked since.
 */
export function pastListingOf(known: KnownOffer, nowMs: number): PastListing {
  const { offer, prices, soldOutAtMs, overAtMs, gaps } = known;
  const soldUntilMs = soldOutAtMs ?? Infinity;
  const { salePrice } = prices.findLast(({ atMs, isSeenOnce }) => !isSeenOnce && atMs < soldUntilMs) ?? offer;
  const endMs = overAtMs ?? nowMs;
  const gap = gaps?.at(-1);
  const wasUnseen = gap !== undefined && gap.untilMs >= observedUntilMs(known, endMs);
  return { offerId: offer.id, salePrice, endedAtMs: wasUnseen ? Math.min(gap.fromMs, endMs) : endMs };
}

/**
 * The prices at which one listing was observed, oldest first, without gaps, periods without a price, and periods that only
 * one answer has shown.
 * @param nowMs up to when a listing that feeds still show was observed
 */
export function runsOfListing(known: KnownOffer, nowMs: number): PriceRun[] {
  const { prices, stock = [], gaps = [], earlier } = known;
  const endMs = observedUntilMs(known, nowMs);
  const changes = [...new Set([...prices, ...stock].map(({ atMs }) => atMs))].sort((a, b) => a - b);
  const runs = changes.flatMap((fromMs, index): PriceRun[] => {
    const untilMs = Math.min(changes[index + 1] ?? endMs, endMs);
    if (untilMs < fromMs) return [];
    const inStock = stock.findLast(({ atMs }) => atMs <= fromMs);
    if (inStock?.isSeenOnce) return [];
    if (inStock?.isSoldOut) return [{ fromMs, untilMs, price: null }];
    const price = prices.findLast(({ atMs }) => atMs <= fromMs);
    if (!price || price.isSeenOnce || !isRealPrice(price.salePrice)) return [];
    return [{ fromMs, untilMs, price: price.salePrice }];
  });
  const seen = runs.flatMap((run) => withoutGaps(run, gaps));
  return mergeRuns(earlier ? [...earlier.runs, ...seen.flatMap((run) => runFrom(run, earlier.untilMs))] : seen);
}

/**
 * The runs of a listing that count under one of its `priceKeys`. Under an item those count in which all items cost the
 * same, or were sold out: which item of a range cost how much was not observed.
 */
export function runsUnder(key: string, known: KnownOffer, nowMs: number): PriceRun[] {
  const runs = runsOfListing(known, nowMs);
  if (productKeys(known).includes(key)) return runs;
  return runs.filter(({ price }) => price === null || price.minimum === price.maximum);
}

/** The last moment at which a feed showed the offer before its end. */
function observedUntilMs(known: KnownOffer, nowMs: number): number {
  const { feeds, offer, overAtMs } = known;
  const shownMs = Object.entries(feeds).map(([feed, { unseenSinceMs, goneSinceMs }]) =>
    isInFeed(known, feed) ? (unseenSinceMs ?? nowMs) : (unseenSinceMs ?? goneSinceMs ?? nowMs),
  );
  // A sold-out offer stays in its feeds for a while, and can come back there.
  const overMs = offer.isSoldOut ? Infinity : (overAtMs ?? Infinity);
  return Math.min(shownMs.length > 0 ? Math.max(...shownMs) : nowMs, overMs, offer.endDateMs ?? Infinity, nowMs);
}

/**
 * When the sold-out period that includes `atMs` began; null where the offer could be bought at `atMs`. Epoch
 * milliseconds.
 */
export function soldOutSince({ stock = [] }: Pick<KnownOffer, 'stock'>, atMs: number): number | null {
  const last = stock.findLast((since) => since.atMs <= atMs);
  return last?.isSoldOut ? last.atMs : null;
}
