import { type Discount, discountOf, type PriceRange } from '../deals/price.ts';
import type { Words } from './i18n/translator.ts';
import { clamp } from './limits.ts';

/** Room for a span of millions; what is longer is no price. */
const MOST_PRICE = 40;

/** `$84.95`, or `$159.99 – $199.99` for a span. */
export function formatPrice(range: PriceRange, words: Words): string {
  return clamp(words.price(range), MOST_PRICE);
}

/** `**$84.95** ~~$129.95~~ −34%`; null where no sale price is known. */
export function priceLine(salePrice: PriceRange | null, listPrice: PriceRange | null, words: Words): string | null {
  if (!salePrice) return null;
  const discount = discountOf(salePrice, listPrice);
  return [
    `**${formatPrice(salePrice, words)}**`,
    listPrice && `~~${formatPrice(listPrice, words)}~~`,
    discount && offText(discount, words),
  ]
    .filter((part) => part !== null)
    .join(' ');
}

/** `$84.95 −34%`, where nothing can be formatted; null where no sale price is known. */
export function priceText(salePrice: PriceRange | null, listPrice: PriceRange | null, words: Words): string | null {
  if (!salePrice) return null;
  const discount = discountOf(salePrice, listPrice);
  return [formatPrice(salePrice, words), discount && offText(discount, words)].filter(Boolean).join(' ');
}

/** `−34%`, or `−51% to −61%` for a span. */
export function offText({ minimum, maximum }: Discount, words: Words): string {
  const off = (percent: number) => `−${words.percent(percent)}`;
  if (minimum === maximum) return off(maximum);
  return words.t('offer.percentOff', { minimum: off(minimum), maximum: off(maximum) });
}

const BLOCKS = 10;

/** `▰▰▰▱▱▱▱▱▱▱` for 30 percent. Anything above nothing has a block, and only all of it has all. */
export function bar(percent: number): string {
  const share = Math.min(Math.max(percent, 0), 100) / 100;
  const full = share === 0 ? 0 : Math.max(1, Math.floor(share * BLOCKS));
  return '▰'.repeat(full) + '▱'.repeat(BLOCKS - full);
}

/** `▰▰▰▱▱▱▱▱▱▱ 34% left` */
export function leftLine(percent: number, words: Words): string {
  return `${bar(percent)} ${words.t('offer.left', { percent: words.percent(percent) })}`;
}

/**
 * A moment that Discord shows in each reader's own time zone and language.
 * @see https://discord.com/developers/docs/reference#message-formatting-timestamp-styles
 */
export function timestamp(ms: number, style: 'R' | 'f' | 'D' | 't'): string {
  return `<t:${Math.floor(ms / 1000)}:${style}>`;
}
