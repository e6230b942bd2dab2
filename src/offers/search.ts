import { setImmediate as nextTurn } from 'node:timers/promises';
import MiniSearch, { type SearchOptions } from 'minisearch';
import type { KnownOffer } from '../deals/known-offer.ts';
import type { Offer } from '../deals/offer.ts';
import type { OfferBook } from './offer-book.ts';

/**
 * Full-text search over all offers in the book. The index follows every change: small ones at once, large ones in
 * slices.
 */
export interface OfferSearch {
  /**
   * The offers that match the words: available ones first, then the thing before what is for it, then by relevance, then the
   * newest. Tolerates a typo in longer words.
   */
  find(words: string): KnownOffer[];
  /**
   * Offers whose titles match the typed beginnings of words, for autocompletion; the newest offers for an empty text.
   */
  complete(typed: string, most: number): KnownOffer[];
  /** The nearest word of the offers to one that none of them has; null where some has it, or none is near. */
  nearest(word: string): string | null;
  /** Resolves when all changes so far are in the index. */
  settled(): Promise<void>;
  /** Stops following changes. */
  stop(): void;
}

/** The most words of a query; more would only cost time. */
export const MOST_WORDS = 8;
/** A beginning up to this length matches so many offers that the newest matches are as good as the most relevant. */
const SHORT_BEGINNING = 2;
/**
 * The changes that are indexed before other work runs: some ten milliseconds. A removal takes three times as long as an
 * addition.
 */
const SLICE = 100;
/** Only words of at least this length may contain typos: one letter in four. */
const FORGIVEN_LENGTH = 4;
const FORGIVEN_SHARE = 0.25;

interface Match {
  record: KnownOffer;
  score: number;
}

export function createOfferSearch(book: OfferBook): OfferSearch {
  const index = new OfferIndex();
  /** Changes that are not indexed yet: the record, or null where the offer was removed. */
  const waiting = new Map<string, KnownOffer | null>();
  let turn: NodeJS.Immediate | null = null;

  const search = (words: readonly string[]) =>
    inReadingOrder(
      index.search(words, (id) => book.get(id)),
      words,
      (id) => index.titleOf(id).trim().split(' '),
    );

  /** Stops at the first `most` matches, so most titles need not be read. */
  function newestBeginningWith(beginning: string, most: number): KnownOffer[] {
    const found: KnownOffer[] = [];
    for (const { offer, title } of index.newestFirst()) {
      const record = title.includes(` ${beginning}`) ? book.get(offer.id) : undefined;
      if (record?.overAtMs === null && found.push(record) === most) break;
    }
    return found;
  }

  /** Indexes one slice of the waiting changes, and the next slice after other work has run. */
  function takeIn(): void {
    for (const [id, record] of [...waiting].slice(0, SLICE)) {
      waiting.delete(id);
      if (record === null) index.remove(id);
      else index.put(record.offer);
    }
    turn = waiting.size > 0 ? setImmediate(takeIn) : null;
  }

  for (const { offer } of book.all()) index.put(offer);
  const forget = book.onChange(({ put: changed, removed }) => {
    for (const record of changed) waiting.set(record.offer.id, record);
    for (const id of removed) waiting.set(id, null);
    if (turn !== null) return;
    if (waiting.size > SLICE) turn = setImmediate(takeIn);
    else takeIn();
  });

  return {
    find: (words) => search(wordsOf(words)),
    complete(typed, most) {
      const words = wordsOf(typed);
      const last = words.at(-1) ?? '';
      if (last.length > SHORT_BEGINNING) return search(words).slice(0, most);
      if (words.length < 2) return newestBeginningWith(last, most);
      const found = search(words.slice(0, -1));
      const narrowed = found.filter(({ offer }) => index.titleOf(offer.id).includes(` ${last}`));
      return (narrowed.length > 0 ? narrowed : found).slice(0, most);
    },
    nearest: (word) => index.nearest(word),
    async settled() {
      while (turn !== null) await nextTurn();
    },
    stop() {
      forget();
      waiting.clear();
      if (turn) clearImmediate(turn);
      turn = null;
    },
  };
}

/** An offer in the form in which it was indexed. */
interface Indexed {
  offer: Offer;
  /** With a space before each word. */
  title: string;
}

