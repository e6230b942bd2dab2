import type { PriceHistory } from '../../deals/observed-prices.ts';
import type { PriceRange } from '../../deals/price.ts';
import { formatPrice } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { escaped } from '../../discord/pictures/svg.ts';
import { at, inColumns, priceAxis, type Scale, steps } from './course.ts';

/** Pixels. A post shows the picture below its text, in its whole width; a phone at less than half of it. */
const WIDTH = 840;
const HEIGHT = 70;
const PLOT = { left: 14, top: 14, bottom: 56 } as const;
const FONT = 28;
/** The mean width of a digit of the font. */
const DIGIT = 16;
/** The distance of the labels from the plot, and the least one from line to line. */
const LABEL = { left: 18, step: 30, highest: 26, lowest: 62 } as const;
/** The radius of the dot. */
const DOT = 8;
/** What ends so close to the right end was seen until now. */
const NEAR = 12;
/** Of equal contrast, 3.7 at least, on Discord's light and dark grounds: the picture has none of its own. */
const COLORS = { course: '#5883e0', low: '#2f9e62' } as const;

/**
 * An SVG without words and without a ground: the prices that a product was observed at as steps, each as long as it lasted,
 * and a dot for the offer's own price at the right end. It names that one, and the lowest. Where it was sold out or not seen,
 * nothing is drawn; from where it was seen last, dashes lead to the dot.
 * @param prices all that are drawn, the offer's own included
 * @param price the offer's own
 * @param nowMs the right end
 */
export function postChart(
  { course, sinceMs, last, low }: PriceHistory,
  { prices, price, nowMs }: { prices: PriceRange; price: number; nowMs: number },
  translator: Translator,
): string {
  const labels = labelsOf(prices.minimum, price, translator);
  const longest = Math.max(...labels.map(({ text }) => text.length));
  const right = WIDTH - LABEL.left - longest * DIGIT;
  const spanMs = Math.max(nowMs - sinceMs, 1);
  const scale: Scale = {
    right,
    x: (ms) => PLOT.left + ((ms - sinceMs) / spanMs) * (right - PLOT.left),
    y: priceAxis(prices, PLOT),
  };
  const line = `fill="none" stroke="${COLORS.course}" stroke-linejoin="round"`;
  const isMarked = low.price < price;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<path d="${steps(inColumns(course, scale), scale)}" ${line} stroke-width="5"/>`,
    `<path d="${toNow(last, price, scale)}" ${line} stroke-width="4"${isSeenUntil(last.untilMs, scale) ? '' : ' stroke-dasharray="4 8"'}/>`,
    isMarked ? dot(scale.x(low.untilMs), scale.y(low.price), COLORS.low) : '',
    dot(right, scale.y(price), COLORS.course),
    ...writeLabels(labels, scale),
    '</svg>',
  ].join('');
}

const isSeenUntil = (ms: number, { x, right }: Scale) => right - x(ms) <= NEAR;

/** From where the product was seen last to the dot. */
function toNow(last: PriceHistory['last'], price: number, { x, y, right }: Scale): string {
  return `M${at(x(last.untilMs))} ${at(y(last.price))}H${right}V${at(y(price))}`;
}

function dot(x: number, y: number, color: string): string {
  return `<circle cx="${at(x)}" cy="${at(y)}" r="${DOT}" fill="${color}"/>`;
}

interface Label {
  text: string;
  price: number;
  color: string;
}

/** The offer's own price and the lowest, the higher one first; one where they are the same. */
function labelsOf(lowest: number, price: number, translator: Translator): Label[] {
  const label = (of: number, color: string) => {
    return { text: formatPrice({ minimum: of, maximum: of }, translator), price: of, color };
  };
  const own = label(price, COLORS.course);
  return lowest < price ? [own, label(lowest, COLORS.low)] : [own];
}

/** Writes the labels beside their prices, apart from each other. */
function writeLabels(labels: readonly Label[], { y, right }: Scale): string[] {
  const room = (labels.length - 1) * LABEL.step;
  let least: number = LABEL.highest;
  return labels.map(({ text, price, color }, index) => {
    const most = LABEL.lowest - room + index * LABEL.step;
    const baseline = Math.min(Math.max(y(price) + FONT / 3, least), most);
    least = baseline + LABEL.step;
    const place = `x="${at(right + LABEL.left)}" y="${at(baseline)}"`;
    return `<text ${place} font-size="${FONT}" font-weight="600" fill="${color}">${escaped(text)}</text>`;
  });
}
