import { isGone, type KnownOffer, productKey } from '../../deals/known-offer.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import type { Changes } from '../../store/table/state.ts';
import { watchedProduct } from './watch.ts';

/**
 * Moves the watches of renamed offers to the new names: those that were made on the offer itself, and all of its former
 * product where no other live offer sells that.
 * @param records the offers after a poll, and `book` those before it
 */
export function moveWatches(
  changes: Changes,
  records: readonly KnownOffer[],
  book: OfferBook,
  subscriptions: SubscriptionStore,
  nowMs: number,
): void {
  /** By the key of the former product. */
  const renamed = new Map<string, KnownOffer[]>();
  for (const known of records) {
    const former = formerProduct(known, book);
    if (former !== null) renamed.set(former, [...(renamed.get(former) ?? []), known]);
  }
  if (renamed.size === 0) return;
  for (const { id, watch } of subscriptions.all()) {
    const offers = renamed.get(watch?.product?.key ?? '');
    if (!watch?.product || !offers) continue;
    const { key, offerId } = watch.product;
    const isSold = book
      .listings(key)
      .some((other) => !isGone(other, nowMs) && !offers.some(({ offer }) => offer.id === other.offer.id));
    const target = offers.find(({ offer }) => offer.id === offerId) ?? (isSold ? undefined : offers[0]);
    if (!target) continue;
    const product = watchedProduct(target, offerId);
    subscriptions.change(changes, id, (subscription) => ({
      ...subscription,
      watch: { ...(subscription.watch ?? watch), product },
    }));
  }
}

/**
 * The key of the product that an offer sold before its title or condition changed; null where it sells the same one, or is
 * new.
 * @param book the offers before the change
 */
export function formerProduct({ offer }: KnownOffer, book: OfferBook): string | null {
  const was = book.get(offer.id)?.offer;
  if (!was || (was.title === offer.title && was.condition === offer.condition)) return null;
  const key = productKey(was);
  return key === productKey(offer) ? null : key;
}
