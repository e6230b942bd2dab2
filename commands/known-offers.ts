import { isGone, type KnownOffer, lastSeenMs } from '../src/bot/deals/known-offer.ts';
import type { Age } from '../src/bot/discord/cards/paged-card.ts';
import type { CommandServices } from './shared.ts';

/** The age of the known data about offers that can still be bought: the oldest counts. Null where none can be bought. */
export function ageOf(records: readonly KnownOffer[], { offers, feeds, clock }: CommandServices): Age | null {
  const polled = new Map<string, number | null>();
  function polledAtMs(key: string): number | null {
    const known = polled.get(key);
    if (known !== undefined) return known;
    const name = feeds.find((feed) => feed.toLowerCase() === key);
    const atMs = name === undefined ? null : (offers.feedState(name)?.polledAtMs ?? null);
    polled.set(key, atMs);
    return atMs;
  }
  const seenMs = records
    .filter((record) => !isGone(record, clock.now()))
    .map((record) => lastSeenMs(record, polledAtMs))
    .filter((atMs) => atMs !== null);
  return seenMs.length > 0 ? { fetchedAtMs: Math.min(...seenMs), isStale: false } : null;
}
