import type { PriceHistory } from '../../deals/observed-prices.ts';
import type { PriceRun } from '../../deals/price-runs.ts';
import { formatPrice } from '../../discord/format.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { escaped } from '../../discord/pictures/svg.ts';
import { DAY_MS } from '../../shared/time.ts';
import { at, COLORS, inColumns, LEAST_WIDTH, priceAxis, type Scale, steps } from './course.ts';

/** Pixels. A phone shows the picture at less than half of this width, where the smallest text is still 12 pixels high. */
const WIDTH = 840;
const HEIGHT = 480;
const PLOT = { left: 24, top: 40, bottom: 400 } as const;
/** The plot leaves the labels at its right as much room as the longest one needs, but keeps a third of the picture. */
const RIGHT = { least: 280, most: 600 } as const;
/** The mean width of a letter of the font. */
const LETTER = 16.5;
const FONT = 30;
/** The least distance of the labels at the right, from line to line. */
const LABEL_STEP = 46;

/**
 * An SVG of a product's prices as steps: what it costs, the lowest and the usual price, and where it was sold out.
 * Where nothing is known, nothing is drawn.
 * @param nowMs the right end
 */
export function priceChart(history: PriceHistory, translator: Translator, nowMs: number): string {
  const labels = labelsOf(history, translator);
  const scale = scaleOf(history, labels, nowMs);
  const columns = inColumns(history.course, scale);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    '<defs><pattern id="hatch" width="14" height="14" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">',
    `<rect width="5" height="14" fill="${COLORS.soldOut}"/></pattern></defs>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="20" fill="${COLORS.ground}"/>`,
    `<path d="M${PLOT.left} ${PLOT.bottom}H${at(scale.right)}" stroke="${COLORS.rule}" stroke-width="2"/>`,
    ...columns.filter(({ price }) => price === null).map((run) => band(run, scale)),
    level(history.low.price, scale, COLORS.low, '3 9'),
    history.usual === null ? '' : level(history.usual, scale, COLORS.usual, '18 10'),
    `<path d="${steps(columns, scale)}" fill="none" stroke="${COLORS.course}" stroke-width="5" stroke-linejoin="round"/>`,
    `<circle cx="${at(scale.x(history.last.untilMs))}" cy="${at(scale.y(history.last.price))}" r="9" fill="${COLORS.course}"/>`,
    ...writeLabels(labels, scale),
    ...dates(history, scale, translator, nowMs),
    columns.some(({ price }) => price === null) ? legend(scale, translator) : '',
    '</svg>',
  ].join('');
}

function scaleOf({ sinceMs, low, high, usual }: PriceHistory, labels: readonly Label[], nowMs: number): Scale {
  const longest = Math.max(...labels.map(({ text }) => text.length));
  const right = Math.min(RIGHT.most, Math.max(RIGHT.least, WIDTH - 40 - longest * LETTER));
  const spanMs = Math.max(nowMs - sinceMs, 1);
  const prices = { minimum: Math.min(low.price, usual ?? Infinity), maximum: Math.max(high.price, usual ?? 0) };
  return {
    right,
    x: (ms) => PLOT.left + ((ms - sinceMs) / spanMs) * (right - PLOT.left),
    y: priceAxis(prices, PLOT),
  };
}

function band({ fromMs, untilMs }: PriceRun, { x }: Scale): string {
  const width = Math.max(x(untilMs) - x(fromMs), LEAST_WIDTH);
  const box = `x="${at(x(fromMs))}" y="${PLOT.top}" width="${at(width)}" height="${PLOT.bottom - PLOT.top}"`;
  return `<rect ${box} fill="url(#hatch)"/>`;
}

function level(price: number, { y, right }: Scale, color: string, dashes: string): string {
  const path = `M${PLOT.left} ${at(y(price))}H${at(right)}`;
  return `<path d="${path}" stroke="${color}" stroke-width="3" stroke-dasharray="${dashes}"/>`;
}

interface Label {
  text: string;
  price: number;
  color: string;
}

/** A label for each price that the picture marks; equal prices share one. */
function labelsOf({ last, isCurrent, low, high, usual }: PriceHistory, translator: Translator): Label[] {
  const marks = [
    {
      name: translator.t(isCurrent ? 'chart.now' : 'chart.last'),
      price: last.price,
      color: COLORS.course,
    },
    ...(low.price < high.price ? [{ name: translator.t('chart.low'), price: low.price, color: COLORS.low }] : []),
    ...(usual === null || low.price === high.price
      ? []
      : [{ name: translator.t('chart.usual'), price: usual, color: COLORS.usual }]),
  ];
  return [...new Set(marks.map(({ price }) => price))]
    .sort((a, b) => b - a)
    .map((price) => {
      const same = marks.filter((mark) => mark.price === price);
      const names = same.map(({ name }) => name).join(', ');
      const text = `${names} ${formatPrice({ minimum: price, maximum: price }, translator)}`;
      return { text, price, color: same[0]?.color ?? COLORS.text };
    });
}

/** Writes the labels at the right of their prices, moved apart where they would overlap. */
function writeLabels(labels: readonly Label[], { y, right }: Scale): string[] {
  const lowest = PLOT.bottom + FONT / 3;
  const places: number[] = [];
  for (const { price } of labels) places.push(Math.max(y(price) + FONT / 3, (places.at(-1) ?? -Infinity) + LABEL_STEP));
  // A label that was moved below the plot moves the others up.
  for (let index = places.length - 1, most = lowest; index >= 0; index -= 1, most -= LABEL_STEP) {
    places[index] = Math.min(places[index] ?? most, most);
  }
  return labels.map(({ text, color }, index) => written(text, right + 18, places[index] ?? lowest, color, 'start'));
}

/** The first day at the left, today at the right, and the middle where there is room. */
function dates({ sinceMs }: PriceHistory, { right }: Scale, { locale }: Translator, nowMs: number): string[] {
  const isLong = nowMs - sinceMs > 300 * DAY_MS;
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    month: 'short',
    ...(isLong ? { year: 'numeric' } : { day: 'numeric' }),
  });
  const [first, middle, last] = [sinceMs, (sinceMs + nowMs) / 2, nowMs].map((ms) => format.format(ms));
  const baseline = PLOT.bottom + FONT + 14;
  const letters = `${first}${middle}${last}`.length;
  const isRoomy = letters * LETTER + 2 * FONT < right - PLOT.left;
  return [
    written(first ?? '', PLOT.left, baseline, COLORS.quiet, 'start'),
    middle === first || middle === last || !isRoomy
      ? ''
      : written(middle ?? '', (PLOT.left + right) / 2, baseline, COLORS.quiet, 'middle'),
    first === last ? '' : written(last ?? '', right, baseline, COLORS.quiet, 'end'),
  ];
}

function legend({ right }: Scale, translator: Translator): string {
  const y = PLOT.bottom + FONT + 14;
  const box = `<rect x="${at(right + 20)}" y="${y - 24}" width="28" height="28" fill="url(#hatch)" stroke="${COLORS.soldOut}"/>`;
  return box + written(translator.t('chart.soldOut'), right + 58, y, COLORS.quiet, 'start');
}

function written(text: string, x: number, y: number, color: string, anchor: 'start' | 'middle' | 'end'): string {
  const place = `x="${at(x)}" y="${at(y)}" text-anchor="${anchor}"`;
  return `<text ${place} font-size="${FONT}" fill="${color}">${escaped(text)}</text>`;
}
