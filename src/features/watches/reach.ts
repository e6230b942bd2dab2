import { ENDING_SOON_MS } from '../../deals/change.ts';
import type { KnownOffer } from '../../deals/known-offer.ts';
import { isOver } from '../../deals/life.ts';
import { isNewLow, lowOf } from '../../deals/observed-prices.ts';
import { isRealPrice } from '../../deals/price-runs.ts';
import { QUIET_MS } from '../../deals/stories.ts';
import type { OfferAim, Reach, Watch, WatchedProduct } from './watch.ts';

/** A watch of one product. */
export type ProductWatch = Watch & { aim: OfferAim; product: WatchedProduct };

export function isOfProduct(watch: Watch): watch is ProductWatch {
  return watch.aim !== 'new' && watch.product !== null;
}

/** What counts of a listing of the product. */
export type Listing = Pick<KnownOffer, 'offer' | 'overAtMs' | 'seenOnce'> & Partial<Pick<KnownOffer, 'prices'>>;

/** A watch after a look at the listings of its product. */
export interface Look<L extends Listing = KnownOffer> {
  /** Absent where the aim was never reached. */
  reach?: Reach;
  /** The listing by which the aim is reached now, the cheapest or the first to end; null where none does. */
  by: L | null;
  /** Whether the person is owed a message about it. */
  isNews: boolean;
}

/**
 * Looks at the listings of a watched product: a person is owed what is so now and what they were not told. They are
 * told once for as long as it stays so. After that they are told again where it wasn't so for a while, or where it is
 * even better: cheaper, or a later end.
 */
export function lookAt<L extends Listing>(watch: ProductWatch, listings: readonly L[], nowMs: number): Look<L> {
  const { aim, reach } = watch;
  const by = bestOf(watch, listings, nowMs);
  if (by === null) {
    const isOver = reach?.endedAtMs === null && !(aim === 'stock' && listings.some(isSoldOutOnce));
    const told = reach && wasWrong(reach, listings) ? null : (reach?.told ?? null);
    return { ...(reach && { reach: isOver ? { ...reach, endedAtMs: nowMs, told } : reach }), by, isNews: false };
  }
  // This is kept where the person isn't told.
  const quiet = reach?.endedAtMs === null ? reach : { told: null, times: 0, ...reach, sinceMs: nowMs, endedAtMs: null };
  const value = valueIn(aim, by);
  if (reach && !isOwed(aim, reach, value, nowMs)) return { reach: quiet, by, isNews: false };
  const told = { offerId: by.offer.id, atMs: nowMs, value };
  return { reach: { ...quiet, told, times: quiet.times + 1 }, by, isNews: true };
}

/**
 * The same where the person makes the watch. That an offer is in stock is no news to them: they see it, and wait until
 * it comes back.
 */
export function firstLookAt<L extends Listing>(watch: ProductWatch, listings: readonly L[], nowMs: number): Look<L> {
  const look = lookAt(watch, listings, nowMs);
  if (watch.aim !== 'stock' || !look.reach) return look;
  return { ...look, reach: { ...look.reach, told: null, times: watch.reach?.times ?? 0 }, isNews: false };
}

/** The watch as if it had made no message. */
export function asNotMessaged<W extends Watch>(watch: W, nowMs: number): W {
  const { reach } = watch;
  return reach ? { ...watch, reach: { ...reach, endedAtMs: reach.endedAtMs ?? nowMs, told: null } } : watch;
}

/** The listing that reaches the aim: the cheapest, or the first to end. */
function bestOf<L extends Listing>(watch: ProductWatch, listings: readonly L[], nowMs: number): L | null {
  const orderOf = ({ offer }: Listing) =>
    (watch.aim === 'end' ? offer.endDateMs : offer.salePrice?.minimum) ?? Number.POSITIVE_INFINITY;
  return listings
    .filter((listing) => isReachedBy(watch, listing, nowMs))
    .reduce<L | null>((best, other) => (best && orderOf(best) <= orderOf(other) ? best : other), null);
}

/** Whether this listing is what the watch waits for. */
export function isReachedBy({ aim, below, again }: ProductWatch, { offer, overAtMs }: Listing, nowMs: number): boolean {
  if (overAtMs !== null || isOver(offer, nowMs)) return false;
  switch (aim) {
    case 'price':
      return below !== null && isRealPrice(offer.salePrice) && offer.salePrice.minimum <= below;
    case 'stock':
      return true;
    case 'low':
      return again ? lowOf(offer)?.isEver === true : isNewLow(offer);
    case 'end':
      return offer.endDateMs !== null && offer.endDateMs - nowMs <= ENDING_SOON_MS;
  }
}

function isOwed(aim: OfferAim, { sinceMs, endedAtMs, told }: Reach, value: number | null, nowMs: number): boolean {
  if (told === null) return endedAtMs !== null;
  if (isBetter(aim, value, told.value)) return true;
  if (endedAtMs === null) return false;
  // A price that is dearer for an hour is nothing new. Stock that had lasted is: a person waits for the end of such an hour.
  const hadLasted = aim === 'stock' && endedAtMs - sinceMs >= QUIET_MS;
  return hadLasted || nowMs - endedAtMs >= QUIET_MS;
}

/** Whether one answer alone has shown the price that the person was told: another message is owed for a right one. */
function wasWrong({ told }: Reach, listings: readonly Listing[]): boolean {
  const prices = listings.find(({ offer }) => offer.id === told?.offerId)?.prices ?? [];
  const former = prices.slice(0, -1).findLast(({ salePrice }) => salePrice?.minimum === told?.value);
  return former?.isSeenOnce === true;
}

/** Whether one answer alone has called it sold out: it may be in stock. */
function isSoldOutOnce({ offer, seenOnce = [] }: Listing): boolean {
  return offer.isSoldOut && seenOnce.includes('isSoldOut');
}

/** What a message tells, where that can get better: the price, in dollars, or the end, in epoch milliseconds. */
function valueIn(aim: OfferAim, { offer }: Listing): number | null {
  if (aim === 'stock') return null;
  return aim === 'end' ? offer.endDateMs : (offer.salePrice?.minimum ?? null);
}

function isBetter(aim: OfferAim, value: number | null, told: number | null): boolean {
  if (value === null || told === null) return false;
  return aim === 'end' ? value - told >= ENDING_SOON_MS : value < told;
}
