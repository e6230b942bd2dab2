import { discountOf, type PriceRange } from '../deals/price.ts';
import { clamp } from './limits.ts';

/** Room for a span of millions; what is longer is no price. */
const MOST_PRICE = 40;

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** `$84.95`, or `$159.99–$199.99` for a span. */
export function formatPrice({ minimum, maximum }: PriceRange): string {
  const price = minimum === maximum ? dollars.format(minimum) : `${dollars.format(minimum)}–${dollars.format(maximum)}`;
  return clamp(price, MOST_PRICE);
}

/** `**$84.95** ~~$129.95~~ −34%`; null where no sale price is known. */
export function priceLine(salePrice: PriceRange | null, listPrice: PriceRange | null): string | null {
  if (!salePrice) return null;
  const discount = discountOf(salePrice, listPrice);
  return [
    `**${formatPrice(salePrice)}**`,
    listPrice && `~~${formatPrice(listPrice)}~~`,
    discount &&
      (discount.minimum === discount.maximum
        ? `−${discount.maximum}%`
        : `−${discount.minimum}% to −${discount.maximum}%`),
  ]
    .filter((part) => part !== null)
    .join(' ');
}

/**
 * A moment that Discord shows in each reader's own time zone and language.
 * @see https://discord.com/developers/docs/reference#message-formatting-timestamp-styles
 */
export function timestamp(ms: number, style: 'R' | 'f' | 'D'): string {
  return `<t:${Math.floor(ms / 1000)}:${style}>`;
}
