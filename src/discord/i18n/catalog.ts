import de from '../locales/de.json' with { type: 'json' };
import en from '../locales/en.json' with { type: 'json' };
import es from '../locales/es.json' with { type: 'json' };
import fr from '../locales/fr.json' with { type: 'json' };
import type { Placeholders } from './placeholders.ts';

/** The core's sentences of one language by key; plural forms have keys of their own. */
type CoreCatalog = Readonly<Record<keyof typeof en, string>>;

/** The same with those of features: each adds the keys of its own. */
export interface Catalog extends CoreCatalog {}

/** The languages that sentences are written in. */
export type Language = 'en' | 'de' | 'fr' | 'es';

/** The language of each of Discord's locales that has one. @see https://discord.com/developers/docs/reference#locales */
export const LANGUAGE_OF = {
  'en-US': 'en',
  'en-GB': 'en',
  de: 'de',
  fr: 'fr',
  'es-ES': 'es',
  'es-419': 'es',
} as const satisfies Readonly<Record<string, Language>>;
export type Locale = keyof typeof LANGUAGE_OF;
export const LOCALES = Object.keys(LANGUAGE_OF) as readonly Locale[];
/** The locales other than English, which Discord needs beside the English texts. */
export const TRANSLATED_LOCALES = LOCALES.filter((locale) => LANGUAGE_OF[locale] !== 'en');

/** The sentences of the core or of a feature, by language and key. */
export type Words<Key extends string = string> = Readonly<Record<Language, Readonly<Record<Key, string>>>>;

/** The core's. */
export const CORE_WORDS: Words<keyof typeof en> = { en, de, fr, es };

type PluralOf<Key> = Key extends `${infer Stem}_${'one' | 'other'}` ? Stem : Key;

/** A sentence's key without its plural suffix. */
export type WordKey = PluralOf<keyof Catalog>;

type PlaceholderOf<Key> = Key extends keyof Placeholders ? Placeholders[Key] : never;

/** The values that a sentence needs. A plural needs `count`, even where it does not show it. */
export type ValuesOf<Key extends WordKey, Text> = {
  [P in PlaceholderOf<Key> as P extends `${infer Name}, number` ? Name : P]: P extends `${string}, number`
    ? number
    : Text;
};
