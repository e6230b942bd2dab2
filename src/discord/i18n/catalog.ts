import de from '../locales/de.json' with { type: 'json' };
import en from '../locales/en.json' with { type: 'json' };
import es from '../locales/es.json' with { type: 'json' };
import fr from '../locales/fr.json' with { type: 'json' };
import type { Placeholders } from './placeholders.ts';

/** The sentences of one language by key; plural forms have keys of their own. */
export type Catalog = Readonly<Record<keyof typeof en, string>>;

/** The catalog of each of Discord's locales that has one. @see https://discord.com/developers/docs/reference#locales */
export const CATALOGS = {
  'en-US': en,
  'en-GB': en,
  de,
  fr,
  'es-ES': es,
  'es-419': es,
} satisfies Readonly<Record<string, Catalog>>;
export type Locale = keyof typeof CATALOGS;
export const LOCALES = Object.keys(CATALOGS) as readonly Locale[];
/** The locales other than English, which Discord needs beside the English texts. */
export const TRANSLATED_LOCALES = LOCALES.filter((locale) => !locale.startsWith('en'));

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
