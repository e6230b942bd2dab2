import MiniSearch, { type SearchOptions } from 'minisearch';
import type { KnownOffer } from '../deals/known-offer.ts';
import type { Offer } from '../deals/offer.ts';
import type { OfferBook } from './offer-book.ts';

/** Finds offers by words among all that the book knows. It follows every change: a few at once, many within moments. */
export interface OfferSearch {
  /** What the words tell of: what can be bought first, then the best match, then the newest. Forgives a typo in a longer word. */
  find(words: string): KnownOffer[];
  /** Offers whose titles the typed beginnings of words tell of, for somebody who is still typing; the newest for nothing. */
  complete(typed: string, most: number): KnownOffer[];
  /** Keeps in step no longer. */
  stop(): void;
}

/** Words that are looked for; more would only cost. */
export const MOST_WORDS = 8;
/** A beginning this short fits so much that the newest of it is as good as the best of it. */
const SHORT_BEGINNING = 2;
/** Changes that the index follows before others have their turn: some ten milliseconds. Taking out costs three times as much. */
const SLICE = 100;
/** Only a word this long may be spelled wrongly: one letter in four. */
const FORGIVEN_LENGTH = 4;
const FORGIVEN_SHARE = 0.25;

interface Match {
  record: KnownOffer;
  score: number;
}

export function createOfferSearch(book: Pick<OfferBook, 'all' | 'get' | 'onChange'>): OfferSearch {
  const index = new OfferIndex();
  /** Changed, or null where it is gone, and not in step in the index yet. */
  const waiting = new Map<string, KnownOffer | null>();
  let turn: NodeJS.Immediate | null = null;

  const search = (words: readonly string[]) => inReadingOrder(index.search(words, book.get));

  /** Stops looking at the first that are enough: most titles need not be read. */
  function newestBeginningWith(beginning: string, most: number): KnownOffer[] {
    const found: KnownOffer[] = [];
    for (const { offer, title } of index.newestFirst()) {
      const record = title.includes(` ${beginning}`) ? book.get(offer.id) : undefined;
      if (record?.overAtMs === null && found.push(record) === most) break;
    }
    return found;
  }

  /** Takes in as many of those that wait as one slice may, and the next slice once others have had their turn. */
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
    if (turn === null) takeIn();
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
    stop() {
      forget();
      waiting.clear();
      if (turn) clearImmediate(turn);
    },
  };
}

/** An offer as it was when it was put into the index. */
interface Indexed {
  offer: Offer;
  /** With a space before each word. */
  title: string;
}

/** Which offers hold which words. */
class OfferIndex {
  readonly #offers = new Map<string, Indexed>();
  /** How often each word is in the index: one that is there is spelled as it should be, and needs no costly forgiving. */
  readonly #vocabulary = new Map<string, number>();
  /** Whether the index takes the words that it goes through in, or lets them go. */
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
    // What is asked for is not part of the vocabulary.
    searchOptions: { boost: { title: 3 }, processTerm: (word) => word },
  });
  readonly #isMisspelled = (word: string) => word.length > SHORT_BEGINNING && !this.#vocabulary.has(word);
  readonly #forgiving: SearchOptions = {
    prefix: this.#isMisspelled,
    fuzzy: (word) => (this.#isMisspelled(word) && word.length >= FORGIVEN_LENGTH ? FORGIVEN_SHARE : false),
  };
  /** From strict to lenient: the first that finds something is the answer. */
  readonly #tries: readonly SearchOptions[] = [
    // Most likely only the last word is not finished yet.
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

  /** What the words tell of, in no order. @param recordOf undefined where an offer is known no more */
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

  newestFirst(): Indexed[] {
    return [...this.#offers.values()].toSorted((a, b) => (b.offer.startDateMs ?? 0) - (a.offer.startDateMs ?? 0));
  }

  /** With a space before each word; '' where it is not in the index. */
  titleOf(id: string): string {
    return this.#offers.get(id)?.title ?? '';
  }

  /** Whole and at once: with a mere note that it is gone, what is found would depend on what has been there before. */
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

/** Case, accents and apostrophes make no difference. */
function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFD')
    .replace(/[\p{Mn}'’]/gu, '')
    .toLowerCase();
  return folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** What can be bought first, then the best match, then the newest. */
function inReadingOrder(found: readonly Match[]): KnownOffer[] {
  return found
    .toSorted((a, b) => Number(isOver(a)) - Number(isOver(b)) || b.score - a.score || startOf(b) - startOf(a))
    .map(({ record }) => record);
}

const isOver = ({ record }: Match) => record.overAtMs !== null;
const startOf = ({ record }: Match) => record.offer.startDateMs ?? 0;
