import type { LocalizationMap } from 'discord-api-types/v10';
import type { WordKey } from './catalog.ts';
import { TRANSLATED_LOCALES, translatorFor } from './translator.ts';

/** The keys of sentences without placeholders. */
export type PlainKey = Extract<WordKey, `command.${string}` | `event.type.${string}` | `order.${string}`>;

/** A command's or option's description in every language, in Discord's form. */
export function described(key: PlainKey): { description: string; description_localizations: LocalizationMap } {
  return { description: translatorFor('en-US').t(key), description_localizations: inOtherLanguages(key) };
}

/** A command's or choice's name in every language, in Discord's form. Interactions always carry the English one. */
export function named(key: PlainKey): { name: string; name_localizations: LocalizationMap } {
  return { name: translatorFor('en-US').t(key), name_localizations: inOtherLanguages(key) };
}

function inOtherLanguages(key: PlainKey): LocalizationMap {
  return Object.fromEntries(TRANSLATED_LOCALES.map((locale) => [locale, translatorFor(locale).t(key)]));
}
