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
    'test.fit': 'channel';
    'test.matching': 'count, number' | 'all, number';
    'test.nothing': 'all, number';
    'why.for': 'source' | 'channel';
    'why.seen': 'feed' | 'at';
    'why.seenGone': 'feed' | 'at' | 'goneAt';
    'why.over.sold-out': 'at';
    'why.over.ended': 'at';
    'why.over.left': 'at';
    'why.doubted.stock': 'feed' | 'at';
    'why.doubted.price': 'feed' | 'price' | 'at';
    'why.doubted.noPrice': 'feed' | 'at';
    'why.doubted.end': 'feed' | 'at';
    'why.doubted.other': 'feed' | 'at';
    'why.contradicted': 'feed';
    'why.unseen': 'feed' | 'at';
    'why.cutOff': 'feed';
    'why.failing': 'at';
    'why.quotaSpent': 'at';
    'why.changed': 'at';
    'why.postedForOthers': 'at';
    'why.posted': 'at';
    'why.postedTogether': 'at';
    'why.score': 'points, number';
    'why.score.usual': 'points, number';
    'why.score.list': 'points, number';
    'why.score.lowestEver': 'points, number';
    'why.score.longLow': 'points, number';
    'why.score.sellingOut': 'points, number';
    'why.score.featured': 'points, number';
    'why.unpublished.limit': 'since' | 'at';
    'why.unpublished.permission': 'since' | 'at';
    'why.unpublished.silence': 'since' | 'at';
    'why.leftUnpublished.over': 'since' | 'at';
    'why.leftUnpublished.too-late': 'since' | 'at';
    'why.leftUnpublished.refused': 'since' | 'at';
    'why.unedited': 'at';
    'why.waiting.digest': 'at';
    'why.waiting.quiet': 'at';
    'why.waiting.cap': 'at';
    'why.waiting.error': 'at';
    'why.dropped.over': 'at';
    'why.dropped.gone': 'at';
    'why.dropped.refused': 'at';
    'why.beforeSubscription': 'at';
    'why.ruledOut': 'settings';
    'why.undecided': 'fields';
    'why.filterAt': 'at';
    'why.found': 'term' | 'found';
    'why.notFound': 'term';
    'why.moreTerms': 'count, number';
    'preview.title': 'source';
    'preview.where': 'channel';
  }
}
