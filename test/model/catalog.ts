import {
  type Belief,
  END_RULES,
  Evidence,
  FACT_RULES,
  isInsisting,
  PRICE_RULES,
  type Prices,
  STOCK_RULES,
  type Step,
} from './evidence.ts';
import { Presence } from './presence.ts';
import type { NewsKind } from './reading.ts';
import { Stories } from './stories.ts';

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
  /** The dearest price, where that is another one. */
  dearest?: number;
  /** All else that filters may ask for, by name. */
  facts?: Readonly<Record<string, unknown>>;
  /** The names of the facts, and of the fields above, that the answer does not show readably. What is in them here counts for nothing. */
  unreadable?: ReadonlySet<string>;
}

/** A part of the catalog as one answer that was sent whole shows it. */
export interface Answer<E extends Entity> {
  /** The part's name. */
  resource: string;
  entities: readonly E[];
  /** Ids of entities that stood in it, and could not be read. */
  unreadable?: ReadonlySet<string>;
  /** How many items without an identity stood in it. */
  nameless?: number;
  /** Whether what it does not show proves nothing. */
  isCutOff?: boolean;
}

/** What an offer says of itself when it is asked. */
export type Told = Pick<Entity, 'product' | 'price' | 'dearest' | 'isSoldOut' | 'facts' | 'unreadable'>;

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
  /** Percent by which it is cheaper: the least and the most that it may be counted as. NaN where it is not. */
  percent: readonly [least: number, most: number];
  /** The price from which on it is no news any more; NaN where it is whatever the price. */
  fellFrom: number;
  /** It may be told, and need not. */
  isOptional: boolean;
  /** Whether it concerns those who follow the product, whatever the resource. */
  isOfProduct: boolean;
  /** It stood in the first answer of its resource: that is no news, but may be shown as an example. */
  isExample: boolean;
  /** Of a first sight: what of it is not known. */
  unknown: Unknown | null;
}

/** What is not known of an entity that is new. */
export interface Unknown {
  /** The fields that no answer has shown readably. */
  fields: ReadonlySet<string>;
  /** Those of which it is said that there is none: that may count as known or not. */
  none: ReadonlySet<string>;
  /** The answers of the resource that have shown it by now. */
  answers: number;
}

/** One change of an entity. */
export interface Change<E extends Entity> {
  seen: Seen<E>;
  news: readonly News[];
  /** Whether another price may be believed than before. */
  isRepriced: boolean;
  /** The product that it sold before, where it is called something else now; null where it is not. */
  renamedFrom: string | null;
}

/** All that an answer may have done to the price and the stock of an entity. */
interface Heard {
  prices: readonly Step<Prices>[];
  stocks: readonly Step<boolean>[];
}

/** A price that a product has had. */
interface Cost {
  sinceMs: number;
  /** Whether two answers have shown it: then it may count. */
  mayCount: boolean;
  /** From when on it surely counts, as it could be bought; Infinity where it may not. */
  sureMs: number;
}

export type Certainty = 'surely' | 'perhaps' | 'no';

/** What an answer found. `arrivedIn`: the resource in which it is new; null for none. */
interface Found {
  changesMs: Seen['changesMs'];
  arrivedIn: string | null;
  isDoubtful: boolean;
  isFirst: boolean;
  /** Whether it has said so itself: no feed has shown it then. */
  isAsked: boolean;
  /** What it sold before; null for nothing. */
  product: string | null;
}

/** An entity, as far as it is known. */
export interface Seen<E extends Entity = Entity> {
  /** As it is believed to be. */
  entity: E;
  price: Evidence<Prices>;
  stock: Evidence<boolean>;
  end: Evidence<number>;
  product: Evidence<unknown>;
  facts: Map<string, Evidence<unknown>>;
  /** The resources that have shown it. */
  presences: Map<string, Presence>;
  /** How many answers of each have shown it, while something of it is not known. */
  arrivals: Map<string, { answers: number; isExample: boolean; isOptional: boolean }>;
  stories: Stories;
  /** The latest moments at which its stock, or its price, may have changed, oldest first. */
  changesMs: { stock: readonly number[]; price: readonly number[] };
  /** The price at which it could last surely be bought, and the one at which it was seen first; NaN for none. */
  livePrice: number;
  firstPrice: number;
  /** The moment from which it may be over for good, by the right time; Infinity while it is not. */
  overFromMs: number;
  /** All such moments. */
  overs: number[];
  /** The moment from which it is not over for good and yet can't be told of; Infinity while it can. */
  heldFromMs: number;
  /** The times in which it could not surely be told of, the first one first; -Infinity for a beginning that is not known. */
  holds: { fromMs: number; untilMs: number }[];
  /** Whether its end had passed by the bot's clock when that was looked at last, or since the last answer that shows it. */
  hadPassed: boolean;
  endTold: number;
  /** The price at which it became a low for sure, while it surely costs that; NaN for none. */
  lowPrice: number;
  /** Whether only one answer has called it sold out, which it is not, and it was over ever since. */
  isNewAgain: boolean;
  /** Whether it had ended when it was seen first, and has surely been over since. */
  wasOverAtFirst: boolean;
  /** Since when it says itself that it can't be bought while no feed shows it; null where it doesn't. */
  goneFor: { sinceBotMs: number; answers: number; isSure: boolean } | null;
  /** When it was served by itself, where it is not known to whom. */
  servedMs: number[];
  /** Who waits for more to be known of it: by channel, and by what they wait as. */
  undecided: Set<unknown>;
}

