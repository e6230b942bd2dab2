import { MINUTE_MS } from '../../src/shared/time.ts';
import type { Answer, Entity, Told } from '../model/catalog.ts';
import { type Event, type FeedName, type Mistake, type Oddity, offerName } from './story.ts';

/** An offer as one feed shows it. */
interface Shown {
  product: number;
  price: number | null;
  category: string;
  isSoldOut: boolean;
  /** Epoch milliseconds; Infinity for none. */
  endsAtMs: number;
}

/** What a feed answers, and what it says by the rules of evidence. */
export interface FeedAnswer {
  items: unknown[];
  says: Answer<Entity>;
}

/** What offers say of themselves: on the wire, and by the rules of evidence; null for one that can't be bought any more. */
export interface Asked {
  offers: unknown[];
  says: Map<string, Told | null>;
}

/** An event of the shop takes place so long after the last answer, and shortly before the next one. */
const EVENT_AFTER_MS = MINUTE_MS - 2_000;
const ITEM_ID = '00000000-0000-4000-9000-000000000000';
const BEGAN = '2026-09-01T00:00:00Z';

const urlOf = (offer: number): string => `https://www.example.com/offers/${offerName(offer)}`;
export const idOfOffer = (offer: number): string => `00000000-0000-4000-8000-${String(offer).padStart(12, '0')}`;

/** What a field is by the rules, where an answer shows it oddly: a value, or nothing that can be read. */
type Odd =
  | { wire: Record<string, unknown>; means: Partial<Entity> }
  | { wire: Record<string, unknown>; hides: string | readonly string[] };

function oddFieldsOf(how: Oddity, shown: Shown, nowMs: number): Odd | null {
  const price = shown.price ?? 20;
  const range = (amount: number) => ({ Minimum: amount, Maximum: amount });
  const odd: Partial<Record<Oddity, Odd>> = {
    'price null': { wire: { SalePrice: null }, means: { price: Number.NaN } },
    'price 0': { wire: { SalePrice: range(0) }, means: { price: Number.NaN } },
    'price -5': { wire: { SalePrice: range(-5) }, means: { price: Number.NaN } },
    'price absent': { wire: { SalePrice: undefined }, hides: 'price' },
    'price a text': { wire: { SalePrice: 'ask us' }, hides: 'price' },
    'price astonishing': { wire: { SalePrice: range(price * 40) }, means: { price: price * 40 } },
    'price a tenth': { wire: { SalePrice: range(price / 10) }, means: { price: price / 10 } },
    'price doubled': { wire: { SalePrice: range(price * 2) }, means: { price: price * 2 } },
    // The interface lets it be absent where it is not so.
    'stock absent': { wire: { IsSoldOut: undefined }, means: { isSoldOut: false } },
    'stock null': { wire: { IsSoldOut: null }, hides: 'isSoldOut' },
    'stock a text': { wire: { IsSoldOut: 'true' }, hides: 'isSoldOut' },
    'stock 1': { wire: { IsSoldOut: 1 }, hides: 'isSoldOut' },
    'stock turned': { wire: { IsSoldOut: !shown.isSoldOut }, means: { isSoldOut: !shown.isSoldOut } },
    'end past': {
      wire: { EndDate: new Date(nowMs - 60 * MINUTE_MS).toISOString() },
      means: { endsAtMs: nowMs - 60 * MINUTE_MS },
    },
    'end absent': { wire: { EndDate: undefined }, hides: 'endsAtMs' },
    'end a word': { wire: { EndDate: 'soon' }, hides: 'endsAtMs' },
    'categories absent': { wire: { Categories: undefined }, hides: 'categories' },
    'categories a text': { wire: { Categories: 'HOME' }, hides: 'categories' },
    // Its link names it meanwhile.
    'no title': { wire: { Title: '' }, hides: ['title', 'product'] },
    'title other': { wire: { Title: 'Something else' }, means: { facts: { title: 'Something else' } } },
  };
  return odd[how] ?? null;
}

