import type { NewsKind } from './reading.ts';

/** An offer, an event or a dealcast as an answer of the catalog shows it. */
export interface Entity {
  id: string;
  /** The address that its posts link to. */
  url: string;
  /** The news of its first appearance. */
  first: 'new' | 'event' | 'dealcast';
  /** The product that it sells, under whatever id; null where nobody follows that. */
  product: string | null;
  isSoldOut: boolean;
  /** Epoch milliseconds; Infinity where that is not known. */
  endsAtMs: number;
  /** The cheapest price; NaN where it has none. */
  price: number;
}

/** A part of the catalog as one answer that was sent whole shows it. */
export interface Answer<E extends Entity> {
  /** The part's name. */
  resource: string;
  entities: readonly E[];
  /** Ids of entities that were not shown rightly: nothing is known of them. */
  hidden?: ReadonlySet<string>;
  /** Whether these stood in it, and could not be read. */
  isBroken?: boolean;
  /** Whether what it does not show proves nothing. */
  isCutOff?: boolean;
}

/** A moment by the right time, and by the bot's clock: epoch milliseconds. */
export interface Moment {
  trueMs: number;
  botMs: number;
}

/** A reason to post something of an entity. */
export interface News {
  kind: NewsKind;
  /** Identifies news that comes only once. */
  key: string;
  /** The resources whose followers it concerns. */
  resources: readonly string[];
  /** Percent by which it is cheaper, and the price before; NaN where it is not. */
  percent: number;
  fellFrom: number;
  /** It may be told, and need not. */
  isOptional: boolean;
  /** Whether it concerns those who follow the product, whatever the resource. */
  isOfProduct: boolean;
  /** It stood in the first answer of its resource: that is no news, but may be shown as an example. */
  isExample: boolean;
}

/** One change of an entity. */
export interface Change<E extends Entity> {
  seen: Seen<E>;
  news: readonly News[];
  /** Whether it costs more than before. */
  hasRisen: boolean;
}

/** An entity as it was shown last. */
export interface Seen<E extends Entity = Entity> {
  entity: E;
  /** The resources that have shown it, and how many whole answers it has been missing from since. */
  resources: Map<string, number>;
  /**
   * How many whole answers of each have come without it since it was last shown, those included in which it was hidden: a
   * resource that is cut off in between tells nothing, so two that were wrong may follow each other.
   */
  lacking: Map<string, number>;
  /** The moment from which it is over, by the right time; Infinity while it is not. */
  overFromMs: number;
  endTold: number;
  /** The news that channels were owed, by channel and key. */
  owed: Set<string>;
}

/** One answer without an entity may be wrong. In the time until it is gone, news of it may be told and need not. */
const GONE_AFTER_MISSES = 2;
/** An entity that so many answers of each resource lacked is forgotten. */
const MOST_MISSED = 100;
const ENDING_SOON_MS = 3 * 3_600_000;
/** The product has to have been seen for so long before a price of it can be a low. */
const LOW_AFTER_MS = 3 * 24 * 3_600_000;

/** The offers and events that the catalog's answers have shown, and the news in them: from the answers and their times alone. */
export class Catalog<E extends Entity> {
  readonly #seen = new Map<string, Seen<E>>();
  readonly #byUrl = new Map<string, Set<Seen<E>>>();
  readonly #read = new Set<string>();
  readonly #lows = new Map<string, { atMs: number; price: number }[]>();

  answer(answer: Answer<E>, now: Moment): Change<E>[] {
    if (!answer.isCutOff) this.#miss(answer, now.trueMs);
    const isFirst = !this.#read.has(answer.resource);
    this.#read.add(answer.resource);
    return answer.entities.flatMap((entity) => {
      const change = this.#show(answer.resource, entity, isFirst, now);
      return change.news.length > 0 || change.hasRisen ? [change] : [];
    });
  }

  /** Time alone: whatever ends soon. */
  pass({ trueMs, botMs }: Moment): Change<E>[] {
    const ending: Change<E>[] = [];
    for (const seen of this.#seen.values()) {
      const { entity, resources, endTold } = seen;
      const end = entity.endsAtMs;
      if (end <= botMs || end - botMs > ENDING_SOON_MS || endTold === end || entity.isSoldOut) continue;
      const held = [...resources].filter(([, missed]) => missed < GONE_AFTER_MISSES);
      if (held.length === 0) continue;
      seen.endTold = end;
      const parts = (isMissed: boolean) =>
        held.filter(([name, missed]) => (missed > 0 || isLackedTwice(seen, name)) === isMissed).map(([name]) => name);
      const told = { ...PLAIN, kind: 'ends', key: `ends ${end}` } as const;
      const news = [
        { ...told, resources: parts(false), isOptional: seen.overFromMs <= trueMs, isOfProduct: true },
        { ...told, resources: parts(true), isOptional: true },
      ];
      ending.push({ seen, news, hasRisen: false });
    }
    return ending;
  }

  /** Whether it may be said of what has an address that it is over, by the bot's clock. */
  mayBeOver(url: string, { trueMs, botMs }: Moment): boolean {
    const known = this.#byUrl.get(url);
    if (!known) return true;
    return [...known].some(({ overFromMs, entity }) => overFromMs <= trueMs || entity.endsAtMs <= botMs);
  }

