import { isGone, type KnownOffer, lastSeenMs, priceKeys, runsUnder } from '../deals/known-offer.ts';
import { type PriceHistory, priceHistory } from '../deals/observed-prices.ts';
import type { PriceRun } from '../deals/price-runs.ts';
import type { OfferBook } from './offer-book.ts';

/**
 * What an offer's product cost, from the listings that are known and the prices of those that are not any more; null where no
 * price was ever observed.
 * @param archived the archived prices under the offer's `priceKeys`
 * @param nowMs epoch milliseconds
 */
export function priceHistoryOf(
  known: KnownOffer,
  offers: Pick<OfferBook, 'listings' | 'feedState'>,
  archived: ReadonlyMap<string, readonly PriceRun[]>,
  nowMs: number,
): PriceHistory | null {
  const keys = priceKeys(known);
  const polledAtMs = (feed: string) => offers.feedState(feed)?.polledAtMs ?? null;
  const kept = keys.flatMap((key) =>
    offers.listings(key).flatMap((listing) => runsUnder(key, listing, lastSeenMs(listing, polledAtMs) ?? nowMs)),
  );
  const isListed = keys.some((key) => offers.listings(key).some((listing) => hasSurePrice(listing, nowMs)));
  const runs = keys.flatMap((key) => archived.get(key) ?? []);
  return priceHistory([...runs, ...kept], nowMs, isListed);
}

/** Whether the listing can be bought, at a price that counts in histories. */
function hasSurePrice(listing: KnownOffer, nowMs: number): boolean {
  return !isGone(listing, nowMs) && listing.prices.at(-1)?.isSeenOnce === undefined;
}