const ENDING_SOON_MS = 3 * 3_600_000;
/** Less than any two prices differ: dollars. */
const LEAST_STEP = 0.001;
/** The product has to have been seen for so long before a price of it can be a low. */
const LOW_AFTER_MS = 3 * 24 * 3_600_000;
/** An entity that can't be read is there and undecided for so many answers. */
const UNDECIDED_ANSWERS = 3;
/** An entity is forgotten that all have lacked for so long, and that has been over for so long. */
const FORGOTTEN_AFTER_MS = 8 * 24 * 3_600_000;
/** So many are many: where half of them are missing at once, or all of fewer, the offers themselves are asked. */
const MANY = 20;
/** Older changes are not remembered. */
const MOST_CHANGES = 100;
/** More combinations of what may be believed are not looked at. */
const MOST_COMBINATIONS = 16;

/** The offers and events that the catalog's answers have shown, and the news in them: from the answers and their times alone. */
export class Catalog<E extends Entity> {
  readonly #seen = new Map<string, Seen<E>>();
  readonly #byUrl = new Map<string, Set<Seen<E>>>();
  /** How many answers of each resource there were. */
  readonly #answers = new Map<string, number>();
  /** The ids that have stood in a resource unreadably, before they were known. */
  readonly #glimpsed = new Map<string, { atFirst: boolean; times: number }>();
  /** The resources whose first answer held items without an identity. */
  readonly #namelessAtFirst = new Set<string>();
  /** What each product has cost, by its name and by the price. */
  readonly #lows = new Map<string, Map<number, Cost>>();
  /** The products that an offer was called and is not any more, or is and was not: what they have cost is open. */
  readonly #renamed = new Set<string>();

  answer(answer: Answer<E>, now: Moment): Change<E>[] {
    const { resource, entities, unreadable = new Set<string>(), nameless = 0 } = answer;
    const answers = (this.#answers.get(resource) ?? 0) + 1;
    this.#answers.set(resource, answers);
    if (answers === 1 && nameless > 0) this.#namelessAtFirst.add(resource);
    for (const id of unreadable) this.#glimpse(resource, id, answers === 1);
    this.#miss(answer, now);
    return entities.flatMap((entity) => {
      const change = this.#show(resource, entity, answers, now);
      return isWorthTelling(change) ? [change] : [];
    });
  }

  /** Takes what offers say of themselves, by id; null where one can't be bought any more. */
  ask(answers: ReadonlyMap<string, Told | null>, now: Moment): Change<E>[] {
    return [...answers].flatMap(([id, told]) => {
      const seen = this.#seen.get(id);
      if (!seen) return [];
      const changesMs = { ...seen.changesMs };
      const { product } = seen.entity;
      const heard = told ? this.#settleBy(seen, told, now) : this.#endBy(seen, now);
      if (!told) this.#confirmMisses(seen);
      this.#believe(seen);
      this.#settle(seen, now);
      const found = { changesMs, arrivedIn: null, isDoubtful: false, isFirst: false, isAsked: true, product };
      const change = this.#newsOf(seen, heard, found, now);
      return isWorthTelling(change) ? [change] : [];
    });
  }

  /** Of what is missing together, one that was asked may speak for the others. */
  #confirmMisses({ presences }: Seen<E>): void {
    for (const other of this.#seen.values()) {
      for (const resource of presences.keys()) other.presences.get(resource)?.confirmMiss();
    }
  }

