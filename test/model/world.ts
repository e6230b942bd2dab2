import {
  type Answer,
  Catalog,
  type Change,
  type Entity,
  type Moment,
  type News,
  type Seen,
  type Told,
} from './catalog.ts';
import { Channel, type Debt, type Finding, iso, type Span, type Standing } from './channel.ts';
import type { Evidence, Prices } from './evidence.ts';
import type { NewsKind, Posted } from './reading.ts';
import { type ProductWatch, Watched } from './watches.ts';

/** A wish of somebody's to have news posted in a channel. */
export interface Want<E extends Entity> {
  channel: string;
  /** The part of the catalog that is followed, or the product, whatever part shows it. */
  follows: { resource: string } | { product: string };
  kinds: readonly NewsKind[];
  /** The least price drop: percent. */
  leastDrop: number;
  /** Whether some of what is there at first may be posted as examples. */
  hasExamples: boolean;
  wants: (entity: E, botMs: number) => boolean;
  /** Whether a state is awaited, whatever change brings it, and told once: then no single change has to be told. */
  awaitsState?: boolean;
  /** Whether a person has chosen to skip its news for now. */
  isSkipped?: () => boolean;
  /** The names of the fields that decide that, where some of an entity may be unknown at first. */
  asks?: ReadonlySet<string>;
  /** When news of a moment may be posted: both by the bot's clock. */
  dueAtMs: (botMs: number) => number;
}

interface Follower<E extends Entity> {
  want: Want<E>;
  /** Whether its resource was read since. */
  isReading: boolean;
}

/** What is not known of something new is waited for in so many answers. */
const DECIDED_AFTER_ANSWERS = 3;

/** It may be posted at any time from its answer on. */
const AT_ONCE: (debt: Debt) => Span = ({ foundAtMs, dueAtMs, isOptional }) => {
  return { fromMs: foundAtMs, dueFromMs: dueAtMs, untilMs: Infinity, isOptional, wrongByMs: 0 };
};

/**
 * What must stand in the channels, given what the catalog served and when, and who wanted what: computed from nothing else,
 * plainly, from what is promised to people. It knows no clock, and nothing that the bot has noted of itself.
 */
export class World<E extends Entity> {
  readonly #catalog = new Catalog<E>();
  readonly #channels = new Map<string, Channel>();
  readonly #watched = new Map<string, Watched>();
  readonly #followers = new Map<string, Follower<E>[]>();
  readonly #spanOf: (debt: Debt) => Span;
  /** The news of each entity that is or was owed, by channel and key. */
  readonly #owed = new WeakMap<Seen<E>, Map<string, Debt>>();
  readonly #counts = { debts: 0, ofProducts: 0 };

  /** @param spanOf the time in which a debt has to be posted; without it, at any time from its answer on */
  constructor(spanOf: (debt: Debt) => Span = AT_ONCE) {
    this.#spanOf = spanOf;
  }

