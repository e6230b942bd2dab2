import type { PastListing } from '../../deals/announcement.ts';
import type { Offer } from '../../deals/offer.ts';
import { DAY_MS } from '../../shared/time.ts';

/** A listing that follows the last one within this time can be the same deal. */
export const SAME_WITHIN_MS = 7 * DAY_MS;
/** Its price may differ by this share of the last one's. */
export const SAME_PRICE = 0.05;

/** Whether a listing is the deal of the product's last one: it follows soon, at about the same price. Unknown prices are not. */
export function isSameDeal(
  { salePrice }: Pick<Offer, 'salePrice'>,
  before: Pick<PastListing, 'salePrice' | 'endedAtMs'>,
  nowMs: number,
): boolean {
  if (!salePrice || !before.salePrice || nowMs - before.endedAtMs > SAME_WITHIN_MS) return false;
  return isNear(salePrice.minimum, before.salePrice.minimum) && isNear(salePrice.maximum, before.salePrice.maximum);
}

/** In cents, so that no price at a bound falls to the other side of it by rounding. */
function isNear(price: number, before: number): boolean {
  return Math.abs(Math.round(price * 100) - Math.round(before * 100)) <= Math.round(before * 100) * SAME_PRICE;
}
