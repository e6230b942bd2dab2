import type { DealEvent, EventOffer } from './event.ts';
import { isAlmostGone } from './event.ts';
import { type PriceRange, pricesOf } from './price.ts';

// What an event has sold. Events list what they still sell, so this is the only memory of what sold out.

/** An offer of an event, and how long it was for sale as far as answers have shown it. Times are epoch milliseconds. */
export interface Sale {
  id: string;
  /** Foreign text. */
  title: string;
  url: string | null;
  price: PriceRange | null;
  /** A moment at which it wasn't for sale yet; null where none is known. */
  afterMs: number | null;
  /** The first moment at which it was known not to be for sale any more; null while it is. */
  untilMs: number | null;
  /** Whether it sold out. What an event no longer lists counts as sold out where hardly anything was left of it. */
  isSoldOut: boolean;
  /** Whether hardly anything was left of it when it was last seen for sale. */
  wasAlmostGone: boolean;
}

/** What was sold in an event. */
export interface EventSales {
  /** In the order in which they were first seen; of those that are over, the latest. */
  sales: readonly Sale[];
  /**
   * The last moment at which an answer showed all of the event: epoch milliseconds, null where none did. Absent where the
   * last answer shows all of it.
   */
  unseenSinceMs?: number | null;
  /** The sums over the sales that `sales` lists no more; absent where it lists all. */
  earlier?: { soldOut: number; fastestMs: number | null };
  /** When this changed last: epoch milliseconds. */
  changedAtMs: number;
}

/** What an answer has shown of an event. */
export interface Sight {
  nowMs: number;
  /** When the answer before it was asked for: epoch milliseconds; null where there is none. */
  previousMs: number | null;
  /** Whether the answer has shown all of the event's offers. */
  isWhole: boolean;
}

/** The most offers of an event that are listed. */
const MOST_SALES = 200;
/** Titles and addresses are kept for lists, which show less. */
const MOST_TITLE = 150;
const MOST_ADDRESS = 400;

/**
 * What was sold in an event after an answer.
 * @param before undefined where nothing is known of it
 * @param event as it is believed to be
 * @returns `before` itself where nothing has changed
 */
export function salesAfter(before: EventSales | undefined, event: DealEvent, sight: Sight): EventSales {
  const listed = new Map(event.offers.map((offer) => [offer.id, offer]));
  const known = new Set(before?.sales.map(({ id }) => id));
  // What was there at first sight may have been there since the event began.
  const newAfterMs = before ? lastWholeMs(before, sight) : event.startDateMs;
  const old = (before?.sales ?? []).map((sale) => saleAfter(sale, listed.get(sale.id), sight.nowMs));
  const fresh = event.offers
    .filter(({ id }) => !known.has(id))
    .map((offer) => newSale(offer, newAfterMs, before !== undefined, sight.nowMs));
  const unseen = unseenAfter(before, sight);
  const { sales, earlier } = limited(old, fresh, { listed, earlier: before?.earlier });
  const isSame = before?.sales.length === sales.length && sales.every((sale, place) => sale === before.sales[place]);
  if (before && isSame && unseen === before.unseenSinceMs) return before;
  return {
    sales,
    ...(unseen === undefined ? {} : { unseenSinceMs: unseen }),
    ...(earlier ? { earlier } : {}),
    changedAtMs: sight.nowMs,
  };
}

function lastWholeMs(before: EventSales, { previousMs }: Sight): number | null {
  return before.unseenSinceMs === undefined ? previousMs : before.unseenSinceMs;
}

function unseenAfter(before: EventSales | undefined, sight: Sight): number | null | undefined {
  if (sight.isWhole) return undefined;
  return before ? lastWholeMs(before, sight) : sight.previousMs;
}

/** Whether an offer can't be bought. @public for features */
export function isOut({ soldOut, percentageRemaining }: EventOffer): boolean {
  return soldOut || percentageRemaining === 0;
}

function newSale(offer: EventOffer, afterMs: number | null, wasLookedFor: boolean, nowMs: number): Sale {
  const isSoldOut = isOut(offer);
  return {
    ...figuresOf(offer),
    // An offer that was sold out at first sight sold out at an unknown time before.
    afterMs: isSoldOut && !wasLookedFor ? null : afterMs,
    untilMs: isSoldOut ? nowMs : null,
    isSoldOut,
  };
}

