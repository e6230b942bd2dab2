import type { KeyValuePair, OfferStats } from '../../deals/event.ts';
import { timestamp } from '../format.ts';
import type { Words } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';

const MOST_NAME = 40;
/** More than the hours of a day, which is the longest that has been seen. */
const MOST_SHARES = 60;

/** How an offer sells, as safe Markdown; '' where nothing is told (specification: "v2: OfferStats"). */
export function statsText(stats: OfferStats, words: Words): string {
  return [sales(stats, words), ...breakdowns(stats, words)].filter((part) => part !== '').join('\n\n');
}

function sales(stats: OfferStats, words: Words): string {
  const name = (text: string) => escapeLine(clamp(text, MOST_NAME));
  const rank = (pace: number, sold: number) => ({ pace: words.number(pace), sold: words.number(sold) });
  const { overallOrderPace, overallDealsSold, siteOrderPace, siteDealsSold } = stats;
  return [
    stats.speedToFirstDealMs !== null && words.t('stats.speed', { span: words.span(stats.speedToFirstDealMs) }),
    stats.firstSucker !== null && words.t('stats.first', { name: name(stats.firstSucker) }),
    stats.lastBuyerToDeal !== null && words.t('stats.last', { name: name(stats.lastBuyerToDeal) }),
    stats.lastPurchaseMs !== null && words.t('stats.lastAt', { at: timestamp(stats.lastPurchaseMs, 'R') }),
    overallOrderPace !== null &&
      overallDealsSold !== null &&
      words.t('stats.rank', rank(overallOrderPace, overallDealsSold)),
    siteOrderPace !== null && siteDealsSold !== null && words.t('stats.siteRank', rank(siteOrderPace, siteDealsSold)),
  ]
    .filter((line) => line !== false)
    .map((line) => `- ${line}`)
    .join('\n');
}

function breakdowns(stats: OfferStats, words: Words): string[] {
  return [
    shares(words.t('stats.perDay'), stats.percentageOfSalesPerDay, words),
    shares(words.t('stats.perHour'), stats.percentageOfSalesPerHour, words),
    shares(words.t('stats.experience'), stats.purchaserExperience, words),
    shares(words.t('stats.seniority'), stats.purchaserSeniority, words),
    shares(words.t('stats.quantity'), stats.quantityBreakdown, words),
    shares(words.t('stats.states'), stats.dealsByState, words),
  ];
}

/** `Mon 12% · Tue 15%`, under its heading. */
function shares(heading: string, pairs: readonly KeyValuePair[], words: Words): string {
  if (pairs.length === 0) return '';
  const parts = pairs
    .slice(0, MOST_SHARES)
    .map(({ key, value }) => `${escapeLine(clamp(key, MOST_NAME))} ${words.percent(value)}`);
  return `**${heading}**\n${parts.join(' · ')}`;
}
