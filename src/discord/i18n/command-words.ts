import type { LocalizationMap } from 'discord-api-types/v10';
import { CATALOGS, type Catalog, TRANSLATED_LOCALES } from './catalog.ts';

/** The keys of sentences without placeholders. */
export type PlainKey = Extract<
  keyof Catalog,
  `command.${string}` | `choice.${string}` | `event.type.${string}` | `order.${string}`
>;

/** A command's or option's description in every language, in Discord's form. */
export function described(key: PlainKey): { description: string; description_localizations: LocalizationMap } {
  return { description: CATALOGS['en-US'][key], description_localizations: inOtherLanguages(key) };
}

/** A command's or choice's name in every language, in Discord's form. Interactions always carry the English one. */
export function named(key: PlainKey): { name: string; name_localizations: LocalizationMap } {
  return { name: CATALOGS['en-US'][key], name_localizations: inOtherLanguages(key) };
}

function inOtherLanguages(key: PlainKey): LocalizationMap {
  return Object.fromEntries(TRANSLATED_LOCALES.map((locale) => [locale, CATALOGS[locale][key]]));
}
