import type { en } from './en.ts';

/** The sentences of one language by key; plural forms have keys of their own. */
export type Catalog = Readonly<Record<keyof typeof en, string>>;

type PluralOf<Key> = Key extends `${infer Stem}_${'one' | 'other'}` ? Stem : Key;

/** A sentence's key without its plural suffix. */
export type WordKey = PluralOf<keyof typeof en>;

type EnglishOf<Key extends WordKey> = Key extends keyof typeof en
  ? (typeof en)[Key]
  : `${Key}_other` extends keyof typeof en
    ? (typeof en)[`${Key}_other`]
    : never;

/** The placeholder names of a sentence: `feed` for both `{{feed}}` and `{{feed, number}}`; none for `{{/command}}`. */
type PlaceholdersIn<Sentence extends string> = Sentence extends `${string}{{${infer Inside}}}${infer Rest}`
  ?
      | (Inside extends `${infer Name},${string}` ? Name : Inside extends `/${string}` ? never : Inside)
      | PlaceholdersIn<Rest>
  : never;

/** The names of placeholders that are formatted as numbers. */
type NumbersIn<Sentence extends string> = Sentence extends `${string}{{${infer Inside}}}${infer Rest}`
  ? (Inside extends `${infer Name}, number` ? Name : never) | NumbersIn<Rest>
  : never;

/** The values that a sentence needs. A plural needs `count`, even where it does not show it. */
export type ValuesOf<Key extends WordKey, Text> = {
  [P in PlaceholdersIn<EnglishOf<Key>>]: P extends NumbersIn<EnglishOf<Key>> ? number : Text;
};