  channel(id: string): Channel {
    const known = this.#channels.get(id);
    if (known) return known;
    const channel = new Channel(id, this.#spanOf);
    this.#channels.set(id, channel);
    return channel;
  }

  /** From now on: what the next answer shows is there already, and owed to nobody. */
  follow(want: Want<E>): void {
    const key = keyOf(want.follows);
    this.#followers.set(key, [...(this.#followers.get(key) ?? []), { want, isReading: false }]);
  }

  /** From now on somebody is told when a product is what they wait for. */
  watch(watch: ProductWatch, now: Moment): void {
    const watched = new Watched(watch, this.channel(watch.channel), (...low) => this.#catalog.lowness(...low));
    this.#watched.set(watch.channel, watched);
    this.#look(watched, now, true);
  }

  /** From now on nobody in the channel wants anything, as it is gone: nothing has to come there any more. */
  leave(channel: string): void {
    for (const [key, all] of this.#followers) {
      this.#followers.set(
        key,
        all.filter(({ want }) => want.channel !== channel),
      );
    }
    this.#watched.delete(channel);
    this.channel(channel).excuse();
  }

  /** From now on a channel is followed anew: what the next answers show is there already. */
  resume(channel: string): void {
    for (const follower of [...this.#followers.values()].flat()) {
      if (follower.want.channel === channel) follower.isReading = false;
    }
  }

  /** Takes an answer that the catalog has sent whole. */
  serve(answer: Answer<E>, now: Moment): void {
    this.#take(this.#catalog.answer(answer, now), now);
    for (const follower of this.#followers.get(keyOf(answer)) ?? []) follower.isReading = true;
  }

  /**
   * Takes what offers say of themselves when the bot asks them, by id; null where one can't be bought any more. It asks last of
   * all: what time alone has brought by then is news before.
   */
  ask(answers: ReadonlyMap<string, Told | null>, now: Moment): void {
    this.pass(now);
    this.#take(this.#catalog.ask(answers, now), now);
  }

  /** Whether an entity may be believed to be so; true for one that is not known. */
  mayBe(id: string, { isSoldOut, price, product }: Pick<Entity, 'isSoldOut' | 'price' | 'product'>): boolean {
    const seen = this.#catalog.get(id);
    if (!seen) return true;
    const isPrice = ([cheapest]: Prices) => cheapest === price || (!(cheapest > 0) && !(price > 0));
    // What no answer has shown readably may be anything.
    const may = <V>(field: Evidence<V>, is: (value: V) => boolean) => field.beliefs.length === 0 || field.mayBe(is);
    return (
      may(seen.stock, (soldOut) => soldOut === isSoldOut) &&
      may(seen.price, isPrice) &&
      may(seen.product, (name) => name === product)
    );
  }

  /** Takes it that somebody has asked for offers themselves: the bot for its own use, or a person, for whom it believes nothing. */
  served(ids: Iterable<string>, { trueMs }: Moment): void {
    for (const id of ids) this.#catalog.get(id)?.servedMs.push(trueMs);
  }

  /** Lets time pass: whatever ends soon is news. */
  pass(now: Moment): void {
    this.#take(this.#catalog.pass(now), now);
  }

  #take(changes: readonly Change<E>[], now: Moment): void {
    for (const { seen, news, isRepriced } of changes) {
      if (isRepriced) for (const channel of this.#channels.values()) channel.reprice(seen, now.trueMs);
      this.#tell(seen, news, now);
    }
    const renamed = changes.filter(({ renamedFrom }) => renamedFrom !== null);
    for (const watched of this.#watched.values()) {
      this.#follow(watched, renamed);
      this.#look(watched, now);
    }
  }

  #look(watched: Watched, now: Moment, isNew = false): void {
    const { listings, isSure } = this.#catalog.listings(watched.watch.product);
    // Which of them it sells is open.
    if (!isSure) this.channel(watched.watch.channel).neglect();
    watched.look(listings, now, isNew);
  }

  /** A watch moves along with the offer on which it was made, and with the last that sells its product. */
  #follow({ watch }: Watched, renamed: readonly Change<E>[]): void {
    const former = renamed.filter(({ renamedFrom }) => renamedFrom === watch.product);
    const own = former.find(({ seen }) => seen.entity.id === watch.offerId);
    const { listings } = this.#catalog.listings(watch.product);
    const isSold = listings.some((seen) => seen.heldFromMs === Infinity);
    const [first, ...others] = own ? [own] : former;
    if (!first || (!own && isSold)) return;
    const mayBeSold = listings.some((seen) => !seen.stock.isSurely((isSoldOut) => isSoldOut));
    if (!own && (others.length > 0 || mayBeSold)) this.channel(watch.channel).neglect();
    watch.product = first.seen.entity.product ?? watch.product;
  }

  /** Takes what a message says from some moment on. */
  show(channel: string, { over }: Posted, now: Moment): void {
    for (const url of over) {
      if (!this.#catalog.mayBeOver(url, now))
        this.channel(channel).find('untrue', url, `said to be over at ${iso(now.trueMs)}`);
    }
  }

  /** Takes what a message says when all that was to be changed in it has been: it says of what is over that it is. */
  stand(channel: string, posted: Posted, now: Moment): void {
    this.show(channel, posted, now);
    if (posted.count !== null) return;
    for (const { url } of posted.news) {
      if (!posted.over.includes(url) && this.#catalog.isSurelyOver(url, now))
        this.channel(channel).find('untrue', url, `not said to be over at ${iso(now.trueMs)}`);
    }
  }

  /** Takes the list that a combined post opens: it has to hold all that the post names, and as many as it says. */
  list(channel: string, { count, news }: Posted, listed: ReadonlySet<string>): void {
    if (listed.size === count && news.every(({ url }) => listed.has(url))) return;
    this.channel(channel).find('untrue', null, `a combined post says ${count} and lists ${listed.size}`);
  }

  /** All that is wrong, if nothing more comes. @param nowMs by the right time */
  findings(nowMs = Infinity): Finding[] {
    return [...this.#channels.values()].flatMap((channel) => channel.findings(nowMs));
  }

  /** How many debts there were, for products that somebody follows, told by now, and over before they had to be told. */
  counts(nowMs = Infinity): { debts: number; ofProducts: number; told: number; over: number } {
    const all = [...this.#channels.values()];
    const standings = all.flatMap((channel) => channel.standings(nowMs));
    const count = (which: Standing) => standings.filter(({ is }) => is === which).length;
    const posted = all.reduce((sum, channel) => sum + channel.posted(), 0);
    return { ...this.#counts, told: posted + count('told'), over: count('over') };
  }

  #tell(seen: Seen<E>, news: readonly News[], now: Moment): void {
    const owed = this.#owed.get(seen) ?? new Map<string, Debt>();
    this.#owed.set(seen, owed);
    const fresh = new Map<string, { debt: Debt; keys: Set<string> }>();
    const variants = this.#catalog.variants(seen);
    for (const one of news) {
      const keys = one.resources.map((resource) => keyOf({ resource }));
      if (one.isOfProduct && seen.entity.product !== null) keys.push(keyOf({ product: seen.entity.product }));
      for (const follower of keys.flatMap((key) => this.#followers.get(key) ?? [])) {
        const wish = wishOf(follower, one, seen, variants, now.botMs);
        if (wish === null) continue;
        const { channel } = follower.want;
        const key = `${channel} ${one.key}`;
        const debt = debtOf(follower, one, seen, now, wish);
        const known = owed.get(key);
        if (known && !this.channel(channel).isForgotten(known)) {
          this.channel(channel).hasten(known, debt);
          // What could be told before, or was over before it was told, is owed now.
          if (!debt.isOptional) this.channel(channel).confirm(known, now.trueMs, debt.dueAtMs);
          // What waits for the state is dropped where it isn't so by then, and is told anew once it is.
          else if (follower.want.awaitsState) this.channel(channel).renew(known, now.trueMs, debt.dueAtMs);
          continue;
        }
        // What need not be told may be told later by itself, if it is found later.
        const place = `${channel} ${debt.isOptional}`;
        const others = fresh.get(place);
        fresh.set(place, { debt: joined(others?.debt, debt), keys: (others?.keys ?? new Set()).add(key) });
      }
    }
    // What one surely wants and another perhaps is one post: it may come as soon as either wants it.
    for (const [place, { debt, keys }] of fresh) {
      const sure = debt.isOptional ? fresh.get(`${debt.channel} false`) : undefined;
      if (!sure || ![...keys].every((key) => sure.keys.has(key))) continue;
      sure.debt.dueAtMs = Math.min(sure.debt.dueAtMs, debt.dueAtMs);
      fresh.delete(place);
    }
    for (const { debt, keys } of fresh.values()) {
      for (const key of keys) owed.set(key, debt);
      this.channel(debt.channel).owe(debt);
    }
    const debts = [...fresh.values()].map(({ debt }) => debt);
    const channels = (all: readonly Debt[]) => new Set(all.map(({ channel }) => channel)).size;
    this.#counts.debts += channels(debts);
    this.#counts.ofProducts += channels(debts.filter(({ isOfProduct }) => isOfProduct));
  }
}

function keyOf(follows: { resource: string } | { product: string }): string {
  return 'resource' in follows ? `resource ${follows.resource}` : `product ${follows.product}`;
}

/** Whether it stood in the first answer that was read for somebody. */
function isExample<E extends Entity>({ want, isReading }: Follower<E>, news: News): boolean {
  return news.isExample || ('resource' in want.follows && !isReading && want.hasExamples);
}

/** Whether somebody wants it: surely, or perhaps, as the rules leave open what it is or whether that is known; null for no. */
function wishOf<E extends Entity>(
  follower: Follower<E>,
  news: News,
  seen: Seen<E>,
  variants: readonly E[],
  botMs: number,
): 'surely' | 'perhaps' | null {
  const { want, isReading } = follower;
  const isState = want.awaitsState === true;
  if (news.isExample && !isState && (!want.hasExamples || news.kind !== seen.entity.first)) return null;
  if (!want.kinds.includes(news.kind)) return null;
  const [least, most] = news.percent;
  if (news.kind === 'drop' && most < want.leastDrop - 1e-9) return null;
  const isDecided = decide(follower, news, seen);
  if (isDecided === 'before') return null;
  const wanting = variants.filter((entity) => want.wants(entity, botMs));
  if (wanting.length === 0) return null;
  // Whether what it was followed for was there before is known only from the next answer on.
  const isNewHere = 'resource' in want.follows && !isReading;
  const isEnough = news.kind !== 'drop' || least >= want.leastDrop - 1e-9;
  const isOpen = isNewHere || isState || isDecided === 'later';
  return wanting.length === variants.length && isEnough && !isOpen ? 'surely' : 'perhaps';
}

/** Whether enough is known of what is new for somebody to decide: at the latest after some answers, with what there is. */
function decide<E extends Entity>(follower: Follower<E>, { unknown }: News, seen: Seen<E>): 'before' | 'now' | 'later' {
  if (unknown === null) return 'now';
  const { undecided } = seen;
  const { fields, none, answers } = unknown;
  if (answers > 1 && !undecided.has(follower)) return 'before';
  const asked = [...(follower.want.asks ?? [])];
  const isWaiting = fields.has('isSoldOut') || asked.some((name) => fields.has(name) || none.has(name));
  if (isWaiting && answers <= DECIDED_AFTER_ANSWERS) {
    undecided.add(follower);
    return 'later';
  }
  undecided.delete(follower);
  return 'now';
}

function debtOf<E extends Entity>(
  follower: Follower<E>,
  news: News,
  seen: Seen<E>,
  now: Moment,
  wish: 'surely' | 'perhaps',
): Debt {
  const { want } = follower;
  const isThere = isExample(follower, news);
  const dueAtMs = want.dueAtMs(now.botMs);
  return {
    channel: want.channel,
    url: seen.entity.url,
    kinds: new Set([news.kind]),
    foundAtMs: now.trueMs,
    dueAtMs,
    sureDueAtMs: dueAtMs,
    isOptional: news.isOptional || isThere || wish === 'perhaps',
    isExcused: false,
    isSkipped: want.isSkipped?.() === true,
    isExample: isThere,
    isOfProduct: 'product' in want.follows,
    sureFromMs: now.trueMs,
    fellFrom: news.fellFrom,
    risenFromMs: Infinity,
    seen,
    watch: null,
  };
}

/** All news that one answer brings of an entity is one post. */
function joined(one: Debt | undefined, other: Debt): Debt {
  if (!one) return other;
  return {
    ...one,
    kinds: new Set([...one.kinds, ...other.kinds]),
    dueAtMs: Math.min(one.dueAtMs, other.dueAtMs),
    sureDueAtMs: Math.min(one.sureDueAtMs, other.sureDueAtMs),
    isOptional: one.isOptional && other.isOptional,
    isSkipped: one.isSkipped && other.isSkipped,
    isExample: one.isExample && other.isExample,
    isOfProduct: one.isOfProduct || other.isOfProduct,
    // News that holds whatever the price makes all of it hold.
    fellFrom: Math.max(one.fellFrom, other.fellFrom),
  };
}
