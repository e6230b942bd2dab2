import { levenshtein } from '../levenshtein.ts';
import type { Offer } from '../offer.ts';
import { UNITS, type Unit } from '../unit-price.ts';
import type { FilterSubject, Text } from './subject.ts';

interface Row {
  name: string;
  /** A description for people. */
  about: string;
  /** An example term for people. */
  example: string;
  /** Whether its values are few, so that those of the present offers can be offered to whoever types. */
  isListed?: true;
  /** The values to offer to whoever types, where those of other fields of its kind do not suit. */
  usual?: readonly string[];
  /** The fields of an offer that it is read from. */
  from: readonly (keyof Offer)[];
}

/** Takes words, a phrase, a prefix or a regular expression. */
export interface WordsField extends Row {
  takes: 'words';
  of: (subject: FilterSubject) => Text | null;
  /** Whether it matches what lacks the words. A missing value still matches nothing. */
  isExcluding?: true;
}

/** Takes a path, and matches it and everything below it. */
export interface PathField extends Row {
  takes: 'path';
  of: (subject: FilterSubject) => readonly string[];
}

/** Takes a comparison or a range. Time is in milliseconds. */
export interface NumberField extends Row {
  takes: 'dollars' | 'percent' | 'time';
  of: (subject: FilterSubject, nowMs: number) => number | null;
  /** What the dollars are for; the whole where absent. */
  per?: Unit;
}

/** Takes true or false. */
export interface FlagField extends Row {
  takes: 'flag';
  of: (subject: FilterSubject) => boolean | null;
}

export type Field = WordsField | PathField | NumberField | FlagField;

/** The field of an offer that holds what only its own answer tells. */
export const TOLD: keyof Offer = 'terms';

/** The field that a term without a field searches. */
export const TEXT: WordsField = {
  name: 'text',
  from: ['title', 'subtitle'],
  takes: 'words',
  of: ({ text }) => text,
  about: 'title and subtitle; the default for words',
  example: 'text:ssd',
};

/** The same for a word of a condition, as `-refurb*`: the condition counts, too, whatever the catalog calls it. */
export const CONDITION_TEXT: WordsField = {
  ...TEXT,
  from: [...TEXT.from, 'condition'],
  of: ({ described }) => described,
};

/** `low:<=5%`: how far above the lowest observed price. `low:ever` is 0. */
export const LOW: NumberField = {
  name: 'low',
  from: ['salePrice', 'observed'],
  takes: 'percent',
  of: ({ aboveLow }) => aboveLow,
  about: 'lowest observed price: ever, in so many days, or within so many percent of it',
  example: 'low:90d',
  usual: ['ever', '90d', '30d', '365d', '<=5%', '<=10%'],
};

/** `low:90d`: for how long it was not cheaper. The other form of `low`. */
export const LOWEST_FOR: NumberField = { ...LOW, takes: 'time', of: (subject) => subject.lowestForMs };

/** `unit:<16/TB`: what one of a unit costs. */
export const UNIT: NumberField = {
  name: 'unit',
  from: ['title', 'subtitle', 'salePrice'],
  takes: 'dollars',
  of: ({ pricePer }) => pricePer('each'),
  about: 'price for one of a pack, a TB, an ounce, …, where the title tells how much is in it',
  example: 'unit:<16/TB',
  usual: ['<15/TB', '<20/TB', '<0.25/each', '<1/each', '<0.50/oz', '<8/lb'],
};

/** The forms of `unit`, one for each unit. */
export const PER_UNIT: readonly NumberField[] = UNITS.map((per) => ({
  ...UNIT,
  per,
  of: ({ pricePer }) => pricePer(per),
}));

/** `ships:HI`: places that the catalog doesn't exclude. It takes a code alone. */
export const SHIPS: WordsField = {
  name: 'ships',
  from: [TOLD],
  takes: 'words',
  of: ({ notTo }) => notTo,
  isExcluding: true,
  about: "sent to a state or a PO box, as far as the catalog doesn't exclude it",
  example: 'ships:HI',
  usual: ['HI', 'AK', 'PR', 'pobox'],
};

