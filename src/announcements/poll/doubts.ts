import type { Dissent, Dissents } from '../../deals/belief.ts';
import { astonishingFeeds, isMissingLong } from '../../deals/feed-presence.ts';
import { isInFeed, isMissing, type KnownOffer } from '../../deals/known-offer.ts';
import { hasEnded } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Clock } from '../../shared/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/time.ts';

/** Specification: "Other portal limits", POST /getoffers. */
const MOST_IN_ONE_REQUEST = 25;
/** Two feeds that disagree for longer than this are settled by the offer itself. */
const LASTING_MS = 10 * MINUTE_MS;
/**
 * The intervals after which the same offer is asked about again; the last one repeats. The first ones are short, because the
 * answer about an offer may be seconds or minutes behind its feed.
 */
export const AGAIN_AFTER_MS = [1, 3, 11, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE_MS);
/** The most unspent requests that accumulate for doubts, enough for a bad hour; as many are available at the start. */
export const MOST_SAVED = 5;
/** The same for news, enough for a sale that begins. */
export const MOST_SAVED_FOR_NEWS = 20;
/** The accumulated requests that are reserved for urgent doubts: a deal is asked about at once, and again after a minute. */
const LEFT_TO_URGENT = 2;

/** The fields that the catalog's answer about one offer holds. */
const ANSWERABLE: readonly (keyof Offer)[] = ['title', 'salePrice', 'isSoldOut'];

/**
 * How much a doubt matters: `waiting` where it holds back what is owed, `new` where a feed has changed its statement,
 * `missing` where the offer is missing together with much of its feed.
 */
type Rank = 'waiting' | 'new' | 'missing' | 'contradicted' | 'unconfirmed';

const URGENT: readonly Rank[] = ['waiting', 'new', 'missing'];
const RANKS: readonly Rank[] = [...URGENT, 'contradicted', 'unconfirmed'];

/** `sinceMs`: when a feed last changed its statement, epoch milliseconds; null where none did. */
interface Doubt {
  rank: Rank;
  sinceMs: number | null;
}

/**
 * The doubt about an offer that a request for the offer could settle; null where there is none.
 * @param isOwed whether a delivery of the offer waits
 * @param astonishing the feeds of which much is missing
 */
function doubtOf(
  known: KnownOffer,
  isOwed: (offerId: string) => boolean,
  astonishing: ReadonlySet<string>,
  nowMs: number,
): Doubt | null {
  const { dissents, seenOnce, prices, offer } = known;
  const said = dissents ? doubtfulDissents(known, dissents, nowMs) : [];
  const isUnconfirmed = seenOnce?.includes('salePrice') === true && prices.at(-1)?.observed !== undefined;
  const isMissed = [...astonishing].some((feed) => isMissingLong(known, feed, nowMs));
  const mayWait = isMissed || isMissing(known, nowMs) || (offer.isSoldOut && seenOnce?.includes('isSoldOut') === true);
  const newMs = said.filter(({ isOlder }) => !isOlder).map(({ sinceMs }) => sinceMs);
  const sinceMs = newMs.length > 0 ? Math.max(...newMs) : null;
  if ((said.length > 0 || mayWait) && isOwed(offer.id)) return { rank: 'waiting', sinceMs };
  if (said.length > 0) return { rank: sinceMs === null ? 'contradicted' : 'new', sinceMs };
  if (isMissed) return { rank: 'missing', sinceMs };
  return isUnconfirmed ? { rank: 'unconfirmed', sinceMs } : null;
}

/** The dissents that the offer itself can settle: new ones, and older ones that last. */
function doubtfulDissents(known: KnownOffer, dissents: Dissents, nowMs: number): Dissent[] {
  const heard = Object.entries(dissents).filter(([feed]) => isInFeed(known, feed));
  return heard.flatMap(([, own]) =>
    Object.entries(own).flatMap(([field, dissent]) => {
      const { sinceMs, isOlder, says } = dissent;
      // An end date that has passed is doubtful only while the offer is believed to go on.
      const isPastEnd =
        field === 'endDateMs' && typeof says === 'number' && says <= nowMs && !hasEnded(known.offer, nowMs);
      const isAnswerable = isPastEnd || ANSWERABLE.some((one) => one === field);
      return isAnswerable && (!isOlder || nowMs - sinceMs > LASTING_MS) ? [dissent] : [];
    }),
  );
}