/** The offers as each feed shows them: what is changed in one need not be in another. */
export class Shop {
  readonly #feeds = new Map<FeedName, Map<number, Shown>>();
  readonly #odd: { feed: FeedName; offer: number; how: Oddity }[] = [];
  /** Each offer as it was from some moment on, whatever feeds show, oldest first; null where there was none. */
  readonly #offers = new Map<number, { fromMs: number; shown: Shown | null }[]>();
  #lagMs = 0;
  readonly #mistakes: Mistake[] = [];
  /** What has been in an answer: the rest of an item that nobody has ever seen is never odd. */
  readonly #served = new Set<string>();

  /** Whether the event is one of the shop. */
  happen(event: Event, nowMs: number): boolean {
    const edit = (offer: number, feeds: readonly FeedName[], change: (shown: Shown) => Shown) => {
      const itself = this.#offers.get(offer)?.at(-1)?.shown;
      if (itself) this.#note(offer, change(itself), nowMs);
      for (const feed of feeds) {
        const shown = this.#of(feed).get(offer);
        if (shown) this.#of(feed).set(offer, change(shown));
      }
      return true;
    };
    const endOf = (inMinutes: number | null) => (inMinutes === null ? Infinity : nowMs + inMinutes * MINUTE_MS);
    switch (event.do) {
      case 'list': {
        const { product, price, category, isSoldOut, endsInMinutes } = event;
        const shown = { product, price, category, isSoldOut, endsAtMs: endOf(endsInMinutes) };
        for (const feed of event.feeds) this.#of(feed).set(event.offer, shown);
        this.#note(event.offer, shown, nowMs);
        return true;
      }
      case 'unlist':
        for (const feed of event.feeds) this.#of(feed).delete(event.offer);
        if (![...this.#feeds.values()].some((shown) => shown.has(event.offer))) this.#note(event.offer, null, nowMs);
        return true;
      case 'price':
        return edit(event.offer, event.feeds, (shown) => ({ ...shown, price: event.to }));
      case 'stock':
        return edit(event.offer, event.feeds, (shown) => ({ ...shown, isSoldOut: event.isSoldOut }));
      case 'end':
        return edit(event.offer, event.feeds, (shown) => ({ ...shown, endsAtMs: endOf(event.inMinutes) }));
      case 'rename':
        return edit(event.offer, event.feeds, (shown) => ({ ...shown, product: event.product }));
      case 'move':
        return edit(event.offer, event.feeds, (shown) => ({ ...shown, category: event.category }));
      case 'odd':
        this.#odd.push(event);
        return true;
      case 'asking':
        this.#mistakes.push(event.mistake);
        return true;
      case 'lag':
        this.#lagMs = event.seconds * 1000;
        return true;
      default:
        return false;
    }
  }

  /** The next answer of a feed. */
  answer(feed: FeedName, nowMs: number): FeedAnswer {
    const odd = this.#odd.filter((one) => one.feed === feed);
    for (const one of odd) this.#odd.splice(this.#odd.indexOf(one), 1);
    const items: unknown[] = [];
    const entities: Entity[] = [];
    const unreadable = new Set<string>();
    let nameless = 0;
    const isEmpty = odd.some(({ how }) => how === 'empty');
    for (const [offer, shown] of isEmpty ? [] : this.#of(feed)) {
      const item = itemOf(offer, shown);
      const served = `${feed} ${offer}`;
      const how = odd.find((one) => one.offer === offer)?.how ?? null;
      const isFirst = !this.#served.has(served);
      this.#served.add(served);
      if (how === 'missing') continue;
      if (how === 'no id' || how === 'an item of nothing') {
        items.push(how === 'no id' ? { ...item, OfferId: undefined } : null);
        nameless += 1;
      } else {
        const strange = how === null ? null : oddFieldsOf(how, shown, nowMs);
        // What astonishes does so beside what was known before.
        const isOdd = strange !== null && ('hides' in strange || !isFirst);
        items.push(isOdd ? { ...item, ...strange.wire } : item);
        entities.push(entityOf(offer, shown, isOdd ? strange : null));
      }
    }
    return { items, says: { resource: feed, entities, unreadable, nameless } };
  }

  /** The next answer about these offers themselves; null where it fails. */
  ask(ids: readonly string[], nowMs: number): Asked | null {
    const mistake = this.#mistakes.shift() ?? null;
    if (mistake === 'fails') return null;
    const asked: Asked = { offers: [], says: new Map(ids.map((id) => [id, null])) };
    for (const [index, id] of ids.entries()) {
      const told = mistake === 'lacks the first' && index === 0 ? null : this.#told(id, nowMs, mistake);
      if (!told) continue;
      asked.offers.push({ Id: id, IsOfferLiveNow: told.isLive, ...told.wire });
      asked.says.set(id, told.isLive ? told.says : null);
    }
    return asked;
  }

  /** What an offer says of itself where nothing is wrong with the answer; null where it can't be bought. */
  itself(id: string, nowMs: number): Told | null {
    const told = this.#told(id, nowMs, null);
    return told?.isLive ? told.says : null;
  }

  /** Whether the next answer about offers themselves is wrong. */
  get isMistaken(): boolean {
    return this.#mistakes.length > 0;
  }

  #told(id: string, nowMs: number, mistake: Mistake | null): (ReturnType<typeof toldOf> & { isLive: boolean }) | null {
    const atMs = nowMs - this.#lagMs;
    const past = (this.#offers.get(Number(id.slice(-12))) ?? []).filter(({ fromMs }) => fromMs <= atMs);
    const shown = (mistake === 'is old' ? (past.at(-2) ?? past.at(-1)) : past.at(-1))?.shown;
    if (!shown) return null;
    return { ...toldOf(shown, mistake), isLive: shown.endsAtMs > atMs && mistake !== 'not live' };
  }

  #note(offer: number, shown: Shown | null, nowMs: number): void {
    this.#offers.set(offer, [...(this.#offers.get(offer) ?? []), { fromMs: nowMs + EVENT_AFTER_MS, shown }]);
  }

  #of(feed: FeedName): Map<number, Shown> {
    const known = this.#feeds.get(feed) ?? new Map<number, Shown>();
    this.#feeds.set(feed, known);
    return known;
  }
}

