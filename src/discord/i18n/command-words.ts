import type { LocalizationMap } from 'discord-api-types/v10';
import { CORE_WORDS, LANGUAGE_OF, TRANSLATED_LOCALES, type Words } from './catalog.ts';

/** The keys of sentences without placeholders. */
type Plain<Key extends string> = Extract<
  Key,
  `command.${string}` | `choice.${string}` | `event.type.${string}` | `order.${string}`
>;

/** Returns functions that name and describe the commands of the core, or of a feature, in every language. */
export function commandWords<Key extends string>(words: Words<Key>) {
  const inOtherLanguages = (key: Key): LocalizationMap =>
    Object.fromEntries(TRANSLATED_LOCALES.map((locale) => [locale, words[LANGUAGE_OF[locale]][key]]));
  return {
    /** A command's or option's description in every language, in Discord's form. */
    described: (key: Plain<Key>): { description: string; description_localizations: LocalizationMap } => ({
      description: words.en[key],
      description_localizations: inOtherLanguages(key),
    }),
    /** A command's or choice's name in every language, in Discord's form. Interactions always carry the English one. */
    named: (key: Plain<Key>): { name: string; name_localizations: LocalizationMap } => ({
      name: words.en[key],
      name_localizations: inOtherLanguages(key),
    }),
  };
}

export const { described, named } = commandWords(CORE_WORDS);
