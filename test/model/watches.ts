import type { Certainty, Moment, Seen } from './catalog.ts';
import { type Channel, type Debt, overFromMs } from './channel.ts';

/** A person's wish to be told when a product is what they wait for, under whatever id. */
export interface ProductWatch {
  channel: string;
  /** The offer on which it was made: where that is renamed, it moves along. */
  offerId: string;
  product: string;
  aim: 'price' | 'stock' | 'low' | 'end';
  /** The most that it may cost; Infinity for any price. */
  below: number;
  /** When news of a moment may be posted: both by the bot's clock. */
  dueAtMs: (botMs: number) => number;
}

/** A way in which a listing reaches an aim. */
interface Outcome {
  /** The price or the end that a message tells; null for neither. */
  value: number | null;
  /** The least of all listings counts: the cheapest, or the first to end. */
  order: number;
}

interface Reaching extends Outcome {
  seen: Seen;
}

/** How a watch may stand. Milliseconds by the bot's clock. */
interface Stand {
  /** Since when its aim is reached, or was reached last; null for never. */
  sinceMs: number | null;
  /** Since when it is not any more; null while it is. */
  endedMs: number | null;
  told: { id: string; value: number | null; debt: Debt } | null;
}

const HOUR_MS = 3_600_000;
/** The person is told again after it was not so for so long, or once stock has lasted for so long. */
const QUIET_MS = 6 * HOUR_MS;
/** An end that is so near is soon; one that is so much later is better. */
const SOON_MS = 3 * HOUR_MS;
/** A bot that was killed may have seen something so much later. */
const OPEN_MS = 15 * 60_000;
/** Less than any two prices differ: dollars. */
const LEAST_STEP = 0.001;
/** More ways in which a watch may stand, or in which its listings may be understood, are not followed. */
const MOST_WAYS = 32;

/** A watch of a product, and what its person is owed: what is so now, less what they were told. */
export class Watched {
  readonly watch: ProductWatch;
  readonly #channel: Channel;
  readonly #lowness: (seen: Seen, price: number, atMs: number) => Certainty;
  #stands: readonly Stand[] = [{ sinceMs: null, endedMs: null, told: null }];

  /** @param lowness whether a price of an offer is a low */
  constructor(watch: ProductWatch, channel: Channel, lowness: (seen: Seen, price: number, atMs: number) => Certainty) {
    this.watch = { ...watch };
    this.#channel = channel;
    this.#lowness = lowness;
  }

  /**
   * Looks at the listings of the product.
   * @param isNew whether the person makes the watch now: that the product is in stock is no news to them
   */
  look(listings: readonly Seen[], now: Moment, isNew = false): void {
    const ways = this.#waysOf(listings, now.botMs);
    const looks = this.#stands.flatMap((stand) => ways.flatMap((by) => this.#after(stand, by, listings, now)));
    const isTold = !(isNew && this.watch.aim === 'stock');
    const debts = new Map<Seen, Debt>();
    for (const { news } of isTold ? looks : []) {
      if (news) debts.set(news.seen, debts.get(news.seen) ?? this.#debtOf(news, now));
    }
    for (const [seen, debt] of debts) {
      debt.isOptional = !looks.every(({ news }) => news?.seen === seen);
      this.#replace(debt.isOptional);
      this.#channel.owe(debt);
    }
    const stands = looks.map(({ stand, news }): Stand => {
      const debt = news && debts.get(news.seen);
      return debt ? { ...stand, told: { id: news.seen.entity.id, value: news.value, debt } } : stand;
    });
    const nameOf = ({ told, ...times }: Stand) => JSON.stringify({ ...times, told: told && [told.id, told.value] });
    this.#stands = [...new Map(stands.map((stand) => [nameOf(stand), stand])).values()];
    if (this.#stands.length > MOST_WAYS) this.#channel.neglect();
  }

  /** What was not told yet is told with what is news now, and comes in a message of its own only where that may be none. */
  #replace(isOptional: boolean): void {
    for (const { told } of this.#stands) {
      if (!told || !this.#channel.isOpen(told.debt)) continue;
      if (isOptional) told.debt.isOptional = true;
      else this.#channel.cancel(told.debt);
    }
  }

  /** The ways in which the aim may be reached: by which listing; null for by none. */
  #waysOf(listings: readonly Seen[], botMs: number): (Reaching | null)[] {
    let ways: Reaching[][] = [[]];
    for (const seen of listings) {
      const outcomes = this.#outcomesOf(seen, botMs);
      ways = ways.flatMap((way) =>
        outcomes.map((outcome) => (outcome === null ? way : [...way, { seen, ...outcome }])),
      );
      if (ways.length > MOST_WAYS) ways = ways.slice(0, MOST_WAYS);
    }
    return ways.flatMap((way): (Reaching | null)[] => {
      if (way.length === 0) return [null];
      const least = Math.min(...way.map(({ order }) => order));
      return way.filter(({ order }) => order === least);
    });
  }

  /** The ways in which a listing may reach the aim; null where it may be that it does not. */
  #outcomesOf(seen: Seen, botMs: number): (Outcome | null)[] {
    const { aim } = this.watch;
    const isGone = [...seen.presences.values()].every(({ mayBeIn }) => !mayBeIn);
    const mayBeGone = [...seen.presences.values()].every(({ isSurelyIn }) => !isSurelyIn);
    const outcomes = new Map<string, Outcome | null>(mayBeGone ? [['null', null]] : []);
    const [stocks, ends, prices] = [seen.stock, seen.end, seen.price].map(({ beliefs }) =>
      beliefs.map(({ value }) => value),
    ) as [boolean[], number[], (readonly [number, number])[]];
    const isOver = (end: number, isSoldOut: boolean) => isSoldOut || end <= botMs;
    for (const isSoldOut of stocks.length > 0 ? stocks : [false, true]) {
      for (const end of ends.length > 0 ? ends : [Infinity]) {
        for (const [price] of prices.length > 0 ? prices : [[Number.NaN] as const]) {
          const reaches = isGone || isOver(end, isSoldOut) ? 'no' : this.#reaches(seen, price, end, botMs);
          const order = aim === 'end' ? end : price > 0 ? price : Infinity;
          const outcome = reaches === 'no' ? null : { value: aim === 'stock' ? null : order, order };
          outcomes.set(JSON.stringify(outcome), outcome);
          if (reaches === 'perhaps') outcomes.set('null', null);
        }
      }
    }
    return [...outcomes.values()];
  }

