import { HOUR_MS } from '../shared/time.ts';
import {
  type FeedPresence,
  type KnownOffer,
  type Named,
  type PriceAt,
  priceKeys,
  runsOfListing,
  runsUnder,
  type StockAt,
  soldOutSince,
} from './known-offer.ts';
import { observedBefore, weakened } from './observed-prices.ts';
import type { Offer, OfferTerms } from './offer.ts';
import { isPlausible } from './offer-belief.ts';
import { isSamePrice } from './price.ts';
import { compacted, type Gap, mergeRuns, type PriceRun, runUntil } from './price-runs.ts';
import { dropTo, storyOfRestock } from './stories.ts';

/** The most price changes, stock changes and gaps that an offer's record keeps one by one; `withinBounds` merges more. */
const MOST_PRICES = 50;
const MOST_STOCK = 20;
const MOST_GAPS = 20;
/** The most runs that tell of the time before. */
const MOST_EARLIER = 100;
/**
 * An offer's price is not known where the offer was not seen for longer than this, even if it is the same after. Feeds that
 * are followed are polled more often.
 */
export const LONGEST_UNSEEN_MS = 2 * HOUR_MS;

/** The sources of an offer's record besides its own listing. */
export interface RecordSources {
  /** All known listings under one of their `priceKeys`. */
  listings(key: string): readonly KnownOffer[];
  /**
   * The observed prices from listings that have been pruned, by their `priceKeys`. null where they can't be read: then
   * nothing is said of earlier prices.
   */
  archived: ReadonlyMap<string, readonly PriceRun[]> | null;
  /** The ids of the items of each offer that is in an event, by the offer's id. */
  items: ReadonlyMap<string, readonly string[]>;
  /** When a feed was last polled before: epoch milliseconds; null where it was not. */
  polledAtMs(feed: string): number | null;
}

/**
 * The offer's prices, with the one that begins now where it differs from the last. Where the offer has got another name or
 * items, what was observed before the last one is read under these. Where it can be bought at the last one for the first
 * time, what was observed until now is read.
 * @param offer as it is believed
 */
export function pricesSince(
  was: KnownOffer,
  offer: Offer,
  before: RecordSources,
  { isSeenOnce, terms, nowMs }: { isSeenOnce: boolean; terms: OfferTerms | undefined; nowMs: number },
): readonly PriceAt[] {
  const last = was.prices.at(-1);
  const observed = () => observedOf({ offer, terms: terms ?? was.terms }, was, before, nowMs);
  if (!last || !isSamePrice(last.salePrice, offer.salePrice)) {
    const isAstonishing = !isPlausible(last?.salePrice ?? null, offer.salePrice);
    const seenMs = openGap(was, before, nowMs)?.fromMs ?? nowMs;
    const drop = dropTo(offer.salePrice, was.prices, { isAstonishing, seenMs, nowMs });
    const price = {
      atMs: nowMs,
      salePrice: offer.salePrice,
      ...observed(),
      ...(isSeenOnce ? { isSeenOnce } : {}),
      ...(drop ? { drop } : {}),
    };
    return [...was.prices, price];
  }
  const isConfirmed = !isSeenOnce && last.isSeenOnce;
  const isFound = isFoundAs({ offer, ...itemsOf(offer, was, before), terms: terms ?? was.terms }, was);
  const isFirstForSale = was.soldOutAtMs !== null && !offer.isSoldOut && last.atMs >= was.soldOutAtMs;
  if (!isConfirmed && isFound && !isFirstForSale) return was.prices;
  const { isSeenOnce: once, observed: former, ...price } = last;
  const stillOnce = once && !isConfirmed ? { isSeenOnce: once } : {};
  const seen = former ? { observed: former } : {};
  const known = isFound && !isFirstForSale ? seen : observed();
  return [...was.prices.slice(0, -1), { ...price, ...known, ...stillOnce }];
}

