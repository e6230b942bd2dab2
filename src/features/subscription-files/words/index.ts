// Written by `npm run types` from the files beside it.
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };

/** The feature's sentences, by language and key. */
export const WORDS = { en, de, fr, es };

declare module '../../../discord/i18n/catalog.ts' {
  interface Catalog extends Readonly<Record<keyof typeof en, string>> {}
}

declare module '../../../discord/i18n/placeholders.ts' {
  interface Placeholders {
    'import.counts': 'added, number' | 'changed, number' | 'removed, number' | 'unchanged, number';
    'import.applied': 'added, number' | 'changed, number' | 'removed, number' | 'unchanged, number';
    'import.forecast': 'channel' | 'before, number' | 'after, number';
    'import.forecastPartly': 'channel' | 'before, number' | 'after, number';
    'import.nothing': 'count, number';
    'import.notJson': 'name';
    'import.unreadable': 'name';
    'import.tooLarge': 'name' | 'most, number';
    'export.done': 'count, number';
    'file.range': 'least' | 'most';
    'file.oneOf': 'choices';
    'file.tooLong': 'most';
    'file.misspelt': 'nearest';
    'file.noJson': 'line';
    'file.noYaml': 'line';
    'file.twice': 'other';
  }
}
