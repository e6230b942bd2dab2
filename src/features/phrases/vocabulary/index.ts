import type { Language } from '../../../discord/i18n/catalog.ts';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };

/**
 * The words of phrases, as alternatives of a regular expression: where one begins another, the longer one comes first.
 * `below` and `atMost` need a number alone, the other comparisons a currency; `no` stands before a condition, `without` before
 * any word.
 */
export type Vocabulary = Readonly<Record<keyof typeof en, string>>;

export const VOCABULARIES: Readonly<Record<Language, Vocabulary>> = { en, de, fr, es };