function figuresOf(offer: EventOffer): Pick<Sale, 'id' | 'title' | 'url' | 'price' | 'wasAlmostGone'> {
  return {
    id: offer.id,
    title: offer.title.slice(0, MOST_TITLE),
    url: offer.url !== null && offer.url.length <= MOST_ADDRESS ? offer.url : null,
    price: pricesOf(offer.items).salePrice,
    wasAlmostGone: isAlmostGone(offer),
  };
}

/** @param listed the offer as it is believed to be; undefined where the event no longer lists it */
function saleAfter(sale: Sale, listed: EventOffer | undefined, nowMs: number): Sale {
  if (!listed) return sale.untilMs === null ? { ...sale, untilMs: nowMs, isSoldOut: sale.wasAlmostGone } : sale;
  const figures = figuresOf(listed);
  if (!isOut(listed)) {
    // It was sold out until some moment after that.
    const after = sale.untilMs === null ? sale : { ...sale, afterMs: sale.untilMs, untilMs: null, isSoldOut: false };
    return isSameSale(after, figures) ? after : { ...after, ...figures };
  }
  // What was seen last for sale stays: it tells at which price it sold out.
  if (sale.isSoldOut) return sale;
  return { ...sale, untilMs: sale.untilMs ?? nowMs, isSoldOut: true };
}

function isSameSale(sale: Sale, { title, url, price, wasAlmostGone }: ReturnType<typeof figuresOf>): boolean {
  return (
    sale.title === title &&
    sale.url === url &&
    sale.wasAlmostGone === wasAlmostGone &&
    sale.price?.minimum === price?.minimum &&
    sale.price?.maximum === price?.maximum
  );
}

/** As many as may be listed. What is neither for sale nor in the event any more goes first, the oldest before the others. */
function limited(
  old: readonly Sale[],
  fresh: readonly Sale[],
  { listed, earlier }: { listed: ReadonlyMap<string, unknown>; earlier: EventSales['earlier'] },
): { sales: readonly Sale[]; earlier: EventSales['earlier'] } {
  const excess = old.length + fresh.length - MOST_SALES;
  if (excess <= 0) return { sales: [...old, ...fresh], earlier };
  const past = old.filter(({ id, untilMs }) => untilMs !== null && !listed.has(id)).toSorted(byEnd);
  const left = new Set(past.slice(0, excess));
  const kept = old.filter((sale) => !left.has(sale));
  return {
    sales: [...kept, ...fresh.slice(0, MOST_SALES - kept.length)],
    earlier: left.size > 0 ? summed([...left], earlier) : earlier,
  };
}

/** What went first comes first. */
function byEnd({ untilMs: one }: Sale, { untilMs: other }: Sale): number {
  return (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY) || 0;
}

function summed(sales: readonly Sale[], earlier: EventSales['earlier']): { soldOut: number; fastestMs: number | null } {
  const out = sales.filter(({ isSoldOut }) => isSoldOut);
  const spans = [earlier?.fastestMs ?? null, ...out.map(withinMs)].filter((span) => span !== null);
  return {
    soldOut: (earlier?.soldOut ?? 0) + out.length,
    fastestMs: spans.length > 0 ? Math.min(...spans) : null,
  };
}

/**
 * The time within which an offer sold out, as exact as the answers were close to each other: milliseconds, never less than it
 * took; null where it isn't known or the offer didn't sell out.
 */
export function withinMs({ afterMs, untilMs, isSoldOut }: Sale): number | null {
  return isSoldOut && afterMs !== null && untilMs !== null && untilMs > afterMs ? untilMs - afterMs : null;
}

/** What of an event is not for sale any more. */
export interface PastSales {
  /** The latest first. */
  over: readonly Sale[];
  /** How many offers have sold out, those that `over` no longer lists included. */
  soldOut: number;
  /** The time within which the fastest of them sold out: milliseconds; null where none is known. */
  fastestMs: number | null;
}

export function pastSalesOf(known: EventSales | undefined): PastSales {
  const over = (known?.sales ?? []).filter(({ untilMs }) => untilMs !== null);
  return { over: over.toSorted(byEnd).reverse(), ...summed(over, known?.earlier) };
}