/** Whether an offer's prices are found under the same keys as before. */
export function isFoundAs(now: Named, was: Named): boolean {
  // Thousands of offers are asked about with each answer, and making a key takes some µs.
  const isSameName = now.offer.title === was.offer.title && now.offer.condition === was.offer.condition;
  const hasSameItems = now.itemIds === was.itemIds || (!now.itemIds?.length && !was.itemIds?.length);
  const isSameProduct = isSameName && now.terms?.asin === was.terms?.asin;
  return (isSameProduct && hasSameItems) || priceKeys(now).join('\n') === priceKeys(was).join('\n');
}

/** The ids of the offer's items, where they are known. */
export function itemsOf(
  { id }: Offer,
  was: Pick<KnownOffer, 'itemIds'> | null,
  { items }: RecordSources,
): Pick<KnownOffer, 'itemIds'> {
  const itemIds = was?.itemIds ?? items.get(id);
  return itemIds ? { itemIds } : {};
}

/**
 * The prices of the product, and of its items, as observed before the offer's price began, in earlier listings, other live
 * ones and its own earlier prices; and what has taken from that since. A price that `was` shows already began then, or when
 * it could be bought first: until then it was no price of the product.
 * @param was the offer's record before; null where there is none
 */
export function observedOf(
  { offer, terms }: { offer: Offer; terms: OfferTerms | undefined },
  was: KnownOffer | null,
  before: RecordSources,
  nowMs: number,
): Pick<Offer, 'observed'> {
  const { archived } = before;
  if (!archived) return {};
  const runs = priceKeys({ offer, ...itemsOf(offer, was, before), terms }).flatMap((key) => {
    const others = before.listings(key).filter((known) => known.offer.id !== offer.id);
    const seen = others.flatMap((known) => runsUnder(key, untilLastSight(known, before, nowMs), nowMs));
    return [...(archived.get(key) ?? []), ...seen];
  });
  const own = was ? runsOfListing(untilLastSight(was, before, nowMs), nowMs) : [];
  const last = was?.prices.at(-1);
  const atMs = was && last && isSamePrice(last.salePrice, offer.salePrice) ? forSaleSince(was, last, nowMs) : nowMs;
  // The same run may stand under the product and under its items.
  const observed = observedBefore(mergeRuns([...runs, ...own]), offer.salePrice, atMs);
  return observed
    ? {
        observed: weakened(
          observed,
          offer.salePrice,
          runs.filter(({ fromMs }) => fromMs >= atMs),
        ),
      }
    : {};
}

/** The record without the time for which nobody has looked by now: the present answer proves nothing of that. */
function untilLastSight(known: KnownOffer, before: RecordSources, nowMs: number): KnownOffer {
  const gap = openGap(known, before, nowMs);
  return gap ? { ...known, gaps: [...(known.gaps ?? []), gap] } : known;
}

/** When an offer could first be bought at one of its prices; `nowMs` where it never could. */
function forSaleSince({ stock = [] }: KnownOffer, { atMs }: PriceAt, nowMs: number): number {
  if (soldOutSince({ stock }, atMs) === null) return atMs;
  return stock.find((since) => since.atMs > atMs && !since.isSoldOut)?.atMs ?? nowMs;
}

/**
 * The offer with what was observed before its price. `Object.assign` and not a spread: V8 gives every object that was
 * spread and got one more property a hidden class of its own, and comparing thousands of those takes 20 times as long.
 */
export function withObserved(offer: Offer, priced: Pick<PriceAt, 'observed' | 'isSeenOnce'> | undefined): Offer {
  return priced?.observed && !priced.isSeenOnce ? Object.assign({}, offer, { observed: priced.observed }) : offer;
}

/**
 * The offer's gaps and the one that ends now, where it was not seen for long: empty where it was. A gap that has the
 * same beginning as the last one replaces it: its end could not be stored.
 */
