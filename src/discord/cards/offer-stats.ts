import type { KeyValuePair, OfferStats } from '../../deals/event.ts';
import { timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { codeBlock, escapeLine } from '../markdown.ts';

const MOST_NAME = 40;
/** A row of a chart fits a phone: name, percent and bar are at most 30 characters together. */
const MOST_LABEL = 14;
const MOST_BAR = 10;
const MOST_PERCENT = 8;
/** The most rows of a chart; the catalog lists states by the dozen. */
const MOST_ROWS = 24;
const MOST_PEAKS = 3;
/** One character per hour. */
const LEVELS = '▁▂▃▄▅▆▇█';

/**
 * Sales statistics of an offer as safe Markdown, in blocks that stand for themselves; none where there are none
 * (specification: "v2: OfferStats").
 */
export function statsBlocks(stats: OfferStats, translator: Translator): string[] {
  return [
    sales(stats, translator),
    hoursChart(stats.percentageOfSalesPerHour, translator),
    chart(translator.t('stats.perDay'), stats.percentageOfSalesPerDay, translator),
    chart(translator.t('stats.experience'), stats.purchaserExperience, translator),
    chart(translator.t('stats.seniority'), stats.purchaserSeniority, translator),
    chart(translator.t('stats.quantity'), stats.quantityBreakdown, translator),
    chart(translator.t('stats.states'), stats.dealsByState, translator),
  ].filter((block) => block !== '');
}

function sales(stats: OfferStats, translator: Translator): string {
  const name = (text: string) => escapeLine(clamp(text, MOST_NAME));
  const rank = (pace: number, sold: number) => ({ pace: translator.number(pace), sold: translator.number(sold) });
  const { overallOrderPace, overallDealsSold, siteOrderPace, siteDealsSold } = stats;
  return [
    stats.speedToFirstDealMs !== null &&
      translator.t('stats.speed', { span: translator.span(stats.speedToFirstDealMs) }),
    stats.firstSucker !== null && translator.t('stats.first', { name: name(stats.firstSucker) }),
    stats.lastBuyerToDeal !== null && translator.t('stats.last', { name: name(stats.lastBuyerToDeal) }),
    stats.lastPurchaseMs !== null && translator.t('stats.lastAt', { at: timestamp(stats.lastPurchaseMs, 'R') }),
    overallOrderPace !== null &&
      overallDealsSold !== null &&
      translator.t('stats.rank', rank(overallOrderPace, overallDealsSold)),
    siteOrderPace !== null &&
      siteDealsSold !== null &&
      translator.t('stats.siteRank', rank(siteOrderPace, siteDealsSold)),
  ]
    .filter((line) => line !== false)
    .map((line) => `- ${line}`)
    .join('\n');
}

/** The hours of a day as the catalog names them: twice 12, 1 to 11. */
const HOUR_KEYS = Array.from({ length: 24 }, (_, hour) => String(hour % 12 || 12)).join();

/**
 * A line of 24 characters above an axis, and the best hours in words, which can be read aloud. Other keys than the
 * catalog's hours are charted by their names.
 */
function hoursChart(pairs: readonly KeyValuePair[], translator: Translator): string {
  const heading = translator.t('stats.perHour');
  if (pairs.map(({ key }) => key).join() !== HOUR_KEYS) return chart(heading, pairs, translator);
  const most = mostOf(pairs);
  const line = pairs.map(({ value }) => LEVELS[Math.round((sized(value) / most) * (LEVELS.length - 1))]).join('');
  const [first, noon, last] = [translator.hour(0), translator.hour(12), translator.hour(23)];
  const isRoomy = 12 + noon.length + last.length < pairs.length;
  const axis = `${first.padEnd(12)}${isRoomy ? noon : ''}`.padEnd(pairs.length - last.length) + last;
  const peaks = pairs
    .map(({ value }, hour) => ({ value, hour }))
    .toSorted((a, b) => b.value - a.value)
    .slice(0, MOST_PEAKS)
    .map(({ value, hour }) => `${translator.hour(hour)} (${percentOf(value, translator)})`);
  return `**${heading}**\n${codeBlock(`${line}\n${axis}`)}\n${translator.t('stats.peaks', { hours: translator.list(peaks) })}`;
}

/** A row per name: `Mon  12% ████`, below the heading. */
function chart(heading: string, pairs: readonly KeyValuePair[], translator: Translator): string {
  if (pairs.length === 0) return '';
  const rows = pairs.slice(0, MOST_ROWS).map(({ key, value }) => ({
    label: clamp(plainLabel(key), MOST_LABEL),
    percent: percentOf(value, translator),
    value: sized(value),
  }));
  const most = mostOf(pairs);
  const [labelWidth, percentWidth] = [widest(rows.map(({ label }) => label)), widest(rows.map((row) => row.percent))];
  const lines = rows.map(({ label, percent, value }) =>
    `${label.padEnd(labelWidth)} ${percent.padStart(percentWidth)} ${'█'.repeat(Math.round((value / most) * MOST_BAR))}`.trimEnd(),
  );
  const unshown = pairs.length - rows.length;
  const rest = unshown > 0 ? `\n${translator.t('offer.moreItems', { count: unshown })}` : '';
  return `**${heading}**\n${codeBlock(lines.join('\n'))}${rest}`;
}

const percentOf = (value: number, translator: Translator) => clamp(translator.percent(value), MOST_PERCENT);
/** A code block shows marks as they are; what looks like a mention is changed all the same. */
const plainLabel = (key: string) =>
  key
    .replace(/\s+/g, ' ')
    .replace(/<(?=[@#:/]|a:)/g, '‹')
    .trim();
/** Shares are foreign numbers: below 0 is none. */
const sized = (value: number) => Math.max(0, value);
const mostOf = (pairs: readonly KeyValuePair[]) => Math.max(...pairs.map(({ value }) => value), Number.MIN_VALUE);
const widest = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
