import { type KnownOffer, priceKeys, runsUnder } from './known-offer.ts';
import { type ObservedPrices, weakened, withOwnUsual } from './observed-prices.ts';
import type { RecordSources } from './offer-record.ts';
import type { PriceRange } from './price.ts';
import type { PriceRun } from './price-runs.ts';

/**
 * The offers of whose prices less can be said than before, as they are now: another listing of the same product, or of one
 * of its items, is cheaper, or turns out to have been, or has got their name.
 * @param records those that have changed, after the change
 * @param before has all others
 */
export function claimsChanged(records: readonly KnownOffer[], before: RecordSources, nowMs: number): KnownOffer[] {
  const changedIds = new Set(records.map(({ offer }) => offer.id));
  const weaker = new Map<string, KnownOffer>();
  for (const [key, changed] of byPriceKey(records)) {
    const others = before.listings(key).filter(({ offer }) => !changedIds.has(offer.id));
    const claiming = [...others, ...changed].filter(({ prices }) => prices.at(-1)?.observed !== undefined);
    for (const known of changed) {
      const rivals = claiming.filter(({ offer }) => offer.id !== known.offer.id);
      const runs = rivals.length > 0 ? runsUnder(key, known, nowMs) : [];
      for (const rival of rivals) {
        const was = weaker.get(rival.offer.id) ?? rival;
        const now = withLess(was, runs);
        if (now !== was) weaker.set(rival.offer.id, now);
      }
    }
  }
  return [...weaker.values()];
}

function byPriceKey(records: readonly KnownOffer[]): Map<string, KnownOffer[]> {
  const groups = new Map<string, KnownOffer[]>();
  for (const known of records) {
    for (const key of priceKeys(known)) {
      const group = groups.get(key);
      if (group) group.push(known);
      else groups.set(key, [known]);
    }
  }
  return groups;
}

/** The offer with what is left of its observed prices once these runs are known; the same object where that is all. */
function withLess(known: KnownOffer, runs: readonly PriceRun[]): KnownOffer {
  return withObservations(known, (observed, salePrice) => weakened(observed, salePrice, runs));
}

/** The offer with its own price as the usual one, once it has lasted for most of the time; the same object before. */
export function withUsualPrice(known: KnownOffer, nowMs: number): KnownOffer {
  return withObservations(known, (observed, salePrice) => withOwnUsual(observed, salePrice, nowMs));
}

function withObservations(
  known: KnownOffer,
  change: (observed: ObservedPrices, salePrice: PriceRange | null) => ObservedPrices,
): KnownOffer {
  const last = known.prices.at(-1);
  if (!last?.observed) return known;
  const observed = change(last.observed, last.salePrice);
  if (observed === last.observed) return known;
  const offer = known.offer.observed ? { ...known.offer, observed } : known.offer;
  return { ...known, offer, prices: [...known.prices.slice(0, -1), { ...last, observed }] };
}
