import type { Source } from '../../deals/subscription.ts';
import type { Words } from './translator.ts';

/** The source in a person's words. A feed's name is as the settings spell it. */
export function describeSource(source: Source, words: Words): string {
  switch (source.kind) {
    case 'feed':
      return words.t('source.feed', { feed: source.feed });
    case 'events': {
      const only = [...source.types.map((type) => words.t(`event.type.${type}`)), ...source.sites];
      return only.length > 0 ? words.t('source.eventsOnly', { only: only.join(', ') }) : words.t('source.events');
    }
    case 'dealcasts':
    case 'polls':
    case 'monkeychats':
      return words.t(`source.${source.kind}`);
  }
}