/** The requests about an offer that is still in doubt. */
interface Asked {
  times: number;
  /** Monotonic milliseconds. */
  nextMs: number;
  /** The `sinceMs` of its doubt at the last request. */
  sinceMs: number | null;
}

/** Requests that accumulate over the day, and are spent one by one. */
class Savings {
  readonly #clock: Clock;
  readonly #most: number;
  #saved: number;
  #atMs: number;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
    this.#saved = most;
    this.#atMs = clock.monotonicMs();
  }

  /** Spends a request; false where so many are not left after it. @param perDay the requests of a day */
  spend(perDay: number, left: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#saved = Math.min(this.#most, this.#saved + ((nowMs - this.#atMs) / DAY_MS) * perDay);
    this.#atMs = nowMs;
    if (perDay === 0 || this.#saved < 1 + left) return false;
    this.#saved -= 1;
    return true;
  }
}

/** Chooses the offers to ask about, within a share of the day's requests. */
export class Doubts {
  readonly #clock: Clock;
  readonly #asked = new Map<string, Asked>();
  readonly #forDoubts: Savings;
  readonly #forNews: Savings;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#forDoubts = new Savings(clock, MOST_SAVED);
    this.#forNews = new Savings(clock, MOST_SAVED_FOR_NEWS);
  }

  /**
   * The ids for one request about offers that are to be posted; empty where nothing may be spent.
   * @param perDay the requests of a day for news
   */
  news(ids: readonly string[], perDay: number): string[] {
    return ids.length > 0 && this.#forNews.spend(perDay, 0) ? ids.slice(0, MOST_IN_ONE_REQUEST) : [];
  }

  /**
   * The ids for one request, those with waiting deliveries first; empty where none is due or nothing may be spent. Offers
   * that are not due yet fill the remaining places, which costs nothing, and their next due time stays.
   * @param perDay the requests of a day for doubts
   */
  next(all: Iterable<KnownOffer>, isOwed: (offerId: string) => boolean, perDay: number, nowMs: number): string[] {
    const monotonicMs = this.#clock.monotonicMs();
    const doubts = new Map<string, Doubt>();
    const offers = [...all];
    const astonishing = astonishingFeeds(offers, nowMs);
    for (const known of offers) {
      const doubt = doubtOf(known, isOwed, astonishing, nowMs);
      if (doubt) doubts.set(known.offer.id, doubt);
    }
    for (const id of this.#asked.keys()) if (!doubts.has(id)) this.#asked.delete(id);
    const byRank = [...doubts].sort(([, one], [, other]) => RANKS.indexOf(one.rank) - RANKS.indexOf(other.rank));
    const due = byRank.filter(([id, doubt]) => this.#isDue(id, doubt, monotonicMs));
    const [first] = due;
    if (!first || !this.#forDoubts.spend(perDay, URGENT.includes(first[1].rank) ? 0 : LEFT_TO_URGENT)) return [];
    for (const [id, { sinceMs }] of due.slice(0, MOST_IN_ONE_REQUEST)) {
      const times = this.#isNewer(id, sinceMs) ? 0 : (this.#asked.get(id)?.times ?? 0);
      const afterMs = AGAIN_AFTER_MS[Math.min(times, AGAIN_AFTER_MS.length - 1)] ?? DAY_MS;
      this.#asked.set(id, { times: times + 1, nextMs: monotonicMs + afterMs, sinceMs });
    }
    return [...new Set([...due, ...byRank].map(([id]) => id))].slice(0, MOST_IN_ONE_REQUEST);
  }

  #isDue(id: string, { sinceMs }: Doubt, monotonicMs: number): boolean {
    return (this.#asked.get(id)?.nextMs ?? Number.NEGATIVE_INFINITY) <= monotonicMs || this.#isNewer(id, sinceMs);
  }

  /** Whether a feed has changed its statement since the last request, so that the intervals start again. */
  #isNewer(id: string, sinceMs: number | null): boolean {
    const asked = this.#asked.get(id);
    return asked !== undefined && sinceMs !== null && sinceMs > (asked.sinceMs ?? Number.NEGATIVE_INFINITY);
  }
}
