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

/** An offer as it was when it was put into the index. */
interface Indexed {
  offer: Offer;
  /** With a space before each word. */
  title: string;
}

interface Match {
  record: KnownOffer;
  score: number;
}

export function createOfferSearch(book: Pick<OfferBook, 'all' | 'get' | 'onChange'>): OfferSearch {
  const index = new MiniSearch<Offer>({
    fields: ['title', 'subtitle', 'categories', 'condition'],
    extractField: (offer, field) => textOf(offer, field),
    tokenize: wordsOf,
    processTerm(word) {
      const uses = (vocabulary.get(word) ?? 0) + usesPerWord;
      if (uses > 0) vocabulary.set(word, uses);
      else vocabulary.delete(word);
      return word;
    },
    // What is asked for is not part of the vocabulary.
    searchOptions: { boost: { title: 3 }, processTerm: (word) => word },
  });
  const indexed = new Map<string, Indexed>();
  /** How often each word is in the index: one that is there is spelled as it should be, and needs no costly forgiving. */
  const vocabulary = new Map<string, number>();
  /** What the index does with the words that it goes through: it takes them in, or lets them go. */
  let usesPerWord: 1 | -1 = 1;
  /** Changed, or null where it is gone, and not in step in the index yet. */
  const waiting = new Map<string, KnownOffer | null>();
  let turn: NodeJS.Immediate | null = null;
  /** Kept for as long as nothing changes. */
  let newest: Indexed[] | null = null;

  function put({ offer }: KnownOffer): void {
    const before = indexed.get(offer.id);
    indexed.set(offer.id, { offer, title: ['', ...wordsOf(offer.title)].join(' ') });
    newest = null;
    if (before && readsTheSame(before.offer, offer)) return;
    if (before) takeOut(before.offer);
    index.add(offer);
  }

  function remove(id: string): void {
    newest = null;
    const before = indexed.get(id);
    if (indexed.delete(id) && before) takeOut(before.offer);
  }

  /** Whole and at once: with a mere note that it is gone, what is found would depend on what has been there before. */
  function takeOut(offer: Offer): void {
    usesPerWord = -1;
    try {
      index.remove(offer);
    } finally {
      usesPerWord = 1;
    }
  }

  /** From strict to lenient: the first that finds something is the answer. */
  const isMisspelled = (word: string) => word.length > SHORT_BEGINNING && !vocabulary.has(word);
  const forgiving: SearchOptions = {
    prefix: isMisspelled,
    fuzzy: (word) => (isMisspelled(word) && word.length >= FORGIVEN_LENGTH ? FORGIVEN_SHARE : false),
  };
  const tries: readonly SearchOptions[] = [
    // Most likely only the last word is not finished yet.
    { combineWith: 'AND', prefix: (_, index, words) => index === words.length - 1 },
    { combineWith: 'AND', ...forgiving },
    { combineWith: 'OR', ...forgiving },
  ];

  function search(words: readonly string[]): KnownOffer[] {
    if (words.length === 0) return [];
    const query = words.slice(0, MOST_WORDS).join(' ');
    for (const options of tries) {
      const found = index.search(query, options).flatMap(({ id, score }): Match[] => {
        const record = book.get(String(id));
        return record ? [{ record, score }] : [];
      });
      if (found.length > 0) return inReadingOrder(found);
    }
    return [];
  }

  /** Stops looking at the first that are enough: most titles need not be read. */
  function newestBeginningWith(beginning: string, most: number): KnownOffer[] {
    newest ??= [...indexed.values()].toSorted((a, b) => (b.offer.startDateMs ?? 0) - (a.offer.startDateMs ?? 0));
    const found: KnownOffer[] = [];
    for (const { offer, title } of newest) {
      const record = title.includes(` ${beginning}`) ? book.get(offer.id) : undefined;
      if (record?.overAtMs === null && found.push(record) === most) break;
    }
    return found;
  }

  /** Takes in as many of those that wait as one slice may, and the next slice once others have had their turn. */
  function takeIn(): void {
    for (const [id, record] of [...waiting].slice(0, SLICE)) {
      waiting.delete(id);
      if (record === null) remove(id);
      else put(record);
    }
    turn = waiting.size > 0 ? setImmediate(takeIn) : null;
  }

  for (const record of book.all()) put(record);
  const forget = book.onChange(({ put: changed, removed }) => {
    for (const record of changed) waiting.set(record.offer.id, record);
    for (const id of removed) waiting.set(id, null);
    if (turn === null) takeIn();
  });

  function stop(): void {
    forget();
    waiting.clear();
    if (turn) clearImmediate(turn);
  }

  return {
    find: (words) => search(wordsOf(words)),
    complete(typed, most) {
      const words = wordsOf(typed);
      const last = words.at(-1) ?? '';
      if (last.length > SHORT_BEGINNING) return search(words).slice(0, most);
      if (words.length < 2) return newestBeginningWith(last, most);
      const found = search(words.slice(0, -1));
      const narrowed = found.filter(({ offer }) => indexed.get(offer.id)?.title.includes(` ${last}`));
      return (narrowed.length > 0 ? narrowed : found).slice(0, most);
    },
    stop,
  };
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
