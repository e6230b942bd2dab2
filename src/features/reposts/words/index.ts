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
