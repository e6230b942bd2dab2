import type { Feature } from '../../app/feature.ts';
import { smallLine } from '../../discord/cards/parts.ts';
import { LANGUAGE_OF } from '../../discord/i18n/catalog.ts';
import { inlineCode } from '../../discord/markdown.ts';
import { readPhrases } from './read.ts';
import { WORDS } from './words/index.ts';

/** Filters in people's own words: `vacuum under $60`. */
export const phrases: Feature = {
  name: 'phrases',
  words: WORDS,
  readFilter(typed, { locale, services, t }) {
    // A person types in their own language, also where the answer is in the server's.
    const filter = readPhrases(typed, LANGUAGE_OF[services.translators(locale).locale]);
    if (filter === typed) return null;
    const note = smallLine([t('phrases.read', { filter: inlineCode(filter) })]);
    return { filter, note, forWords: smallLine([t('phrases.quotes')]) };
  },
};
