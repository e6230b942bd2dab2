import type { PriceHistory } from '../../deals/observed-prices.ts';
import type { PriceRange } from '../../deals/price.ts';
import { at, COLORS, inColumns, priceAxis, type Scale, steps } from './course.ts';

/** Pixels. A post shows the picture below its text, in its whole width. */
const WIDTH = 840;
const HEIGHT = 140;
const PLOT = { left: 20, right: 820, top: 20, bottom: 120 } as const;
/** The dot's radius. */
const DOT = 9;

/**
 * An SVG without words, which is the same in each language: the prices that a product was observed at as steps, each as long
 * as it lasted, and a dot for the offer's own price at the right end. Where it was sold out or not seen, nothing is drawn.
 * @param prices all that are drawn, the offer's own included
 * @param price the offer's own
 * @param nowMs the right end
 */
export function postChart({ course, sinceMs }: PriceHistory, prices: PriceRange, price: number, nowMs: number): string {
  const { left, right } = PLOT;
  const spanMs = Math.max(nowMs - sinceMs, 1);
  const scale: Scale = {
    right,
    x: (ms) => left + ((ms - sinceMs) / spanMs) * (right - left),
    y: priceAxis(prices, PLOT),
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="20" fill="${COLORS.ground}"/>`,
    `<path d="${steps(inColumns(course, scale), scale)}" fill="none" stroke="${COLORS.course}" stroke-width="5" stroke-linejoin="round"/>`,
    `<circle cx="${right}" cy="${at(scale.y(price))}" r="${DOT}" fill="${COLORS.course}"/>`,
    '</svg>',
  ].join('');
}
