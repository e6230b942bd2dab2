import { isInFeed, type KnownOffer, productKey } from './known-offer.ts';
import { isRealPrice, mergeRuns, type PriceRun, withoutGaps } from './price-runs.ts';

/**
 * The prices at which one listing was observed, oldest first. Where nobody looked, nothing is known: gaps are left out,
 * and so are periods without a price.
 * @param nowMs up to when a listing that feeds still show was observed
 */
export function runsOfListing(known: KnownOffer, nowMs: number): PriceRun[] {
  const { prices, stock = [], gaps = [] } = known;
  const endMs = observedUntilMs(known, nowMs);
  const changes = [...new Set([...prices, ...stock].map(({ atMs }) => atMs))].sort((a, b) => a - b);
  const runs = changes.flatMap((fromMs, index): PriceRun[] => {
    const untilMs = Math.min(changes[index + 1] ?? endMs, endMs);
    if (untilMs < fromMs) return [];
    if (isSoldOutAt(known, fromMs)) return [{ fromMs, untilMs, price: null }];
    const price = prices.findLast(({ atMs }) => atMs <= fromMs)?.salePrice ?? null;
    return isRealPrice(price) ? [{ fromMs, untilMs, price }] : [];
  });
  return mergeRuns(runs.flatMap((run) => withoutGaps(run, gaps)));
}

/**
 * The runs of a listing that count under one of its `priceKeys`. Under an item those count in which all items cost the
 * same, or were sold out: which item of a range cost how much was not observed.
 */
export function runsUnder(key: string, known: KnownOffer, nowMs: number): PriceRun[] {
  const runs = runsOfListing(known, nowMs);
  if (key === productKey(known.offer)) return runs;
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

function isSoldOutAt({ stock, soldOutAtMs }: KnownOffer, atMs: number): boolean {
  if (!stock) return soldOutAtMs !== null && soldOutAtMs <= atMs;
  return stock.findLast((since) => since.atMs <= atMs)?.isSoldOut ?? false;
}
