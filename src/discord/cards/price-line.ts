import {
  isLikelySlip,
  isLowestEver,
  lowestForMs,
  type ObservedPrices,
  realDiscount,
} from '../../deals/observed-prices.ts';
import type { Offer } from '../../deals/offer.ts';
import { formatPrice, timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';

/** The shortest time without a cheaper price that a card tells of. */
const LEAST_LOW_MS = 90 * 24 * 3_600_000;

/**
 * `📉 **Lowest price in 95 days** (cheaper until 3 March) · **24% below** the usual $34`: what was observed of the
 * product's prices, always with since when; null where that is nothing. It stays the same for as long as the price does.
 */
export function observedLine(offer: Pick<Offer, 'salePrice' | 'observed'>, translator: Translator): string | null {
  const { observed } = offer;
  if (!observed) return null;
  const low = lowText(offer, translator);
  const usual = usualText(offer, translator);
  if (low === null && usual === null) return null;
  const since = translator.t('price.watched', { since: timestamp(observed.sinceMs, 'D') });
  return [low && `📉 ${low}`, usual, low === null ? since : null].filter((part) => part !== null).join(' · ');
}

/** `⚠️ **Possible pricing mistake**: …`; null where the price looks right. */
export function slipLine(offer: Pick<Offer, 'salePrice' | 'observed'>, translator: Translator): string | null {
  if (!offer.observed || !isLikelySlip(offer)) return null;
  return `⚠️ ${translator.t('price.slip', { since: timestamp(offer.observed.sinceMs, 'D') })}`;
}

function lowText(
  offer: { observed?: ObservedPrices } & Pick<Offer, 'salePrice'>,
  translator: Translator,
): string | null {
  const { observed } = offer;
  const ms = lowestForMs(offer);
  if (!observed || ms === null) return null;
  if (isLowestEver(offer)) return translator.t('price.lowestEver', { since: timestamp(observed.sinceMs, 'D') });
  if (ms < LEAST_LOW_MS || observed.lowestSinceMs === null) return null;
  return translator.t('price.lowestFor', { span: translator.span(ms), since: timestamp(observed.lowestSinceMs, 'D') });
}

function usualText(offer: Pick<Offer, 'salePrice' | 'observed'>, translator: Translator): string | null {
  const usual = offer.observed?.usual ?? null;
  const percent = realDiscount(offer);
  if (usual === null || percent === null || usual === offer.salePrice?.minimum) return null;
  const price = formatPrice({ minimum: usual, maximum: usual }, translator);
  return percent > 0
    ? translator.t('price.belowUsual', { percent: translator.percent(percent), price })
    : translator.t('price.usual', { price });
}
