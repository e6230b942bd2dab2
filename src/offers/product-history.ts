import { isGone, type KnownOffer, lastSeenMs, priceKeys, runsUnder } from '../deals/known-offer.ts';
import { type PriceHistory, priceHistory } from '../deals/observed-prices.ts';
import type { PriceRun } from '../deals/price-runs.ts';
import type { OfferBook } from './offer-book.ts';

/** The places where the observed prices of products are found. */
export interface PriceSources {
  /** Those of the listings that are known. */
  offers: Pick<OfferBook, 'listings' | 'feedState'>;
  /** Those of former listings. */
  prices: { among(products: readonly string[]): Promise<ReadonlyMap<string, readonly PriceRun[]>> };
}

/**
 * What is known of the prices of an offer's product, from all its listings; null where none was ever observed. Rejects
 * with a StoreError.
 */
export async function productHistory(
  known: KnownOffer,
  { offers, prices }: PriceSources,
  nowMs: number,
): Promise<PriceHistory | null> {
  const keys = priceKeys(known);
  const former = [...(await prices.among(keys)).values()].flat();
  const polledAtMs = (feed: string) => offers.feedState(feed)?.polledAtMs ?? null;
  const present = keys.flatMap((key) =>
    offers.listings(key).flatMap((listing) => runsUnder(key, listing, lastSeenMs(listing, polledAtMs) ?? nowMs)),
  );
  const isListed = keys.some((key) => offers.listings(key).some((listing) => hasSurePrice(listing, nowMs)));
  return priceHistory([...former, ...present], nowMs, isListed);
}

/** Whether the listing can be bought, at a price that counts in histories. */
function hasSurePrice(listing: KnownOffer, nowMs: number): boolean {
  return !isGone(listing, nowMs) && listing.prices.at(-1)?.isSeenOnce === undefined;
}
