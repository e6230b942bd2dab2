import type { FeedName } from '../packages/catalog-service/src/index.ts';
import { arrivalsIn } from '../packages/catalog-service/src/simulator/arrivals.ts';
import { feedsOf, type Listing } from '../packages/catalog-service/src/simulator/listing.ts';
import { PACES } from '../packages/catalog-service/src/simulator/pace.ts';
import { eventsAt } from '../packages/catalog-service/src/simulator/programme.ts';

const SEED = 'bench';
const OFFERS = 12_400;
const HOUR_MS = 3_600_000;

/** An offer as somebody who polls the feeds meets it. */
export interface Arrival {
  feeds: readonly FeedName[];
  /** The start that the offer names. */
  startMs: number;
  /** The feeds hold it between these two moments. */
  liveMs: number;
  goneMs: number;
}

/** The offers of the simulator's store that are live at any time between the two moments, the earliest first. */
export function arrivalsBetween(fromMs: number, untilMs: number): Arrival[] {
  const pace = PACES.store;
  const arrivals: Arrival[] = [];
  const add = (listing: Listing, shownFromMs: number) => {
    const { startMs, goneMs } = listing;
    const liveMs = Math.max(startMs, shownFromMs);
    if (liveMs < untilMs && goneMs > Math.max(fromMs, liveMs)) {
      arrivals.push({ feeds: feedsOf(listing), startMs, liveMs, goneMs });
    }
  };
  for (let span = pace.spanOf(fromMs) - pace.maxLife - 1; span <= pace.spanOf(untilMs); span += 1) {
    for (const listing of arrivalsIn(span, { seed: SEED, offers: OFFERS, pace })) add(listing, listing.startMs);
  }
  // Events come and go on the hour; one that is kept back by a deal-off is shown late.
  const shown = new Set<string>();
  for (let hourMs = fromMs - 10 * 24 * HOUR_MS; hourMs < untilMs; hourMs += HOUR_MS) {
    for (const event of eventsAt(hourMs, SEED, pace)) {
      if (!shown.has(event.key)) for (const listing of event.listings) add(listing, hourMs);
      shown.add(event.key);
    }
  }
  return arrivals.sort((one, other) => one.liveMs - other.liveMs);
}