const titleOf = (product: number) => `Kettle number ${product}`;

function itemOf(offer: number, { product, price, category, isSoldOut, endsAtMs }: Shown): Record<string, unknown> {
  return {
    OfferId: idOfOffer(offer),
    Title: titleOf(product),
    Condition: 'New',
    Categories: [category],
    Photo: 'https://www.example.com/kettle.jpg',
    Url: urlOf(offer),
    StartDate: BEGAN,
    EndDate: endsAtMs === Infinity ? null : new Date(endsAtMs).toISOString(),
    SalePrice: price === null ? null : { Minimum: price, Maximum: price },
    ListPrice: { Minimum: 200, Maximum: 200 },
    IsSoldOut: isSoldOut,
    Site: 'www.example.com',
  };
}

function entityOf(offer: number, shown: Shown, odd: Odd | null): Entity {
  const entity: Entity = {
    id: idOfOffer(offer),
    url: urlOf(offer),
    first: 'new',
    product: titleOf(shown.product),
    isSoldOut: shown.isSoldOut,
    endsAtMs: shown.endsAtMs,
    price: shown.price ?? Number.NaN,
    facts: { title: titleOf(shown.product), categories: [shown.category] },
  };
  if (odd === null) return entity;
  if ('hides' in odd) return { ...entity, unreadable: new Set([odd.hides].flat()) };
  const { title: product = entity.product } = (odd.means.facts ?? {}) as { title?: string };
  return { ...entity, ...odd.means, product, facts: { ...entity.facts, ...odd.means.facts } };
}

/** What an offer says of itself. */
function toldOf(shown: Shown, mistake: Mistake | null): { wire: Record<string, unknown>; says: Told } {
  const isSoldOut = mistake === 'stock turned' ? !shown.isSoldOut : shown.isSoldOut;
  const price = mistake === 'price of nobody' ? 33 : mistake === 'price null' ? null : shown.price;
  const title = mistake === 'title other' ? 'Something else' : titleOf(shown.product);
  const isUnread = mistake === 'stock null';
  return {
    wire: {
      Title: title,
      IsSoldOut: isUnread ? null : isSoldOut,
      Items: [{ Id: ITEM_ID, Title: title, SalePrice: price }],
    },
    says: {
      product: title,
      price: price ?? Number.NaN,
      isSoldOut,
      facts: { title },
      ...(isUnread ? { unreadable: new Set(['isSoldOut']) } : {}),
    },
  };
}