/** The index from words to offers. */
class OfferIndex {
  readonly #offers = new Map<string, Indexed>();
  /** How often each word is in the index. A query word that is in it needs no typo tolerance, which is expensive. */
  readonly #vocabulary = new Map<string, number>();
  /** Whether the words that the index processes are being added or removed. */
  #usesPerWord: 1 | -1 = 1;
  readonly #index = new MiniSearch<Offer>({
    fields: ['title', 'subtitle', 'categories', 'condition'],
    extractField: (offer, field) => textOf(offer, field),
    tokenize: wordsOf,
    processTerm: (word) => {
      const uses = (this.#vocabulary.get(word) ?? 0) + this.#usesPerWord;
      if (uses > 0) this.#vocabulary.set(word, uses);
      else this.#vocabulary.delete(word);
      return word;
    },
    // Query words are not part of the vocabulary.
    searchOptions: { boost: { title: 3 }, processTerm: (word) => word },
  });
  readonly #isMisspelled = (word: string) => word.length > SHORT_BEGINNING && !this.#vocabulary.has(word);
  readonly #forgiving: SearchOptions = {
    prefix: this.#isMisspelled,
    fuzzy: (word) => (this.#isMisspelled(word) && word.length >= FORGIVEN_LENGTH ? FORGIVEN_SHARE : false),
  };
  /** The search modes from strict to lenient: the first that finds something gives the answer. */
  readonly #tries: readonly SearchOptions[] = [
    // Usually only the last word is incomplete.
    { combineWith: 'AND', prefix: (_, index, words) => index === words.length - 1 },
    { combineWith: 'AND', ...this.#forgiving },
    { combineWith: 'OR', ...this.#forgiving },
  ];

  put(offer: Offer): void {
    const before = this.#offers.get(offer.id);
    this.#offers.set(offer.id, { offer, title: ['', ...wordsOf(offer.title)].join(' ') });
    if (before && readsTheSame(before.offer, offer)) return;
    if (before) this.#takeOut(before.offer);
    this.#index.add(offer);
  }

  remove(id: string): void {
    const before = this.#offers.get(id);
    if (this.#offers.delete(id) && before) this.#takeOut(before.offer);
  }

  /** The matching offers, in no order. @param recordOf undefined where an offer is no longer known */
  search(words: readonly string[], recordOf: (id: string) => KnownOffer | undefined): Match[] {
    const query = words.slice(0, MOST_WORDS).join(' ');
    if (query === '') return [];
    for (const options of this.#tries) {
      const found = this.#index.search(query, options).flatMap(({ id, score }): Match[] => {
        const record = recordOf(String(id));
        return record ? [{ record, score }] : [];
      });
      if (found.length > 0) return found;
    }
    return [];
  }

  nearest(typed: string): string | null {
    const [word = '', ...others] = wordsOf(typed);
    if (others.length > 0 || word.length < FORGIVEN_LENGTH || this.#vocabulary.has(word)) return null;
    const [nearest] = this.#index.autoSuggest(word, { prefix: false, fuzzy: FORGIVEN_SHARE });
    return nearest?.suggestion ?? null;
  }

  newestFirst(): Indexed[] {
    return [...this.#offers.values()].toSorted((a, b) => (b.offer.startDateMs ?? 0) - (a.offer.startDateMs ?? 0));
  }

  /** With a space before each word; '' where it is not indexed. */
  titleOf(id: string): string {
    return this.#offers.get(id)?.title ?? '';
  }

  /**
   * Removes an offer completely and at once: with lazy removal, results would depend on earlier contents of the index.
   */
  #takeOut(offer: Offer): void {
    this.#usesPerWord = -1;
    try {
      this.#index.remove(offer);
    } finally {
      this.#usesPerWord = 1;
    }
  }
}

function textOf(offer: Offer, field: string): string {
  switch (field) {
    case 'id':
      return offer.id;
    case 'title':
      return offer.title;
    case 'subtitle':
      return offer.subtitle ?? '';
    case 'categories':
      return offer.categories.join(' ');
    default:
      return offer.condition ?? '';
  }
}

function readsTheSame(a: Offer, b: Offer): boolean {
  return ['title', 'subtitle', 'categories', 'condition'].every((field) => textOf(a, field) === textOf(b, field));
}

/** Splits a text into words. Case, accents and apostrophes make no difference. */
export function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFD')
    .replace(/[\p{Mn}'’]/gu, '')
    .toLowerCase();
  return folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/**
 * Available offers first, then the thing itself before accessories for it, then by relevance, then the newest.
 * @param titleOf the words of an offer's title
 */
function inReadingOrder(
  found: readonly Match[],
  words: readonly string[],
  titleOf: (id: string) => readonly string[],
): KnownOffer[] {
  const isAccessory = new Map(found.map(({ record }) => [record, isForAnother(titleOf(record.offer.id), words)]));
  const rank = ({ record }: Match) => (record.overAtMs === null ? 0 : 2) + (isAccessory.get(record) === true ? 1 : 0);
  return found
    .toSorted((a, b) => rank(a) - rank(b) || b.score - a.score || startOf(b) - startOf(a))
    .map(({ record }) => record);
}

/** Words after which a title names what the offer is for. */
const FOR: readonly string[] = ['for', 'fits', 'compatible'];

/** Whether a title has the words only behind one that says what the offer is for: `Case for iPad` is no iPad. */
function isForAnother(title: readonly string[], words: readonly string[]): boolean {
  const place = title.findIndex((word) => FOR.includes(word));
  if (place <= 0) return false;
  const isIn = (some: readonly string[]) => words.some((word) => some.some((one) => one.startsWith(word)));
  return isIn(title.slice(place + 1)) && !isIn(title.slice(0, place));
}

const startOf = ({ record }: Match) => record.offer.startDateMs ?? 0;
