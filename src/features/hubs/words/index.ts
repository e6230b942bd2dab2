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
    'follow.count': 'count, number';
    'follow.week': 'count, number' | 'most, number';
    'follow.best': 'names';
    'follow.done': 'channel' | 'hub';
    'follow.already': 'channel' | 'hub';
    'follow.stop': 'channel';
    'follow.personLacks': 'channel';
    'follow.botLacks': 'channel' | 'permissions';
    'follow.tooMany': 'channel' | 'most, number';
    'follow.unanswered': 'channel';
    'hub.added': 'channel';
    'hub.removed': 'channel';
    'hub.unpublished': 'source';
    'hub.outage': 'from';
    'hub.outageOver': 'from' | 'until';
    'hub.outagePosted': 'count, number';
    'hub.outageMissed': 'count, number';
    'hub.outageWaiting': 'count, number';
    'reason.followed': 'person' | 'hub';
  }
}