/** All fields: a new one needs a row here and a row in docs/filters.md. */
export const FIELDS: readonly Field[] = [
  TEXT,
  {
    name: 'title',
    from: ['title'],
    takes: 'words',
    of: ({ title }) => title,
    about: 'the title alone',
    example: 'title:"gaming laptop"',
  },
  {
    name: 'price',
    from: ['salePrice'],
    takes: 'dollars',
    of: ({ price }) => price,
    about: 'the cheapest sale price, in dollars',
    example: 'price:<50',
  },
  {
    name: 'list',
    from: ['listPrice'],
    takes: 'dollars',
    of: ({ list }) => list,
    about: 'the cheapest list price, in dollars',
    example: 'list:100..200',
  },
  {
    name: 'off',
    from: ['salePrice', 'listPrice'],
    takes: 'percent',
    of: ({ off }) => off,
    about: 'minimum discount across all variants, in percent',
    example: 'off:>=40',
  },
  {
    name: 'real',
    from: ['salePrice', 'observed'],
    takes: 'percent',
    of: ({ real }) => real,
    about: 'discount against the usual observed price, in percent',
    example: 'real:>=20',
  },
  LOW,
  UNIT,
  {
    name: 'total',
    from: ['salePrice', TOLD],
    takes: 'dollars',
    of: ({ total }) => total,
    about: "price and shipping for one, in dollars; the price alone where shipping isn't told",
    example: 'total:<30',
  },
  SHIPS,
  {
    name: 'ends',
    from: ['endDateMs'],
    takes: 'time',
    of: ({ endsAtMs }, nowMs) => (endsAtMs !== null && endsAtMs > nowMs ? endsAtMs - nowMs : null),
    about: 'time left in minutes (m), hours (h) or days (d)',
    example: 'ends:<24h',
  },
  {
    name: 'condition',
    from: ['condition', 'title'],
    takes: 'words',
    of: ({ condition }) => condition,
    about: 'the condition, also from the title: "(Refurbished)"',
    example: 'condition:new',
    isListed: true,
  },
  {
    name: 'category',
    from: ['categories'],
    takes: 'path',
    of: ({ categories }) => categories,
    about: 'a category and everything below it',
    example: 'category:PC/Laptops',
    isListed: true,
  },
  {
    name: 'site',
    from: ['site'],
    takes: 'words',
    of: ({ site }) => site,
    about: 'the site',
    example: 'site:home',
    isListed: true,
  },
  {
    name: 'type',
    from: [],
    takes: 'words',
    of: ({ type }) => type,
    about: "offer, event (or the event's type), dealcast, poll or monkeychat",
    example: 'type:daily',
    isListed: true,
  },
  {
    name: 'featured',
    from: ['isFeatured'],
    takes: 'flag',
    of: ({ isFeatured }) => isFeatured,
    about: 'featured or not',
    example: 'featured:true',
  },
  {
    name: 'dealoff',
    from: ['isDealOff'],
    takes: 'flag',
    of: ({ isDealOff }) => isDealOff,
    about: 'part of a Deal-off or not',
    example: 'dealoff:true',
  },
  {
    name: 'mobile',
    from: ['isAvailableOnMobileAppOnly'],
    takes: 'flag',
    of: ({ isMobileOnly }) => isMobileOnly,
    about: 'mobile app only or not',
    example: 'mobile:false',
  },
  {
    name: 'partner',
    from: ['isFulfilledByPartner'],
    takes: 'flag',
    of: ({ isFulfilledByPartner }) => isFulfilledByPartner,
    about: 'shipped by a partner or not',
    example: 'partner:true',
  },
  {
    name: 'soldout',
    from: ['isSoldOut'],
    takes: 'flag',
    of: ({ isSoldOut }) => isSoldOut,
    about: 'sold out or not',
    example: 'soldout:false',
  },
];

const BY_NAME = new Map(FIELDS.map((field) => [field.name, field]));

/** Finds a field by name, without regard to case. */
export function fieldOf(name: string): Field | null {
  return BY_NAME.get(name.toLowerCase()) ?? null;
}

/** The fields whose names are at most two edits away, nearest first. */
export function fieldsNear(name: string): string[] {
  return fieldsByDistance(name)
    .filter(({ known, mistakes }) => mistakes <= 2 && mistakes < known.length - 1)
    .map(({ known }) => known);
}

/** The fields that a name may have been meant for, nearest first: three at most, however far they are. */
export function fieldsMeant(name: string): string[] {
  const near = fieldsNear(name);
  return (near.length > 0 ? near : fieldsByDistance(name).map(({ known }) => known)).slice(0, MOST_MEANT);
}

const MOST_MEANT = 3;

function fieldsByDistance(name: string): { known: string; mistakes: number }[] {
  const typed = name.toLowerCase();
  return [...BY_NAME.keys()]
    .map((known) => ({ known, mistakes: known.startsWith(typed) ? 0 : levenshtein(typed, known) }))
    .sort((a, b) => a.mistakes - b.mistakes);
}
