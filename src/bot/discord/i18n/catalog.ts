import type { en } from './en.ts';

/** The sentences of one language under their keys, plural forms as keys of their own. */
export type Catalog = Readonly<Record<keyof typeof en, string>>;

type PluralOf<Key> = Key extends `${infer Stem}_${'one' | 'other'}` ? Stem : Key;

/** A sentence's key, whatever its number. */
export type WordKey = PluralOf<keyof typeof en>;

type EnglishOf<Key extends WordKey> = Key extends keyof typeof en
  ? (typeof en)[Key]
  : `${Key}_other` extends keyof typeof en
    ? (typeof en)[`${Key}_other`]
    : never;

/** `{{feed}}` is called `feed`, and so is `{{feed, number}}`. */
type PlaceholdersIn<Sentence extends string> = Sentence extends `${string}{{${infer Inside}}}${infer Rest}`
  ? (Inside extends `${infer Name},${string}` ? Name : Inside) | PlaceholdersIn<Rest>
  : never;

/** What the placeholder is written as a number by. */
type NumbersIn<Sentence extends string> = Sentence extends `${string}{{${infer Inside}}}${infer Rest}`
  ? (Inside extends `${infer Name}, number` ? Name : never) | NumbersIn<Rest>
  : never;

/** What a sentence wants to be told. A plural wants its `count`, even where it does not show it. */
export type ValuesOf<Key extends WordKey, Text> = {
  [P in PlaceholdersIn<EnglishOf<Key>>]: P extends NumbersIn<EnglishOf<Key>> ? number : Text;
};
