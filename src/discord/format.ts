import { type Discount, discountOf, type PriceRange, type Prices } from '../deals/price.ts';
import type { Translator } from './i18n/translator.ts';
import { clamp } from './limits.ts';

/** Long enough for a range of millions; anything longer is not a plausible price. */
const MOST_PRICE = 40;

/** The address of a message in a server. */
export function messageUrl(
  guildId: string,
  { channelId, messageId }: { channelId: string; messageId: string },
): string {
  return `https://discord.com/channels/${guildId}/${channelId}/${messageId}`;
}

/** `$84.95`, or `$159.99 – $199.99` for a range. */
export function formatPrice(range: PriceRange, translator: Translator): string {
  return clamp(translator.price(range), MOST_PRICE);
}

/** `**$84.95** ~~$129.95~~ −34%`; null where no sale price is known. */
export function priceLine({ salePrice, listPrice }: Prices, translator: Translator): string | null {
  if (!salePrice) return null;
  const discount = discountOf(salePrice, listPrice);
  return [
    `**${formatPrice(salePrice, translator)}**`,
    listPrice && `~~${formatPrice(listPrice, translator)}~~`,
    discount && offText(discount, translator),
  ]
    .filter((part) => part !== null)
    .join(' ');
}

/**
 * `## $84.95 ~~$129.95~~ −34%` in one line of a phone: a size smaller what is too long for that, as a range is (`### from $84.95
 * · up to −61%`), and without the list price what is longer still. null where no sale price is known.
 */
export function priceHeading({ salePrice, listPrice }: Prices, translator: Translator): string | null {
  if (!salePrice) return null;
  const from = fromText({ salePrice, listPrice }, translator);
  if (from !== null) return `### ${from}`;
  const discount = discountOf(salePrice, listPrice);
  const price = formatPrice(salePrice, translator);
  const list = discount && listPrice && formatPrice(listPrice, translator);
  const off = discount && offText(discount, translator);
  const length = [price, list, off].filter(Boolean).join(' ').length;
  const shown = [price, list && length <= LONGEST_SMALL && `~~${list}~~`, off].filter(Boolean).join(' ');
  return `${length > LONGEST_LARGE ? '###' : '##'} ${shown}`;
}

/** The most characters of a heading that fit one line on a phone of 375 px: of the larger one, and a size smaller. */
export const LONGEST_LARGE = 19;
export const LONGEST_SMALL = 24;

/** `from $84.95 · up to −61%`: a range of prices, which fits a line on a phone; null where there is one price, or none. */
export function fromText({ salePrice, listPrice }: Prices, translator: Translator): string | null {
  if (!salePrice || salePrice.minimum === salePrice.maximum) return null;
  const discount = discountOf(salePrice, listPrice);
  const price = translator.t('price.from', { price: formatPrice(only(salePrice.minimum), translator) });
  return [price, discount && offText({ ...discount, minimum: leastShown(discount) }, translator)]
    .filter((part) => part !== null)
    .join(' · ');
}

const only = (price: number): PriceRange => ({ minimum: price, maximum: price });
/** Of a range of discounts only the most is told beside a price; which variant has it, the details tell. */
const leastShown = ({ minimum, maximum }: Discount) => (minimum === maximum ? minimum : 0);

/** Plain text, `$84.95 −34%`; null where no sale price is known. */
export function priceText({ salePrice, listPrice }: Prices, translator: Translator): string | null {
  if (!salePrice) return null;
  const discount = discountOf(salePrice, listPrice);
  return [formatPrice(salePrice, translator), discount && offText(discount, translator)].filter(Boolean).join(' ');
}

/** `−34%`, or `−51% to −61%` for a range. */
export function offText({ minimum, maximum }: Discount, translator: Translator): string {
  const off = (percent: number) => `−${translator.percent(percent)}`;
  if (minimum === maximum) return off(maximum);
  if (minimum === 0) return translator.t('offer.percentOffUpTo', { maximum: off(maximum) });
  return translator.t('offer.percentOff', { minimum: off(minimum), maximum: off(maximum) });
}

const BLOCKS = 10;

/** `▰▰▰▱▱▱▱▱▱▱` for 30 percent. Any value above 0 has at least one block, and only 100 percent has all. */
export function bar(percent: number): string {
  const share = Math.min(Math.max(percent, 0), 100) / 100;
  const full = share === 0 ? 0 : Math.max(1, Math.floor(share * BLOCKS));
  return '▰'.repeat(full) + '▱'.repeat(BLOCKS - full);
}

/** `▰▰▰▱▱▱▱▱▱▱ 34% left` */
export function leftLine(percent: number, translator: Translator): string {
  return `${bar(percent)} ${translator.t('offer.left', { percent: translator.percent(percent) })}`;
}

/**
 * A timestamp that Discord shows in each reader's own time zone and language.
 * @see https://discord.com/developers/docs/reference#message-formatting-timestamp-styles
 */
export function timestamp(ms: number, style: 'R' | 'f' | 'D' | 't'): string {
  return `<t:${Math.floor(ms / 1000)}:${style}>`;
}
