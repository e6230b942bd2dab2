import { deliveryId } from '../../announcements/kinds/index.ts';
import type { Match } from '../../announcements/outbox/enqueue.ts';
import type { OwedByOffers } from '../../announcements/poll/owed-posts.ts';
import { type KnownOffer, productKeys } from '../../deals/known-offer.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import { flatMapInTurns, type TurnOptions } from '../../shared/turns.ts';
import type { Records, Store } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import {
  asNotMessaged,
  isOfProduct,
  isReachedBy,
  type Listing,
  type Look,
  lookAt,
  type ProductWatch,
} from './reach.ts';
import { formerProduct, moveWatches } from './renamed.ts';
import { listingsUnder, type WatchedProduct } from './watch.ts';
import { announce, identityOf, type WatchMessage } from './watch-reached.ts';

interface WatchedParts extends TurnOptions {
  store: Records;
  /** The offers as they are stored. */
  book: OfferBook;
}

/** A watch of a product, and what a look at its listings shows. */
interface Looked {
  subscription: Subscription;
  watch: ProductWatch;
  listings: readonly KnownOffer[];
  look: Look;
}

/**
 * The watches of products. They are compared with what is known, not with what has changed: at each commit those of the
 * products that it changes, and those that were not compared since the start, or since they were changed themselves.
 */
export class WatchedProducts implements OwedByOffers {
  readonly #parts: WatchedParts;
  /** The watches that are not paused, by the key of their product. */
  readonly #byProduct: ReadonlyMap<string, ReadonlyMap<string, Subscription>>;
  /** The same ones, by the product's key with its ASIN. */
  readonly #byAsin: ReadonlyMap<string, ReadonlyMap<string, Subscription>>;
  /** The keys of the products whose watches are to be compared with the next commit. */
  readonly #due: Set<string>;

  constructor(parts: WatchedParts) {
    const { subscriptions } = parts.store;
    this.#parts = parts;
    const productOf = ({ watch, pausedBy }: Subscription) => (pausedBy === null ? watch?.product : null);
    this.#byProduct = subscriptions.groupedBy((one) => productOf(one)?.key ?? null);
    this.#byAsin = subscriptions.groupedBy((one) => productOf(one)?.asinKey ?? null);
    this.#due = new Set(this.#byProduct.keys());
    subscriptions.onChange((_id, subscription) => {
      const product = subscription?.watch?.product;
      if (product) this.#due.add(product.key);
    });
  }

