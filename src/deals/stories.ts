import { HOUR_MS } from '../shared/time.ts';
import type { PriceAt, PriceDrop, StockAt } from './known-offer.ts';
import { isSamePrice, type PriceRange } from './price.ts';
import { isRealPrice } from './price-runs.ts';

/** A price or stock that changes back and forth is one story, announced once, until it has stayed the same for this long. */
export const QUIET_MS = 6 * HOUR_MS;

/** Whether nothing stayed the same for six hours between two moments: `changesMs` are those of the changes, oldest first. */
function isOneStory(changesMs: readonly number[]): boolean {
  return changesMs.every((atMs, index) => index === 0 || atMs - (changesMs[index - 1] ?? atMs) < QUIET_MS);
}

/**
 * The drop to a price that is believed from `nowMs` on; null where it is none, or was announced for that price already.
 * It is compared with the last price that two answers have shown. Where there is none, the offer has only just appeared,
 * and what its posts show counts, unless the step is `isAstonishing`.
 * @param prices the offer's prices before, oldest first
 * @param seenMs when the last of these prices was last seen, for where no other has followed it
 */
export function dropTo(
  price: PriceRange | null,
  prices: readonly PriceAt[],
  { isAstonishing, seenMs, nowMs }: { isAstonishing: boolean; seenMs: number; nowMs: number },
): PriceDrop | null {
  const sure = prices.findLastIndex(({ salePrice, isSeenOnce }) => isRealPrice(salePrice) && !isSeenOnce);
  const first = isAstonishing ? -1 : prices.findLastIndex(({ salePrice }) => isRealPrice(salePrice));
  const lastPlace = sure < 0 ? first : sure;
  const last = prices[lastPlace];
  if (!isRealPrice(price) || !last?.salePrice || price.minimum >= last.salePrice.minimum) return null;
  const untilMs = prices[lastPlace + 1]?.atMs ?? seenMs;
  const before = { before: last.salePrice, beforeForMs: untilMs - sinceWhen(prices.slice(0, lastPlace), last) };
  const same = prices.findLastIndex(({ salePrice }) => salePrice?.minimum === price.minimum);
  if (same < 0 || !isOneStory([...prices.slice(same).map(({ atMs }) => atMs), nowMs])) {
    const earlier = prices.findLast(({ salePrice, drop }) => drop && salePrice?.minimum === price.minimum)?.drop;
    return { storyMs: nowMs, times: earlier ? earlier.times + 1 : 0, ...before };
  }
  const story = prices[same]?.drop;
  return story ? { storyMs: story.storyMs, times: story.times, ...before } : null;
}

/** Since when an offer has had its last price, ignoring prices in between that one answer alone has shown. */
function sinceWhen(before: readonly PriceAt[], last: PriceAt): number {
  let { atMs } = last;
  for (const { salePrice, isSeenOnce, atMs: earlierMs } of before.toReversed()) {
    if (isSamePrice(salePrice, last.salePrice)) atMs = earlierMs;
    else if (!isSeenOnce) break;
  }
  return atMs;
}

/**
 * The story of a restock at `nowMs`: when the offer sold out first in it. undefined where the sell-out is no news, as one
 * answer alone has shown it.
 * @param stock the offer's stock before, oldest first
 */
export function storyOfRestock(stock: readonly StockAt[], nowMs: number): number | undefined {
  const last = stock.at(-1);
  if (!last?.isSoldOut || last.isSeenOnce) return undefined;
  const before = stock.findLastIndex(({ storyMs }) => storyMs !== undefined);
  const isSame = before >= 0 && isOneStory([...stock.slice(before).map(({ atMs }) => atMs), nowMs]);
  return isSame ? stock[before]?.storyMs : last.atMs;
}
