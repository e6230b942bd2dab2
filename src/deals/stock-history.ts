import { DAY_MS } from '../shared/time.ts';
import type { DealEvent } from './event.ts';

/** The share of an offer's stock that was left at a moment. */
interface StockPoint {
  atMs: number;
  /** 0 to 100. */
  percent: number;
}

/** The most points kept for an offer, the latest. */
const MOST_POINTS = 12;
/** The fewest points that show a pace. */
const LEAST_POINTS = 3;
/** The least fall, in percentage points: figures are rounded to whole ones. */
const LEAST_FALL = 3;
/** The longest time ahead for which selling out is foretold: milliseconds. */
const FARTHEST_MS = DAY_MS;

/** How the stock of the current events' offers fell, as far as it was seen since the start. Kept in memory alone. */
export class StockHistory {
  readonly #points = new Map<string, StockPoint[]>();

  /** Adds the stock of an answer with all events, and forgets the offers that it lacks. */
  note(events: readonly DealEvent[], atMs: number): void {
    const offers = new Map(events.flatMap((event) => event.offers.map((offer) => [offer.id, offer] as const)));
    for (const id of this.#points.keys()) if (!offers.has(id)) this.#points.delete(id);
    for (const { id, soldOut, percentageRemaining } of offers.values()) {
      if (soldOut || percentageRemaining === null) this.#points.delete(id);
      else this.#add(id, { atMs, percent: percentageRemaining });
    }
  }

  #add(id: string, point: StockPoint): void {
    const points = this.#points.get(id) ?? [];
    const last = points.at(-1);
    // More stock than before, or a clock that was set back, begins anew.
    const isOn = last !== undefined && point.percent <= last.percent && point.atMs > last.atMs;
    this.#points.set(id, isOn ? [...points, point].slice(-MOST_POINTS) : [point]);
  }

  /** When the offer will have sold out at its present pace: epoch milliseconds; null where that can't be said. */
  sellsOutAtMs(offerId: string, nowMs: number): number | null {
    const points = this.#points.get(offerId) ?? [];
    const [first, last] = [points[0], points.at(-1)];
    if (!first || !last || points.length < LEAST_POINTS || first.percent - last.percent < LEAST_FALL) return null;
    const emptyMs = emptyAtMs(points);
    return emptyMs > nowMs && emptyMs - nowMs < FARTHEST_MS ? emptyMs : null;
  }

  /** The event with the moment at which each of its offers sells out, where that is before its end. */
  foretold(event: DealEvent, nowMs: number): DealEvent {
    const offers = event.offers.map((offer) => {
      const sellsOutAtMs = this.sellsOutAtMs(offer.id, nowMs);
      const isInTime = sellsOutAtMs !== null && (event.endDateMs === null || sellsOutAtMs < event.endDateMs);
      return isInTime && !offer.soldOut ? { ...offer, sellsOutAtMs } : offer;
    });
    return { ...event, offers };
  }
}

/** Where the line that fits the points best reaches zero. The points fall. */
function emptyAtMs(points: readonly StockPoint[]): number {
  const mean = (of: (point: StockPoint) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanMs, meanPercent] = [mean(({ atMs }) => atMs), mean(({ percent }) => percent)];
  const together = mean(({ atMs, percent }) => (atMs - meanMs) * (percent - meanPercent));
  const spread = mean(({ atMs }) => (atMs - meanMs) ** 2);
  return meanMs - meanPercent / (together / spread);
}
