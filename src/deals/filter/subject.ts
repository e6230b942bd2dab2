import type { Dealcast } from '../dealcast.ts';
import type { DealEvent, EventOffer } from '../event.ts';
import type { Monkeychat } from '../monkeychat.ts';
import { lowestForMs, percentAboveLow, realDiscount } from '../observed-prices.ts';
import type { Offer, OfferTerms } from '../offer.ts';
import type { Poll } from '../poll.ts';
import { discountOf, type PriceRange, priceRangeOf, pricesOf } from '../price.ts';
import { termsOf } from '../terms.ts';
import { priceIn, type Unit, unitPriceOf } from '../unit-price.ts';

/** The fields that filters test on any entity; null where it has none. Prices are US dollars. */
export interface FilterSubject {
  /** "offer", "event" and its type, "dealcast", "poll" or "monkeychat". */
  type: Text | null;
  title: Text | null;
  /** Title and subtitle, in which bare words are searched. */
  text: Text | null;
  /** The same, with all words of the conditions that it or the catalog's condition names. */
  described: Text | null;
  condition: Text | null;
  categories: readonly string[];
  site: Text | null;
  /** The lowest sale price. */
  price: number | null;
  /** The lowest sale price, and what shipping one costs where that is told. */
  total: number | null;
  /** The codes of places to which nothing is sent, `pobox` among them; without words where none is told. */
  notTo: Text | null;
  /** What one of a unit costs; read when it is asked for, since few filters do. */
  pricePer: (unit: Unit) => number | null;
  /** The lowest list price. */
  list: number | null;
  /** The discount of the least reduced variant in whole percent; 0 where nothing is off. */
  off: number | null;
  /** The discount against the usual price in whole percent; 0 where it is not cheaper. */
  real: number | null;
  /** Whole percent above the lowest observed price. */
  aboveLow: number | null;
  /** For how long before its price began the product had not been cheaper, in milliseconds; Infinity for ever. */
  lowestForMs: number | null;
  endsAtMs: number | null;
  isFeatured: boolean | null;
  isDealOff: boolean | null;
  isMobileOnly: boolean | null;
  isFulfilledByPartner: boolean | null;
  isSoldOut: boolean | null;
}

const NOTHING: Readonly<FilterSubject> = {
  type: null,
  title: null,
  text: null,
  described: null,
  condition: null,
  categories: [],
  site: null,
  price: null,
  total: null,
  notTo: null,
  pricePer: () => null,
  list: null,
  off: null,
  real: null,
  aboveLow: null,
  lowestForMs: null,
  endsAtMs: null,
  isFeatured: null,
  isDealOff: null,
  isMobileOnly: null,
  isFulfilledByPartner: null,
  isSoldOut: null,
};

export function subjectOfOffer(offer: Offer): FilterSubject {
  const text = textOf(offer.title, offer.subtitle);
  return {
    type: textOf('offer'),
    title: textOf(offer.title),
    text,
    described: withConditions(text, textOf(offer.condition)),
    condition: textOf(offer.condition, ...conditionsIn(offer.title)),
    categories: offer.categories,
    site: textOf(offer.site),
    price: offer.salePrice?.minimum ?? null,
    total: totalOf(offer.salePrice, offer.terms),
    notTo: placesOf(exclusionsIn(offer.terms)),
    pricePer(unit) {
      const found = unitPriceOf(offer);
      return found && priceIn(found, unit);
    },
    list: offer.listPrice?.minimum ?? null,
    off: leastOff(offer.salePrice, offer.listPrice),
    real: realDiscount(offer),
    aboveLow: percentAboveLow(offer),
    lowestForMs: lowestForMs(offer),
    endsAtMs: offer.endDateMs,
    isFeatured: offer.isFeatured,
    isDealOff: offer.isDealOff,
    isMobileOnly: offer.isAvailableOnMobileAppOnly,
    isFulfilledByPartner: offer.isFulfilledByPartner,
    isSoldOut: offer.isSoldOut,
  };
}

/** An event is tested by its offers: the lowest of their prices, the best of their discounts, all of their titles. */
export function subjectOfEvent(event: DealEvent): FilterSubject {
  const titles = event.offers.flatMap(({ title, subtitle }) => [title, subtitle]);
  const { salePrice, listPrice } = pricesOf(event.offers.flatMap((offer) => offer.items));
  const text = textOf(event.title, event.subtitle, ...titles);
  const terms = event.offers.map((offer) => termsOf(offer));
  const [first = [], ...others] = terms.map(exclusionsIn);
  return {
    ...NOTHING,
    type: textOf('event', event.type),
    title: textOf(event.title),
    text,
    described: withConditions(text, null),
    condition: textOf(...[event.title, ...event.offers.map(({ title }) => title)].flatMap(conditionsIn)),
    site: textOf(event.site),
    price: salePrice?.minimum ?? null,
    total:
      priceRangeOf(event.offers.map(({ items }, at) => totalOf(pricesOf(items).salePrice, terms[at])))?.minimum ?? null,
    notTo: placesOf(first.filter((place) => others.every((some) => some.includes(place)))),
    list: listPrice?.minimum ?? null,
    off: priceRangeOf(event.offers.map(leastOffOf))?.maximum ?? null,
    endsAtMs: event.endDateMs,
    isDealOff: event.type === 'DealOff',
    isSoldOut: event.offers.length > 0 ? event.offers.every(({ soldOut }) => soldOut) : null,
  };
}

