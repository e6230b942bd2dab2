import type { Source } from '../../deals/subscription.ts';
import type { Translator } from './translator.ts';

/** The source in the person's language. A feed's name keeps the spelling of the settings. */
export function describeSource(source: Source, translator: Translator): string {
  switch (source.kind) {
    case 'feed':
      return translator.t('source.feed', { feed: source.feed });
    case 'events': {
      const only = [...source.types.map((type) => translator.t(`event.type.${type}`)), ...source.sites];
      return only.length > 0
        ? translator.t('source.eventsOnly', { only: only.join(', ') })
        : translator.t('source.events');
    }
    default:
      return translator.t(`source.${source.kind}`);
  }
}

/** The same at the beginning of a line. */
export function sourceTitle(source: Source, translator: Translator): string {
  const [first = '', ...rest] = describeSource(source, translator);
  return first.toLocaleUpperCase(translator.locale) + rest.join('');
}
