import type { Source, Subscription } from '../../deals/subscription.ts';
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
    case 'dealcasts':
    case 'polls':
    case 'monkeychats':
      return translator.t(`source.${source.kind}`);
  }
}

/** The same at the beginning of a line. */
export function sourceTitle(source: Source, translator: Translator): string {
  const [first = '', ...rest] = describeSource(source, translator);
  return first.toLocaleUpperCase(translator.locale) + rest.join('');
}

type Watching = Pick<Subscription, 'watch' | 'source' | 'filter'>;

/** The condition of a watch in the person's language: `$29.99 or less`, `Back in stock`. Foreign text. */
export function describeAim({ watch, source, filter }: Watching, translator: Translator): string {
  if (!watch || watch.aim === 'new')
    return translator.t('watch.aim.new', { filter, source: describeSource(source, translator) });
  if (watch.aim !== 'price') return translator.t(`watch.aim.${watch.aim}`);
  const price = translator.price({ minimum: watch.below ?? 0, maximum: watch.below ?? 0 });
  return translator.t('watch.aim.price', { price });
}

/** The same with the product's title: what a card in private says about the watch it is for. Foreign text. */
export function describeWatch(watching: Watching, translator: Translator): string {
  const aim = describeAim(watching, translator);
  return watching.watch?.product ? `${watching.watch.product.title}: ${aim}` : aim;
}
