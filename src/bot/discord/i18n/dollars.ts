import type { PriceRange } from '../../deals/price.ts';

/**
 * US dollars as a locale writes them: `$84.95`, or `$159.99 – $199.99` for a span. `Intl` takes a hundred times as long for
 * a span as for a number, so it is asked once what stands around the two.
 */
export function dollarsOf(locale: string): (range: PriceRange) => string {
  const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const [before, between, after] = aroundNumbers(dollars.formatRangeToParts(1, 2));
  return ({ minimum, maximum }) => {
    const [least, most] = [amounts.format(minimum), amounts.format(maximum)];
    return least === most ? dollars.format(minimum) : `${before}${least}${between}${most}${after}`;
  };
}

const IN_NUMBERS = new Set(['integer', 'decimal', 'fraction']);

/** What a formatted span has before, between and after its numbers. */
function aroundNumbers(parts: readonly { type: string; value: string }[]): [string, string, string] {
  const around: [string, string, string] = ['', '', ''];
  let numbers = 0;
  let isInNumber = false;
  for (const { type, value } of parts) {
    if (IN_NUMBERS.has(type) && !isInNumber) numbers += 1;
    isInNumber = IN_NUMBERS.has(type);
    if (!isInNumber) around[numbers] += value;
  }
  return around;
}