export function gapsSince(
  was: KnownOffer,
  before: RecordSources,
  { feed, nowMs }: { feed: string; nowMs: number },
): { gaps?: readonly Gap[] } {
  const presence = was.feeds[feed];
  if (!presence || nowMs - shownMs(feed, presence, before, nowMs) <= LONGEST_UNSEEN_MS) return {};
  const gap = openGap(was, before, nowMs);
  if (!gap) return {};
  const [last, earlier] = [was.gaps?.at(-1), was.gaps?.slice(0, -1) ?? []];
  const kept = last && last.fromMs !== gap.fromMs ? [...earlier, last] : earlier;
  return { gaps: [...kept, gap] };
}

/** The gap in which nobody has seen an offer by now; null where it is none. */
function openGap({ feeds }: KnownOffer, before: RecordSources, nowMs: number): Gap | null {
  const fromMs = Math.max(...Object.entries(feeds).map(([feed, presence]) => shownMs(feed, presence, before, nowMs)));
  return nowMs - fromMs > LONGEST_UNSEEN_MS ? { fromMs, untilMs: nowMs } : null;
}

/** When a feed showed an offer last, before the present answer. */
function shownMs(
  feed: string,
  { unseenSinceMs, goneSinceMs }: FeedPresence,
  before: RecordSources,
  nowMs: number,
): number {
  return unseenSinceMs ?? goneSinceMs ?? before.polledAtMs(feed) ?? nowMs;
}

/**
 * The offer's stock, with the moment at which it sold out or came back where it did now.
 * @param offer as it is believed
 */
export function stockSince(
  was: KnownOffer,
  { isSoldOut }: Offer,
  { isSeenOnce, nowMs }: { isSeenOnce: boolean; nowMs: number },
): { stock?: readonly StockAt[] } {
  const { stock = [] } = was;
  if (isSoldOut !== (was.soldOutAtMs !== null)) {
    const storyMs = isSoldOut ? undefined : storyOfRestock(stock, nowMs);
    const since = {
      atMs: nowMs,
      isSoldOut,
      ...(isSeenOnce ? { isSeenOnce } : {}),
      ...(storyMs === undefined ? {} : { storyMs }),
    };
    return { stock: [...stock, since] };
  }
  const last = stock.at(-1);
  if (isSeenOnce || !last?.isSeenOnce) return {};
  const { isSeenOnce: _, ...confirmed } = last;
  return { stock: [...stock.slice(0, -1), confirmed] };
}

/**
 * The record with as many prices, stock changes and gaps as are kept. What is older than they then go back becomes
 * `earlier`: runs, of which `compacted` says what they keep. The same object where there is nothing to do.
 */
export function withinBounds(known: KnownOffer, nowMs: number): KnownOffer {
  const { prices, stock = [], gaps = [] } = known;
  const startsMs = [
    prices.length > MOST_PRICES ? prices.at(-MOST_PRICES)?.atMs : undefined,
    stock.length > MOST_STOCK ? stock.at(-MOST_STOCK)?.atMs : undefined,
    gaps.length > MOST_GAPS ? gaps.at(-MOST_GAPS)?.fromMs : undefined,
  ].filter((ms) => ms !== undefined);
  if (startsMs.length === 0) return known;
  const untilMs = Math.max(known.earlier?.untilMs ?? 0, ...startsMs);
  const runs = runsOfListing(known, nowMs).flatMap((run) => runUntil(run, untilMs));
  return {
    ...known,
    prices: sinceThen(prices, untilMs),
    ...(stock.length > 0 ? { stock: sinceThen(stock, untilMs) } : {}),
    ...(gaps.length > 0 ? { gaps: gaps.filter((gap) => gap.untilMs > untilMs).slice(-MOST_GAPS) } : {}),
    earlier: { untilMs, runs: compacted(runs, MOST_EARLIER) },
  };
}

/** The changes from a moment on, and the one that was valid then. */
function sinceThen<T extends { atMs: number }>(changes: readonly T[], ms: number): readonly T[] {
  const valid = changes.findLastIndex(({ atMs }) => atMs <= ms);
  return changes.slice(Math.max(0, valid));
}
