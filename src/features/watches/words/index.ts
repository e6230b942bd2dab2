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
    'watch.lowAgain': 'since';
    'watch.lowAgainSeen': 'since';
    'watch.added.low': 'title';
    'watch.added.lowAgain': 'title';
    'watch.aim.price': 'price';
    'watch.aim.new': 'filter' | 'source';
    'watch.added.price': 'title' | 'price';
    'watch.added.stock': 'title';
    'watch.added.end': 'title';
    'watch.added.new': 'feed' | 'filter';
    'watch.costsNow': 'price';
    'watch.reached.price': 'title' | 'price';
    'watch.reached.stock': 'title';
    'watch.reached.low': 'title' | 'price';
    'watch.reached.lowAgain': 'title' | 'price';
    'watch.reached.end': 'title' | 'at';
    'watch.messageAt': 'at';
    'watch.matchesAll': 'count, number';
    'watch.waiting': 'count, number';
    'watch.tooMany': 'most, number';
    'watches.since': 'at';
    'list.watches': 'count, number';
    'announcement.watched': 'what';
    'form.watchFeedTitle': 'feed';
    'offer.overLimit': 'price';
    'offer.endsAt': 'at';
  }
}