  #miss({ resource, entities, hidden, isBroken = false }: Answer<E>, trueMs: number): void {
    const shown = new Set(entities.map(({ id }) => id));
    for (const [id, one] of this.#seen) {
      const missed = one.resources.get(resource);
      if (missed === undefined || shown.has(id)) continue;
      const isHidden = hidden?.has(id) === true;
      if (!isHidden || !isBroken) one.lacking.set(resource, (one.lacking.get(resource) ?? 0) + 1);
      if (!isHidden) one.resources.set(resource, missed + 1);
      const isMissing = [...one.resources.values()].every((count) => count > 0);
      const isLacking = [...one.resources.keys()].every((name) => isLackedTwice(one, name));
      if (isLacking || (isMissing && !isHidden)) one.overFromMs = Math.min(one.overFromMs, trueMs);
      if ([...one.resources.values()].every((count) => count > MOST_MISSED)) this.#forget(id, one);
    }
  }

  #forget(id: string, one: Seen<E>): void {
    this.#seen.delete(id);
    const others = this.#byUrl.get(one.entity.url);
    others?.delete(one);
    if (others?.size === 0) this.#byUrl.delete(one.entity.url);
  }

  #show(resource: string, entity: E, isFirst: boolean, { trueMs, botMs }: Moment): Change<E> {
    const before = this.#seen.get(entity.id);
    const seen: Seen<E> = before ?? {
      entity,
      resources: new Map(),
      lacking: new Map(),
      overFromMs: Infinity,
      endTold: entity.endsAtMs - botMs <= ENDING_SOON_MS ? entity.endsAtMs : Number.NaN,
      owed: new Set(),
    };
    this.#seen.set(entity.id, seen);
    this.#byUrl.set(entity.url, (this.#byUrl.get(entity.url) ?? new Set()).add(seen));
    const isNew = !seen.resources.has(resource);
    const { held, doubtful, isBack } = seenAgain(seen, resource);
    const was = before && { price: seen.entity.price, isSoldOut: seen.entity.isSoldOut };
    const isLow = this.#isLow(entity, was, botMs);
    const isOver = entity.isSoldOut || entity.endsAtMs <= botMs;
    seen.entity = entity;
    seen.resources.set(resource, 0);
    seen.lacking.delete(resource);
    seen.overFromMs = isOver ? Math.min(seen.overFromMs, trueMs) : Infinity;
    const news: News[] = [];
    const hasRisen = was !== undefined && entity.price > was.price;
    if (isOver) return { seen, news, hasRisen };
    const add = (told: Pick<News, 'kind' | 'key'> & Partial<News>) => {
      news.push({ ...PLAIN, ...told, resources: held, isOptional: isBack, isOfProduct: true });
      news.push({ ...PLAIN, ...told, resources: doubtful, isOptional: true });
    };
    if (isNew) {
      const told = { kind: entity.first, key: 'new', isExample: isFirst, isOfProduct: !before && !isFirst };
      news.push({ ...PLAIN, ...told, resources: [resource] });
    }
    const isCheaper = was !== undefined && entity.price < was.price;
    if (isLow && (was ? isCheaper : isNew && !isFirst)) add({ kind: 'low', key: `low ${entity.price}` });
    if (was?.isSoldOut) add({ kind: 'back', key: `back ${trueMs}` });
    if (isCheaper) {
      const percent = (100 * (was.price - entity.price)) / was.price;
      add({ kind: 'drop', key: `drop ${was.price} ${entity.price}`, percent, fellFrom: was.price });
    }
    return { seen, news, hasRisen };
  }

  /** Notes a price where it is new or can be paid again. True where the product had always cost more, for long enough. */
  #isLow({ product, price, isSoldOut }: E, was: { price: number; isSoldOut: boolean } | undefined, atMs: number) {
    const isSame = was !== undefined && !was.isSoldOut && was.price === price;
    if (product === null || isSoldOut || isSame || Number.isNaN(price)) return false;
    const prices = this.#lows.get(product) ?? [];
    this.#lows.set(product, [...prices, { atMs, price }]);
    const earlier = prices.filter((one) => one.atMs < atMs);
    const sinceMs = Math.min(...earlier.map((one) => one.atMs));
    return atMs - sinceMs >= LOW_AFTER_MS && earlier.every((one) => price < one.price);
  }
}

const PLAIN = {
  resources: [] as readonly string[],
  percent: 0,
  fellFrom: Number.NaN,
  isOptional: false,
  isOfProduct: false,
  isExample: false,
};

/**
 * The resources that hold an entity, of which one shows it now, and those that may: it was missing from their last answer.
 * An offer that all of them lacked, and that is back, may be taken for something new.
 */
function seenAgain(one: Seen, resource: string): { held: string[]; doubtful: string[]; isBack: boolean } {
  const { resources } = one;
  const others = [...resources].filter(([other, missed]) => other !== resource && missed < GONE_AFTER_MISSES);
  const isHeld = ([name, missed]: [string, number]) => missed === 0 && !isLackedTwice(one, name);
  return {
    held: [...(resources.has(resource) ? [resource] : []), ...others.filter(isHeld).map(([name]) => name)],
    doubtful: others.filter((other) => !isHeld(other)).map(([name]) => name),
    isBack: (resources.get(resource) ?? 0) >= GONE_AFTER_MISSES && others.length === 0,
  };
}

/** Whether two whole answers of a resource have come without it, rightly or not: then it may be taken to be gone there. */
function isLackedTwice({ lacking }: Seen, resource: string): boolean {
  return (lacking.get(resource) ?? 0) >= GONE_AFTER_MISSES;
}