  #settleBy(seen: Seen<E>, { product, price, dearest, isSoldOut, facts = {}, unreadable }: Told, now: Moment): Heard {
    seen.goneFor = null;
    seen.end.skipItself();
    const settle = <V>(name: string, evidence: Evidence<V> | undefined, value: V): Step<V>[] => {
      if (!unreadable?.has(name)) return evidence?.settle(value, now) ?? [];
      evidence?.skipItself();
      return [];
    };
    for (const [name, value] of Object.entries(facts)) settle(name, seen.facts.get(name), value);
    if (product !== null) settle('product', seen.product, product);
    // That none of its items has a price says nothing.
    if (Number.isNaN(price)) seen.price.skipItself();
    const prices = Number.isNaN(price) ? [] : settle('price', seen.price, [price, dearest ?? price] as const);
    return { prices, stocks: settle('isSoldOut', seen.stock, isSoldOut) };
  }

  /** It settles that an end has passed that a feed tells of. What no feed shows has ended once it has said so for long. */
  #endBy(seen: Seen<E>, now: Moment): Heard {
    for (const field of [seen.price, seen.stock, seen.product, ...seen.facts.values()]) field.skipItself();
    const past = seen.end.said().find((end) => end <= now.botMs);
    if (past !== undefined && !isSurelyGone(seen)) {
      seen.end.settle(past, now);
      return { prices: [], stocks: [] };
    }
    if (!mayBeGone(seen)) return { prices: [], stocks: [] };
    const isSure = isSurelyGone(seen);
    const { sinceBotMs, answers, isSure: wasSure } = seen.goneFor ?? { sinceBotMs: now.botMs, answers: 0, isSure };
    seen.goneFor = { sinceBotMs, answers: answers + 1, isSure: wasSure && isSure };
    if (isInsisting(answers + 1, sinceBotMs, now.botMs)) seen.end.agree(now.botMs, wasSure && isSure, now);
    return { prices: [], stocks: [] };
  }

  /** The offers that may sell a product, and whether there is no doubt of that for any of them. */
  listings(product: string): { listings: Seen<E>[]; isSure: boolean } {
    const listings = [...this.#seen.values()].filter((seen) => seen.product.mayBe((name) => name === product));
    return { listings, isSure: listings.every((seen) => seen.product.isSurely((name) => name === product)) };
  }

  get(id: string): Seen<E> | undefined {
    return this.#seen.get(id);
  }

  /** Time alone: whatever ends soon. */
  pass(now: Moment): Change<E>[] {
    const ending: Change<E>[] = [];
    for (const seen of this.#seen.values()) {
      this.#settle(seen, now);
      const ends = seen.end.beliefs.map(({ value }) => value);
      const end = ends.find((one) => one > now.botMs && one - now.botMs <= ENDING_SOON_MS && one !== seen.endTold);
      if (end === undefined || seen.stock.isSurely((isSoldOut) => isSoldOut)) continue;
      const [sure, possible] = holders(seen);
      if (sure.length + possible.length === 0) continue;
      seen.endTold = end;
      const isOptional = ends.length > 1 || seen.stock.mayBe((isSoldOut) => isSoldOut) || mayBeGone(seen);
      const told = { ...PLAIN, kind: 'ends', key: `ends ${end}` } as const;
      const news = [
        { ...told, resources: sure, isOptional, isOfProduct: true },
        { ...told, resources: possible, isOptional: true },
      ];
      ending.push({ seen, news, isRepriced: false, renamedFrom: null });
    }
    return ending;
  }

  /** Whether it may be said of what has an address that it is over, by the bot's clock. */
  mayBeOver(url: string, { botMs }: Moment): boolean {
    const known = this.#byUrl.get(url);
    if (!known) return true;
    return [...known].some(
      (seen) => seen.stock.mayBe((isSoldOut) => isSoldOut) || seen.end.mayBe((end) => end <= botMs) || mayBeGone(seen),
    );
  }

  /** Whether there is no doubt that what has an address is over. */
  isSurelyOver(url: string, { botMs }: Moment): boolean {
    const known = this.#byUrl.get(url);
    if (!known) return false;
    return [...known].every(
      (seen) =>
        seen.stock.isSurely((isSoldOut) => isSoldOut) || seen.end.isSurely((end) => end <= botMs) || isSurelyGone(seen),
    );
  }

  /** All that an entity may be believed to be; the plainest comes first. */
  variants(seen: Seen<E>): E[] {
    let variants: E[] = [seen.entity];
    const vary = <V>({ beliefs }: Evidence<V>, change: (entity: E, value: V) => E) => {
      if (beliefs.length < 2) return;
      const values = [...new Map(beliefs.map(({ value }) => [JSON.stringify(value), value])).values()];
      variants = variants.flatMap((entity) => values.map((value) => change(entity, value))).slice(0, MOST_COMBINATIONS);
    };
    vary(seen.price, (entity, [price, dearest]) => ({ ...entity, price, dearest }));
    vary(seen.end, (entity, endsAtMs) => ({ ...entity, endsAtMs }));
    for (const [name, fact] of seen.facts)
      vary(fact, (entity, value) => ({ ...entity, facts: { ...entity.facts, [name]: value } }));
    return variants;
  }

  #glimpse(resource: string, id: string, atFirst: boolean): void {
    const key = `${resource} ${id}`;
    const known = this.#glimpsed.get(key) ?? { atFirst, times: 0 };
    this.#glimpsed.set(key, { ...known, times: known.times + 1 });
  }

  #miss({ resource, entities, unreadable, nameless = 0, isCutOff = false }: Answer<E>, now: Moment): void {
    const shown = new Set(entities.map(({ id }) => id));
    const missing = [...this.#seen].filter(([id, { presences }]) => presences.has(resource) && !shown.has(id));
    const lacked = missing.filter(([id, { presences }]) => !unreadable?.has(id) && presences.get(resource)?.mayBeIn);
    const isSurelyThere = (one: Seen<E>) =>
      shown.has(one.entity.id) && one.presences.get(resource)?.isSurelyIn && one.overFromMs > now.trueMs;
    const there = [...this.#seen.values()].filter(isSurelyThere).length;
    const mayBeMass = there === 0 || (lacked.length + there >= MANY && lacked.length >= there);
    for (const [id, one] of missing) {
      const presence = one.presences.get(resource);
      if (!presence) continue;
      if (unreadable?.has(id)) presence.beUnreadable();
      else if (!isCutOff) presence.miss(nameless > 0, lacked.length <= nameless, mayBeMass);
      for (const field of fieldsOf(one)) field.skip(resource);
      this.#settle(one, now);
      if (!presence.mayBeIn && now.trueMs - one.overFromMs > FORGOTTEN_AFTER_MS && isSurelyGone(one))
        this.#forget(id, one);
    }
  }

  #forget(id: string, one: Seen<E>): void {
    this.#seen.delete(id);
    const others = this.#byUrl.get(one.entity.url);
    others?.delete(one);
    if (others?.size === 0) this.#byUrl.delete(one.entity.url);
  }

  /** Notes since when it is over, or can't be told of for now. */
  #settle(seen: Seen<E>, { trueMs, botMs }: Moment): void {
    const isOver =
      seen.stock.beliefs.some(({ value, isSeenOnce }) => value && !isSeenOnce) || seen.end.mayBe((end) => end <= botMs);
    if (isOver && seen.overFromMs === Infinity) seen.overs.push(trueMs);
    seen.overFromMs = isOver ? Math.min(seen.overFromMs, trueMs) : Infinity;
    seen.hadPassed ||= seen.end.mayBe((end) => end <= botMs);
    const isMissed = [...seen.presences.values()].every(({ isMissing }) => isMissing);
    const isHeld = isOver || seen.stock.mayBe((isSoldOut) => isSoldOut) || mayBeGone(seen) || isMissed;
    if (!isHeld && seen.heldFromMs !== Infinity) seen.holds.push({ fromMs: seen.heldFromMs, untilMs: trueMs });
    seen.heldFromMs = isHeld ? Math.min(seen.heldFromMs, trueMs) : Infinity;
  }

  #show(resource: string, entity: E, answers: number, now: Moment): Change<E> {
    const { botMs } = now;
    const before = this.#seen.get(entity.id);
    const seen: Seen<E> = before ?? {
      entity,
      price: new Evidence(PRICE_RULES),
      stock: new Evidence(STOCK_RULES),
      end: new Evidence(END_RULES),
      product: new Evidence(FACT_RULES),
      facts: new Map(),
      presences: new Map(),
      arrivals: new Map(),
      stories: new Stories(),
      changesMs: { stock: [], price: [] },
      livePrice: Number.NaN,
      firstPrice: entity.price,
      overFromMs: Infinity,
      overs: [],
      heldFromMs: Infinity,
      holds: [],
      hadPassed: false,
      endTold: entity.endsAtMs - botMs <= ENDING_SOON_MS ? entity.endsAtMs : Number.NaN,
      lowPrice: Number.NaN,
      isNewAgain: false,
      wasOverAtFirst: false,
      goneFor: null,
      servedMs: [],
      undecided: new Set(),
    };
    this.#seen.set(entity.id, seen);
    this.#byUrl.set(entity.url, (this.#byUrl.get(entity.url) ?? new Set()).add(seen));
    const presence = seen.presences.get(resource);
    const here = presence ?? new Presence();
    if (presence) presence.show();
    seen.presences.set(resource, here);
    for (const [other, one] of seen.presences) {
      if (other === resource) continue;
      if (one.mayBeShown) here.showElsewhere();
      one.showElsewhere();
    }
    if (seen.goneFor) seen.goneFor.isSure = false;
    const product = before?.entity.product ?? null;
    const heard = this.#hear(seen, resource, entity, now);
    // What has ended by a clock that was ahead is so until an answer shows it.
    if (seen.hadPassed) seen.holds.push({ fromMs: -Infinity, untilMs: now.trueMs });
    seen.hadPassed = false;
    if (!before) seen.wasOverAtFirst = seen.end.isSurely((end) => end <= botMs);
    const changesMs = { ...seen.changesMs };
    this.#settle(seen, now);
    const news = presence ? this.#arrivalAgain(seen, resource) : this.#arrival(seen, resource, answers);
    const isFirst = !before && news.some(({ isExample }) => isExample);
    const arrivedIn = presence ? null : resource;
    const found = { changesMs, arrivedIn, isDoubtful: !here.isSurelyIn, isFirst, isAsked: false, product };
    const more = this.#newsOf(seen, heard, found, now);
    // What was not known where it is new may be known from this answer on.
    const elsewhere = [...seen.arrivals.keys()].filter((name) => name !== resource);
    const decided = elsewhere
      .flatMap((name) => this.#newsOfArrival(seen, name))
      .map((one) => ({ ...one, isOptional: true }));
    return isSurelyOver(seen, botMs) ? more : { ...more, news: [...news, ...decided, ...more.news] };
  }

  /** The news in what is believed of an entity now. */
  #newsOf(seen: Seen<E>, { prices, stocks }: Heard, found: Found, { trueMs, botMs }: Moment): Change<E> {
    const { changesMs, arrivedIn, isFirst, isAsked, product } = found;
    const renamedFrom = product === seen.entity.product ? null : product;
    if (seen.product.beliefs.length > 1 || renamedFrom !== null) {
      for (const name of [product, ...seen.product.beliefs.map(({ value }) => value)]) this.#renamed.add(String(name));
    }
    const news: News[] = [];
    const isNewCost = this.#lows.get(seen.entity.product ?? '')?.get(seen.entity.price)?.mayCount !== true;
    const isLow = this.#isLow(seen, { prices }, botMs, { isExample: isFirst, isAsked });
    if (!seen.price.isSurely(([price]) => price === seen.lowPrice)) seen.lowPrice = Number.NaN;
    const isRepriced = prices.some(({ before: was, after }) => was !== null && was !== after);
    if (stocks.some(isChange)) seen.changesMs.stock = withLatest(seen.changesMs.stock, trueMs);
    if (prices.some(isChange)) seen.changesMs.price = withLatest(seen.changesMs.price, trueMs);
    notePrices(seen, prices, trueMs);
    // What only one answer called sold out may be told as new after all, once it can be bought.
    seen.isNewAgain ||= stocks.some((step) => isBack(step) && step.before?.isSeenOnce);
    if (isSurelyOver(seen, botMs)) return { seen, news, isRepriced, renamedFrom };
    // So may what had ended in the first answers only.
    seen.isNewAgain ||= seen.wasOverAtFirst;
    seen.wasOverAtFirst = false;

    const isDoubtful = seen.heldFromMs !== Infinity || found.isDoubtful;
    const add: Add = (what, told, changesMs) => {
      const isSure = told.isOptional !== true && !isDoubtful;
      const { number, isOpen, isSilent } = seen.stories.tell(what, trueMs, changesMs, isSure);
      if (isSilent === 'yes') return;
      const [sure, possible] = holders(seen);
      const isOptional = !isSure || isOpen || isSilent === 'perhaps';
      const one = { ...PLAIN, ...told, key: `${what} ${number}` };
      // What is new here is told as such, and that shows it as it is.
      const resources = sure.filter((name) => name !== arrivedIn);
      news.push({ ...one, resources, isOptional, isOfProduct: true });
      news.push({ ...one, resources: arrivedIn === null ? possible : [...possible, arrivedIn], isOptional: true });
    };
    if (seen.isNewAgain) news.push(...arrivalsAnew(seen));
    seen.isNewAgain = false;
    this.#tellStock(stocks, changesMs.stock, add);
    const hasFallen = this.#tellPrice(prices, changesMs.price, add);
    // What became cheaper while it could not be told of may be told of now.
    const before = Number.isNaN(seen.livePrice) ? seen.firstPrice : seen.livePrice;
    const cheaper = new Set(seen.price.beliefs.map(({ value: [price] }) => price).filter((price) => price < before));
    for (const price of hasFallen ? [] : cheaper) {
      addDrop(add, price, [before], { isOptional: true, changesMs: changesMs.price });
    }
    if (isLow) news.push(...this.#lowNews(seen, isDoubtful || isLow === 'perhaps'));
    if (isLow === 'surely' && isNewCost && !isDoubtful) seen.lowPrice = seen.entity.price;
    if (!isDoubtful) seen.livePrice = seen.entity.price;
    return { seen, news, isRepriced, renamedFrom };
  }

  /** Takes all fields of an entity as evidence, and notes what is believed of it. */
  #hear(seen: Seen<E>, resource: string, entity: E, now: Moment): Heard {
    const { unreadable } = entity;
    const hear = <V>(name: string, evidence: Evidence<V>, value: V): Step<V>[] => {
      if (!unreadable?.has(name)) return evidence.state(resource, value, now);
      evidence.skip(resource);
      return [];
    };
    const prices = hear('price', seen.price, [entity.price, entity.dearest ?? entity.price]);
    const stocks = hear('isSoldOut', seen.stock, entity.isSoldOut);
    hear('endsAtMs', seen.end, entity.endsAtMs);
    hear('product', seen.product, entity.product);
    for (const [name, value] of Object.entries(entity.facts ?? {})) {
      const fact = seen.facts.get(name) ?? new Evidence(FACT_RULES);
      seen.facts.set(name, fact);
      hear(name, fact, value);
    }
    seen.entity = entity;
    this.#believe(seen);
    return { prices, stocks };
  }

  /** Notes what is believed of an entity. */
  #believe(seen: Seen<E>): void {
    const [price, dearest] = plainest(seen.price.beliefs) ?? [Number.NaN, Number.NaN];
    const facts = Object.fromEntries([...seen.facts].map(([name, { beliefs }]) => [name, plainest(beliefs) ?? null]));
    seen.entity = {
      ...seen.entity,
      price,
      dearest,
      isSoldOut: plainest(seen.stock.beliefs) ?? false,
      endsAtMs: plainest(seen.end.beliefs) ?? Infinity,
      product: (plainest(seen.product.beliefs) ?? null) as string | null,
      facts,
    };
  }

  #arrival(seen: Seen<E>, resource: string, answers: number): News[] {
    const glimpse = this.#glimpsed.get(`${resource} ${seen.entity.id}`);
    const isExample = answers === 1 || glimpse?.atFirst === true;
    const isOptional =
      (glimpse?.times ?? 0) >= UNDECIDED_ANSWERS ||
      (this.#namelessAtFirst.has(resource) && answers <= 1 + UNDECIDED_ANSWERS);
    seen.arrivals.set(resource, { answers: 1, isExample, isOptional });
    return this.#newsOfArrival(seen, resource);
  }

  /** The same once more, for those who could not decide yet. */
  #arrivalAgain(seen: Seen<E>, resource: string): News[] {
    const arrival = seen.arrivals.get(resource);
    if (!arrival) return [];
    arrival.answers += 1;
    const news = this.#newsOfArrival(seen, resource);
    if (arrival.answers > UNDECIDED_ANSWERS) seen.arrivals.delete(resource);
    return news;
  }

  #newsOfArrival(seen: Seen<E>, resource: string): News[] {
    const { answers = 1, isExample = false, isOptional = false } = seen.arrivals.get(resource) ?? {};
    const isHeld = seen.heldFromMs !== Infinity;
    const told = { kind: seen.entity.first, key: 'new', isExample, isOptional: isOptional || isHeld };
    const isOfProduct = seen.presences.size === 1;
    return [{ ...PLAIN, ...told, resources: [resource], isOfProduct, unknown: { ...unknownOf(seen), answers } }];
  }

  #tellStock(steps: readonly Step<boolean>[], changesMs: readonly number[], add: Add): void {
    // What only one answer called sold out may have been no more than an odd answer.
    const back = steps.filter((step) => isBack(step) && !step.before?.isSeenOnce);
    if (back.length > 0) add('back', { kind: 'back', isOptional: back.length < steps.length }, changesMs);
  }

  /** Returns whether it has become cheaper. */
  #tellPrice(steps: readonly Step<Prices>[], changesMs: readonly number[], add: Add): boolean {
    const falls = steps.flatMap(({ before, after }) => {
      if (before === null || !isChange({ before, after })) return [];
      const from = fallOf(before, after.value[0]);
      return from === null ? [] : [{ from, to: after.value[0] }];
    });
    for (const to of new Set(falls.map((fall) => fall.to))) {
      const same = falls.filter((fall) => fall.to === to);
      const froms = same.map(({ from }) => from);
      addDrop(add, to, froms, { isOptional: same.length < steps.length, changesMs });
    }
    return falls.length > 0;
  }

  /**
   * Notes the prices at which a product may be bought. Says whether it had always cost more, for long enough, and two answers
   * have shown the price: surely, or perhaps where what only one answer has shown of other prices may count or not.
   */
  #isLow(
    seen: Seen<E>,
    { prices: steps }: Pick<Heard, 'prices'>,
    atMs: number,
    { isExample, isAsked }: { isExample: boolean; isAsked: boolean },
  ): 'surely' | 'perhaps' | null {
    const { product, price } = seen.entity;
    if (product === null) return null;
    const mayBeOver = seen.stock.mayBe((isSoldOut) => isSoldOut) || seen.end.mayBe((end) => end <= atMs);
    const known = this.#lows.get(product) ?? new Map<number, Cost>();
    this.#lows.set(product, known);
    const others = [...known].filter(([other]) => other !== price);
    const sure = others.filter(([, { sureMs }]) => sureMs !== Infinity);
    const possible = others.filter(([, { mayCount }]) => mayCount);
    const isBelow = (all: typeof others) => all.every(([other]) => price < other);
    const isAgo = (sinceMs: number) => atMs - sinceMs >= LOW_AFTER_MS;
    if (known.size > 0 || seen.stock.mayBe((isSoldOut) => !isSoldOut)) {
      for (const { value, isSeenOnce } of seen.price.beliefs) {
        const [cost] = value;
        if (Number.isNaN(cost)) continue;
        const fresh = { sinceMs: atMs, mayCount: false, sureMs: Infinity };
        const { sinceMs, mayCount, sureMs } = known.get(cost) ?? fresh;
        const isSure = !isSeenOnce && !mayBeOver && !isAsked;
        known.set(cost, {
          sinceMs,
          mayCount: mayCount || !isSeenOnce,
          sureMs: isSure ? Math.min(sureMs, atMs) : sureMs,
        });
      }
    }
    if (
      seen.stock.isSurely((isSoldOut) => isSoldOut) ||
      !(isBelow(sure) && possible.some(([, { sinceMs }]) => isAgo(sinceMs)))
    )
      return null;
    // Nothing is claimed with a price that only one answer has shown.
    if (seen.price.beliefs.every(({ value, isSeenOnce }) => value[0] !== price || isSeenOnce)) return null;
    const [belief, ...beliefs] = seen.price.beliefs;
    const isConfirmed = steps.some(({ before, after }) => before?.isSeenOnce === true && !after.isSeenOnce);
    const isOnly = beliefs.length === 0 && belief?.isSeenOnce === false && seen.product.beliefs.length === 1;
    return isConfirmed && isOnly && !isExample && isBelow(others) && sure.some(([, { sureMs }]) => isAgo(sureMs))
      ? 'surely'
      : 'perhaps';
  }

  /** Whether a price of an offer is the lowest that its product ever cost, for as long as it costs that. */
  lowness({ entity: { product }, lowPrice, price: { beliefs } }: Seen, price: number, atMs: number): Certainty {
    if (product === null) return 'no';
    if (this.#renamed.has(product)) return 'perhaps';
    const others = [...(this.#lows.get(product) ?? [])].filter(([other]) => other !== price);
    if (price === lowPrice && others.every(([other]) => price < other)) return 'surely';
    const isBelow = others.every(([other, { sureMs }]) => price < other || sureMs === Infinity);
    const isLongAgo = others.some(([, { sinceMs, mayCount }]) => mayCount && atMs - sinceMs >= LOW_AFTER_MS);
    const isShownTwice = beliefs.some(({ value, isSeenOnce }) => value[0] === price && !isSeenOnce);
    return isBelow && isLongAgo && isShownTwice ? 'perhaps' : 'no';
  }

  #lowNews(seen: Seen<E>, isOptional: boolean): News[] {
    const { price } = seen.entity;
    const [sure, possible] = holders(seen);
    // Whatever is dearer is no low: it has cost this.
    const low = { ...PLAIN, kind: 'low', key: `low ${price}`, fellFrom: price + LEAST_STEP } as const;
    return [
      { ...low, resources: sure, isOptional, isOfProduct: true },
      { ...low, resources: possible, isOptional: true },
    ];
  }
}

const isWorthTelling = <E extends Entity>({ news, isRepriced, renamedFrom }: Change<E>) =>
  news.length > 0 || isRepriced || renamedFrom !== null;

/** Whether another value may be believed than before: a second answer that shows the same is no change. */
const isChange = <V>({ before, after }: Step<V>) =>
  before !== null && JSON.stringify(before.value) !== JSON.stringify(after.value);

const withLatest = (changesMs: readonly number[], nowMs: number) => [...changesMs, nowMs].slice(-MOST_CHANGES);

const isBack = ({ before, after }: Step<boolean>) => before?.value === true && !after.value;

/** Notes the prices that may be believed now without having fallen: the same again is no news for a while. */
function notePrices(seen: Seen, steps: readonly Step<Prices>[], nowMs: number): void {
  const risen = steps.filter(
    ({ before, after }) =>
      before === null || (before.value[0] !== after.value[0] && fallOf(before, after.value[0]) === null),
  );
  for (const price of new Set(risen.map(({ after }) => after.value[0]))) {
    const isSure = steps.every(({ after }) => after.value[0] === price) && risen.length === steps.length;
    seen.stories.note(`drop ${price}`, nowMs, isSure);
  }
}

/** What is new, once more. */
function arrivalsAnew<E extends Entity>(seen: Seen<E>): News[] {
  const told = { kind: seen.entity.first, key: 'new', isOptional: true };
  return [...seen.arrivals].map(([name, { isExample }]) => ({ ...PLAIN, ...told, resources: [name], isExample }));
}

/** Adds news of a story. @param changesMs when it may have changed before */
type Add = (what: string, told: Pick<News, 'kind'> & Partial<News>, changesMs: readonly number[]) => void;

/** @param froms all prices that it may be said to have fallen from; one that is not above it says that it did not fall */
function addDrop(
  add: Add,
  to: number,
  froms: readonly number[],
  { isOptional, changesMs }: { isOptional: boolean; changesMs: readonly number[] },
): void {
  const above = froms.filter((from) => from > to);
  if (above.length === 0) return;
  const percents = froms.map((from) => (100 * (from - to)) / from);
  const percent = [Math.min(...percents), Math.max(...percents)] as const;
  const told = { kind: 'drop', percent, fellFrom: Math.max(...above) } as const;
  add(`drop ${to}`, { ...told, isOptional: isOptional || above.length < froms.length }, changesMs);
}

const PLAIN = {
  resources: [] as readonly string[],
  percent: [0, 0],
  fellFrom: Number.NaN,
  isOptional: false,
  isOfProduct: false,
  isExample: false,
  unknown: null,
} as const;

function plainest<V>([first]: readonly Belief<V>[]): V | undefined {
  return first?.value;
}

function fieldsOf<E extends Entity>(seen: Seen<E>): { skip(witness: string): void }[] {
  return [seen.price, seen.stock, seen.end, seen.product, ...seen.facts.values()];
}

/** What is not known of an entity, and what is said to be none. */
function unknownOf<E extends Entity>(seen: Seen<E>): Pick<Unknown, 'fields' | 'none'> {
  const named = [
    ['price', seen.price, (value: unknown) => PRICE_RULES.isNone(value as Prices)],
    ['isSoldOut', seen.stock, () => false],
    ['endsAtMs', seen.end, () => false],
    ...[...seen.facts].map(
      ([name, fact]) => [name, fact, (value: unknown) => FACT_RULES.isNone(value as string)] as const,
    ),
  ] as const;
  return {
    fields: new Set(named.filter(([, { beliefs }]) => beliefs.length === 0).map(([name]) => name)),
    none: new Set(
      named.filter(([, { beliefs }, isNone]) => beliefs.some(({ value }) => isNone(value))).map(([name]) => name),
    ),
  };
}

/** The price that one has fallen from: the last that two answers have shown, or any where none was; null for no fall. */
function fallOf({ value, isSeenOnce, last }: Belief<Prices>, to: number): number | null {
  const isPrice = !PRICE_RULES.isNone(value);
  const from = (isPrice && !isSeenOnce ? value : last.sure) ?? (isPrice ? value : last.any);
  return from !== null && to < from[0] ? from[0] : null;
}

/** The resources that surely hold an entity, and the others that may. */
function holders<E extends Entity>({ presences }: Seen<E>): [sure: string[], possible: string[]] {
  const here = [...presences].filter(([, presence]) => presence.mayBeIn);
  const isSure = ([, presence]: [string, Presence]) => presence.isSurelyIn && !presence.isMissing;
  return [here.filter(isSure).map(([name]) => name), here.filter((one) => !isSure(one)).map(([name]) => name)];
}

function mayBeGone<E extends Entity>({ presences }: Seen<E>): boolean {
  return [...presences.values()].every((presence) => !presence.isSurelyIn);
}

function isSurelyGone<E extends Entity>({ presences }: Seen<E>): boolean {
  return [...presences.values()].every((presence) => !presence.mayBeIn);
}

function isSurelyOver<E extends Entity>(seen: Seen<E>, botMs: number): boolean {
  return (
    seen.stock.isSurely((isSoldOut) => isSoldOut) || seen.end.isSurely((end) => end <= botMs) || isSurelyGone(seen)
  );
}
