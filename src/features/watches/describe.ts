import type { Subscription } from '../../deals/subscription.ts';
import { describeSource } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';

type Watching = Pick<Subscription, 'watch' | 'source' | 'filter'>;

/** The condition of a watch in the person's language: `$29.99 or less`, `Back in stock`. Foreign text. */
export function describeAim({ watch, source, filter }: Watching, translator: Translator): string {
  if (!watch || watch.aim === 'new')
    return translator.t('watch.aim.new', { filter, source: describeSource(source, translator) });
  if (watch.aim === 'low' && watch.again) return translator.t('watch.aim.lowAgain');
  if (watch.aim !== 'price') return translator.t(`watch.aim.${watch.aim}`);
  const price = translator.price({ minimum: watch.below ?? 0, maximum: watch.below ?? 0 });
  return translator.t('watch.aim.price', { price });
}

/** The same with the product's title: what a card in private says about the watch it is for. Foreign text. */
export function describeWatch(watching: Watching, translator: Translator): string {
  const aim = describeAim(watching, translator);
  return watching.watch?.product ? `${watching.watch.product.title}: ${aim}` : aim;
}
