import type { OwnMessage } from '../../discord/find-posted.ts';
import { formatPrice } from '../../discord/format.ts';
import { LOCALES } from '../../discord/i18n/catalog.ts';
import { translatorFor } from '../../discord/i18n/translator.ts';
import type { CurrentCard } from '../deliver/deliverer.ts';
import { shownOf } from '../kinds/index.ts';

/**
 * Whether a post shows what is no longer so: what is known of its thing has changed without an edit, or its message names
 * another price. Words don't count: a later version of the bot, or another language of the server, has others.
 */
export function isUntrue({ texts }: Pick<OwnMessage, 'texts'>, shown: CurrentCard): boolean {
  return shown.isOutdated || !namesPrice(texts, shown);
}

/** Whether a message names the price that its card has to name, in whichever language. */
function namesPrice(texts: readonly string[], { announcement, texts: expected }: CurrentCard): boolean {
  const { as, item } = shownOf(announcement);
  if (as !== 'offer' || !item.salePrice) return true;
  const { salePrice } = item;
  const prices = LOCALES.map((locale) => spaced(formatPrice(salePrice, translatorFor(locale))));
  const isNamedIn = (all: readonly string[]) => prices.some((price) => spaced(all.join('\n')).includes(price));
  return !isNamedIn(expected) || isNamedIn(texts);
}

/** All kinds of spaces are one. */
function spaced(text: string): string {
  return text.replace(/\s/g, ' ');
}