  /** Whether what can be bought is what the person waits for. */
  #reaches(seen: Seen, price: number, end: number, botMs: number): Certainty {
    const { aim, below } = this.watch;
    switch (aim) {
      case 'price':
        return price > 0 && price <= below ? 'surely' : 'no';
      case 'low':
        return this.#lowness(seen, price, botMs);
      case 'end':
        return end - botMs <= SOON_MS ? 'surely' : 'no';
      case 'stock':
        return 'surely';
    }
  }

  /** How a watch may stand after a look, and what its person is owed then. */
  #after(
    stand: Stand,
    by: Reaching | null,
    listings: readonly Seen[],
    { botMs }: Moment,
  ): { stand: Stand; news: Reaching | null }[] {
    if (by === null) {
      const ended = { stand: { ...stand, endedMs: stand.endedMs ?? botMs }, news: null };
      const stays = { stand, news: null };
      if (stand.sinceMs === null || stand.endedMs !== null) return [stays];
      // A price that one answer alone had shown was wrong: that it was told does not count.
      const told = listings.find(({ entity }) => entity.id === stand.told?.id);
      const isOnce = ({ last }: Seen['price']['beliefs'][number]) =>
        last.any?.[0] === stand.told?.value && last.sure?.[0] !== stand.told?.value;
      if (stand.told && told?.price.beliefs.some(isOnce))
        return [ended, { stand: { ...ended.stand, told: null }, news: null }];
      const mayLast = this.watch.aim === 'stock' && listings.some((one) => one.stock.beliefs.some(isSoldOutOnce));
      return mayLast ? [stays, ...(listings.some((one) => one.stock.beliefs.length > 1) ? [ended] : [])] : [ended];
    }
    const isNewStretch = stand.sinceMs === null || stand.endedMs !== null;
    const reached = isNewStretch ? { ...stand, sinceMs: botMs, endedMs: null } : stand;
    const owed = this.#isOwed(stand, by, botMs);
    const told = { stand: reached, news: by };
    const quiet = { stand: reached, news: null };
    return owed === 'perhaps' ? [told, quiet] : [owed === 'yes' ? told : quiet];
  }

  #isOwed({ sinceMs, endedMs, told }: Stand, { seen, value }: Reaching, botMs: number): 'yes' | 'no' | 'perhaps' {
    if (sinceMs === null) return 'yes';
    if (told === null) return endedMs === null ? 'no' : 'yes';
    if (this.#isBetter(value, told.value)) return 'yes';
    if (this.#channel.isOpen(told.debt)) {
      // Who was not told, as it was over before, is told now. What waits for another listing does not count as told.
      if (told.id !== seen.entity.id) return 'perhaps';
      if (endedMs !== null && overFromMs(told.debt) !== Infinity) return 'yes';
    }
    if (endedMs === null) return 'no';
    const lasted = this.watch.aim === 'stock' ? atLeast(endedMs - sinceMs, QUIET_MS) : 'no';
    const wasOver = atLeast(botMs - endedMs, QUIET_MS);
    return [lasted, wasOver].includes('yes') ? 'yes' : [lasted, wasOver].includes('perhaps') ? 'perhaps' : 'no';
  }

  #isBetter(value: number | null, told: number | null): boolean {
    if (this.watch.aim === 'stock' || value === null || told === null) return false;
    return this.watch.aim === 'end' ? value - told >= SOON_MS : value < told;
  }

  #debtOf({ seen, value }: Reaching, { trueMs, botMs }: Moment): Debt {
    const { channel, aim, below, dueAtMs: dueAt } = this.watch;
    const dueAtMs = dueAt(botMs);
    return {
      channel,
      url: seen.entity.url,
      kinds: new Set(['reached']),
      foundAtMs: trueMs,
      dueAtMs,
      sureDueAtMs: dueAtMs,
      isOptional: false,
      isExcused: false,
      isSkipped: false,
      isExample: false,
      isOfProduct: true,
      sureFromMs: trueMs,
      // A price of so much is one that the person waits for.
      fellFrom: aim === 'price' ? below + LEAST_STEP : aim === 'low' ? (value ?? 0) + LEAST_STEP : Number.NaN,
      risenFromMs: Infinity,
      seen,
      watch: this.watch,
    };
  }
}

const isSoldOutOnce = ({ value, isSeenOnce }: { value: boolean; isSeenOnce: boolean }) => value && isSeenOnce;

/** Whether something lasted for long enough, where the bot may have seen its end later. */
function atLeast(ms: number, leastMs: number): 'yes' | 'no' | 'perhaps' {
  if (Math.abs(ms - leastMs) <= OPEN_MS) return 'perhaps';
  return ms > leastMs ? 'yes' : 'no';
}