export function subjectOfDealcast(dealcast: Dealcast): FilterSubject {
  const title = textOf(dealcast.title);
  return {
    ...NOTHING,
    type: textOf('dealcast'),
    title,
    text: title,
    described: title,
    site: textOf(dealcast.site),
  };
}

/** A poll has no title: its questions are searched. */
export function subjectOfPoll(poll: Poll): FilterSubject {
  const questions = textOf(...poll.questions.map(({ text }) => text));
  const texts = { title: questions, text: questions, described: questions };
  return { ...NOTHING, ...texts, type: textOf('poll'), site: textOf(poll.site) };
}

/** The fields are unspecified, so every text in the object is searched. */
export function subjectOfMonkeychat({ raw }: Monkeychat): FilterSubject {
  const texts = Object.values(raw).filter((value) => typeof value === 'string');
  const text = textOf(...texts);
  return { ...NOTHING, type: textOf('monkeychat'), text, described: text };
}

function totalOf(salePrice: PriceRange | null, terms: OfferTerms | undefined): number | null {
  return salePrice && salePrice.minimum + (terms?.shipping ?? 0);
}

/** The places to which an offer is known not to be sent. */
function exclusionsIn(terms: OfferTerms | undefined): string[] {
  return terms ? [...terms.notToStates, ...(terms.notToPOBoxes ? ['pobox'] : [])] : [];
}

function placesOf(codes: readonly string[]): Text {
  return { raw: codes.length > 0 ? `all but ${codes.join(', ')}` : 'all', folded: foldedOf(codes.join(' ')) };
}

/**
 * The lower end of the discount, so that `off:>=40` guarantees 40 percent for every variant (see `discountOf`).
 * @returns null where a price is unknown
 */
function leastOff(salePrice: PriceRange | null, listPrice: PriceRange | null): number | null {
  return salePrice && listPrice ? (discountOf(salePrice, listPrice)?.minimum ?? 0) : null;
}

function leastOffOf({ items }: EventOffer): number | null {
  const { salePrice, listPrice } = pricesOf(items);
  return leastOff(salePrice, listPrice);
}

/** What a condition is called in a title. */
export const CONDITION = /\b(new|refurb\w*|renewed|(re)?certified|reconditioned|open[ -]box|used|pre-?owned)\b/i;

/** Conditions named in a title: "Laptop (Refurbished)", "Headphones [Open Box]". */
export function conditionsIn(title: string): string[] {
  return [...title.matchAll(/[([]([^()[\]]*)[)\]]/g)]
    .map(([, inside = '']) => inside)
    .filter((inside) => CONDITION.test(inside));
}

/** Searchable text. Made once for an entity, however many filters search it. */
export interface Text {
  /** As the catalog sent it, one part per line; regular expressions search this. */
  raw: string;
  /**
   * The words in order, separated by single spaces, and by two spaces between parts: ` 1tb ssd  for laptops `. Words,
   * phrases (which never span two parts) and prefixes are each found by one substring search.
   */
  folded: string;
}

/** Splits a text into words: runs of letters and digits, in lower case, without accents. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}+/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The words of each condition that mean the same; each is a needle as `WordsTest` has it. */
const CONDITIONS = [
  [' refurbished ', ' refurb ', ' renewed ', ' reconditioned ', ' recertified '],
  [' open box ', ' openbox '],
  [' used ', ' preowned ', ' pre owned '],
  [' new '],
] as const;
/** A shorter beginning could be that of many a word. */
const SHORTEST_BEGINNING = ' renew'.length;

/** Whether a needle asks for a word of a condition, or for words that begin as one does. */
export function isOfCondition(needle: string): boolean {
  const isPrefix = !needle.endsWith(' ');
  return CONDITIONS.flat().some((word) =>
    isPrefix ? needle.length >= SHORTEST_BEGINNING && word.startsWith(needle) : word === needle,
  );
}

/** The text with the stated condition, in which all words are found that mean the same as one that stands there. */
function withConditions(text: Text | null, condition: Text | null): Text | null {
  const known = [text, condition].filter((one) => one !== null);
  if (known.length === 0) return null;
  const folded = known.map((one) => one.folded).join('');
  const named = CONDITIONS.filter((words) => words.some((word) => folded.includes(word)));
  return { raw: known.map(({ raw }) => raw).join('\n'), folded: `${folded}${named.flat().join(' ')}` };
}

const foldedOf = (part: string) => ` ${wordsOf(part).join(' ')} `;

/** Combines the known parts into one text; null where there are none. */
function textOf(...parts: readonly (string | null)[]): Text | null {
  const known = parts.filter((part) => part !== null);
  if (known.length === 0) return null;
  return { raw: known.join('\n'), folded: known.map(foldedOf).join('') };
}