  /**
   * Finds the watches that owe a message, and adds to the commit how all of them stand then. Moves the watches of renamed
   * offers to the new names.
   */
  async owedIn(changes: Changes, changed: readonly KnownOffer[], nowMs: number): Promise<Match[]> {
    const { store, book } = this.#parts;
    const formerKeys = changed.flatMap((known) => formerProduct(known, book) ?? []);
    const keys = new Set([...this.#due, ...changed.flatMap(productKeys), ...formerKeys]);
    changes.afterwards(() => {
      for (const key of keys) this.#due.delete(key);
      // The watches of a renamed offer move with this commit. Those that stay have lost a listing after it.
      for (const key of formerKeys) this.#due.add(key);
    });
    const watches = this.#watchesOf(keys, changed);
    const withLook = (one: Omit<Looked, 'look'>) => [{ ...one, look: lookAt(one.watch, one.listings, nowMs) }];
    const looked = await flatMapInTurns(watches, withLook, this.#parts);
    const matches: Match[] = [];
    for (const one of looked) {
      const { subscription, watch, listings } = one;
      const look = (await this.#isUnsent(one, nowMs)) ? lookAt(asNotMessaged(watch, nowMs), listings, nowMs) : one.look;
      const product = withAsin(watch.product, listings);
      if (look.reach !== watch.reach || product !== watch.product) {
        store.subscriptions.change(changes, subscription.id, (before) => standing(before, look, product));
      }
      const owed = messageOf(subscription, look);
      if (owed.length > 0) withdrawFormer(changes, store.deliveries, subscription);
      matches.push(...owed);
    }
    moveWatches(changes, changed, book, store.subscriptions, nowMs);
    return matches.toSorted((a, b) => placeOf(a) - placeOf(b));
  }

  /** The watches of the products with these keys, with the listings after these changes. */
  *#watchesOf(keys: Iterable<string>, changed: readonly KnownOffer[]): Generator<Omit<Looked, 'look'>> {
    const watched = new Set(
      [...keys].flatMap((key) => [this.#byProduct, this.#byAsin].flatMap((by) => [...(by.get(key)?.values() ?? [])])),
    );
    if (watched.size === 0) return;
    const listingsOf = listingsAfter(changed, this.#parts.book);
    for (const subscription of watched) {
      const { watch } = subscription;
      if (watch && isOfProduct(watch))
        yield { subscription, watch, listings: listingsUnder(watch.product, listingsOf) };
    }
  }

  /**
   * Whether the last message of a watch never reached the person, and never will: the message was dropped while its deal was
   * over, or waits for a listing that isn't what they want any more.
   */
  async #isUnsent({ subscription, watch, listings, look }: Looked, nowMs: number): Promise<boolean> {
    const sent = lastMessage(subscription);
    if (sent === null || look.by === null || look.isNews) return false;
    const { told } = sent;
    const isTheSame = look.by.offer.id === told.offerId;
    if (isTheSame && watch.reach?.endedAtMs === null) return false;
    const { deliveries } = this.#parts.store;
    const id = deliveryId(subscription.channelId, identityOf(watch.aim, sent));
    if (deliveries.isPending(id)) {
      return !listings.some((one) => one.offer.id === told.offerId && isReachedBy(watch, one, nowMs));
    }
    const ended = await deliveries.ended(id);
    return ended?.outcome === 'over' || ended?.outcome === 'gone';
  }
}

/** The listings of a product after these changes, those included that are renamed by them. */
function listingsAfter(changed: readonly KnownOffer[], book: OfferBook): (key: string) => readonly KnownOffer[] {
  const records = new Map(changed.map((known) => [known.offer.id, known]));
  const byProduct = new Map<string, KnownOffer[]>();
  for (const known of changed) {
    for (const key of productKeys(known)) byProduct.set(key, [...(byProduct.get(key) ?? []), known]);
  }
  return (key) => {
    const before = book.listings(key).map((listing) => records.get(listing.offer.id) ?? listing);
    return [...new Set([...before, ...(byProduct.get(key) ?? [])])];
  };
}

/** The watch as it stands after a look. */
export function standing(
  subscription: Subscription,
  { reach }: Pick<Look, 'reach'>,
  product = subscription.watch?.product ?? null,
): Subscription {
  const { watch } = subscription;
  return watch ? { ...subscription, watch: { ...watch, product, ...(reach && { reach }) } } : subscription;
}

/** The product with its ASIN, once one of its listings tells that: the next one may have another title. */
function withAsin(product: WatchedProduct, listings: readonly KnownOffer[]): WatchedProduct {
  if (product.asinKey !== undefined) return product;
  const [asinKey] = listings.flatMap((listing) => productKeys(listing).slice(1));
  return asinKey === undefined ? product : { ...product, asinKey };
}

/** The last message that the watch has made; null where it has made none. */
export function lastMessage({ id: watchId, watch }: Pick<Subscription, 'id' | 'watch'>): WatchMessage | null {
  const { told = null, times = 0 } = watch?.reach ?? {};
  return told && { watchId, told, times };
}

/** The message that a look owes, if any. */
export function messageOf(subscription: Subscription, look: Look<Listing>): Match[] {
  const { watch } = subscription;
  const sent = lastMessage(standing(subscription, look));
  if (!look.isNews || !look.by || !sent || !watch || !isOfProduct(watch)) return [];
  return [{ announcement: announce(watch, look.by.offer, sent), subscription, terms: [] }];
}

/**
 * Takes the last message of a watch out of the outbox, where it waits by itself: the watch tells what is so now
 * instead.
 */
export function withdrawFormer(changes: Changes, deliveries: Store['deliveries'], subscription: Subscription): void {
  const sent = lastMessage(subscription);
  if (sent === null || !subscription.watch || !isOfProduct(subscription.watch)) return;
  const id = deliveryId(subscription.channelId, identityOf(subscription.watch.aim, sent));
  const waiting = deliveries.pending(subscription.channelId).find((one) => one.id === id);
  // One that is about another watch, too, stays for that.
  if (waiting && waiting.matches.length === 1) deliveries.withdraw(changes, waiting);
}

/**
 * Of several messages about one offer, the last stands for the others: being in stock, which holds for as long as the
 * offer can be bought.
 */
function placeOf({ subscription }: Match): number {
  return subscription.watch?.aim === 'stock' ? 1 : 0;
}
