import type { PriceHistory } from '../../deals/observed-prices.ts';
import { formatPrice } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';

/** What a product cost, as Markdown, line by line. */
export function priceHistoryLines(history: PriceHistory, translator: Translator): string[] {
  const { last, isCurrent, low, high, usual, soldOutSinceMs, sinceMs } = history;
  const price = (dollars: number) => formatPrice({ minimum: dollars, maximum: dollars }, translator);
  return [
    soldOutSinceMs === null ? null : translator.t('history.soldOut', { since: translator.date(soldOutSinceMs) }),
    isCurrent
      ? translator.t('history.now', { price: price(last.price), since: translator.date(last.fromMs) })
      : translator.t('history.last', { price: price(last.price), at: translator.date(last.untilMs) }),
    translator.t('history.low', { price: price(low.price), at: translator.date(low.untilMs) }),
    high.price === low.price
      ? null
      : translator.t('history.high', { price: price(high.price), at: translator.date(high.untilMs) }),
    usual === null ? null : translator.t('history.usual', { price: price(usual) }),
    translator.t('history.watched', { since: translator.date(sinceMs) }),
  ].filter((line) => line !== null);
}
