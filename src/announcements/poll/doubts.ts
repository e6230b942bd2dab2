import type { Dissents } from '../../deals/belief.ts';
import { isInFeed, isMissing, type KnownOffer } from '../../deals/known-offer.ts';
import { hasEnded } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Clock } from '../../shared/clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Specification: "Other portal limits", POST /getoffers. */
const MOST_IN_ONE_REQUEST = 25;
/** Two feeds that disagree for longer than this are settled by the offer itself. */
const LASTING_MS = 10 * MINUTE_MS;
/** The same offer is asked about again after so long; the last entry counts for all further times. */
const AGAIN_AFTER_MS = [30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS);
/** The most requests that doubts save up: those of a bad hour. */
const MOST_SAVED = 5;

/** The fields that an offer tells of itself when it is asked for. */
const TOLD: readonly (keyof Offer)[] = ['title', 'salePrice', 'isSoldOut'];

/** How much an offer's doubt matters: `waiting` where something is owed that it holds back. */
type Doubt = 'waiting' | 'contradicted' | 'unconfirmed';

const RANKS: readonly Doubt[] = ['waiting', 'contradicted', 'unconfirmed'];

/**
 * What is in doubt of an offer, and could be settled by asking for it; null for nothing.
 * @param isOwed whether a delivery of it waits
 */
function doubtOf(known: KnownOffer, isOwed: (offerId: string) => boolean, nowMs: number): Doubt | null {
  const { dissents, seenOnce, prices, offer } = known;
  const isUnsure = dissents !== undefined && hasDoubtfulDissent(known, dissents, nowMs);
  const isUnconfirmed = seenOnce?.includes('salePrice') === true && prices.at(-1)?.observed !== undefined;
  const mayWait = isMissing(known, nowMs) || (offer.isSoldOut && seenOnce?.includes('isSoldOut') === true);
  if ((isUnsure || mayWait) && isOwed(offer.id)) return 'waiting';
  if (isUnsure) return 'contradicted';
  return isUnconfirmed ? 'unconfirmed' : null;
}

/** Whether a feed says something new of a field that the offer can tell, or has disagreed for long. */
function hasDoubtfulDissent(known: KnownOffer, dissents: Dissents, nowMs: number): boolean {
  const heard = Object.entries(dissents).filter(([feed]) => isInFeed(known, feed));
  return heard.some(([, own]) =>
    Object.entries(own).some(([field, { sinceMs, isOlder, says }]) => {
      // That it has ended is settled, whichever end is right.
      const isPastEnd =
        field === 'endDateMs' && typeof says === 'number' && says <= nowMs && !hasEnded(known.offer, nowMs);
      const isTold = isPastEnd || TOLD.some((one) => one === field);
      return isTold && (!isOlder || nowMs - sinceMs > LASTING_MS);
    }),
  );
}

/** Chooses the offers to ask about, within a share of the day's requests. */
export class Doubts {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** The offers that were asked about, and are in doubt still: times, and monotonic milliseconds of the next. */
  readonly #asked = new Map<string, { times: number; nextMs: number }>();
  #saved = 1;
  #savedAtMs: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#savedAtMs = clock.monotonicMs();
  }

  /**
   * The ids for one request, those first whose deliveries wait; empty where nothing is in doubt or nothing may be spent.
   * They count as asked about.
   * @param perDay the requests of a day for doubts
   */
  next(all: Iterable<KnownOffer>, isOwed: (offerId: string) => boolean, perDay: number, nowMs: number): string[] {
    const monotonicMs = this.#clock.monotonicMs();
    this.#saved = Math.min(MOST_SAVED, this.#saved + ((monotonicMs - this.#savedAtMs) / DAY_MS) * perDay);
    this.#savedAtMs = monotonicMs;
    const byRank = new Map<Doubt, string[]>(RANKS.map((rank) => [rank, []]));
    const inDoubt = new Set<string>();
    for (const known of all) {
      const doubt = doubtOf(known, isOwed, nowMs);
      if (doubt === null) continue;
      const { id } = known.offer;
      inDoubt.add(id);
      if ((this.#asked.get(id)?.nextMs ?? Number.NEGATIVE_INFINITY) <= monotonicMs) byRank.get(doubt)?.push(id);
    }
    for (const id of this.#asked.keys()) if (!inDoubt.has(id)) this.#asked.delete(id);
    const ids = this.#saved < 1 || perDay === 0 ? [] : [...byRank.values()].flat().slice(0, MOST_IN_ONE_REQUEST);
    if (ids.length > 0) this.#saved -= 1;
    for (const id of ids) {
      const times = (this.#asked.get(id)?.times ?? 0) + 1;
      const afterMs = AGAIN_AFTER_MS[Math.min(times, AGAIN_AFTER_MS.length) - 1] ?? DAY_MS;
      this.#asked.set(id, { times, nextMs: monotonicMs + afterMs });
    }
    return ids;
  }
}
