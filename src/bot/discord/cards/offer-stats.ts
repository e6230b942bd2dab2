import type { KeyValuePair, OfferStats } from '../../deals/event.ts';
import { timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';

const MOST_NAME = 40;
/** More than the 24 hours of a day, the longest list seen so far. */
const MOST_SHARES = 60;

/** Sales statistics of an offer as safe Markdown; '' where there are none (specification: "v2: OfferStats"). */
export function statsText(stats: OfferStats, translator: Translator): string {
  return [sales(stats, translator), ...breakdowns(stats, translator)].filter((part) => part !== '').join('\n\n');
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

function breakdowns(stats: OfferStats, translator: Translator): string[] {
  return [
    shares(translator.t('stats.perDay'), stats.percentageOfSalesPerDay, translator),
    shares(translator.t('stats.perHour'), stats.percentageOfSalesPerHour, translator),
    shares(translator.t('stats.experience'), stats.purchaserExperience, translator),
    shares(translator.t('stats.seniority'), stats.purchaserSeniority, translator),
    shares(translator.t('stats.quantity'), stats.quantityBreakdown, translator),
    shares(translator.t('stats.states'), stats.dealsByState, translator),
  ];
}

/** `Mon 12% · Tue 15%`, below its heading. */
function shares(heading: string, pairs: readonly KeyValuePair[], translator: Translator): string {
  if (pairs.length === 0) return '';
  const parts = pairs
    .slice(0, MOST_SHARES)
    .map(({ key, value }) => `${escapeLine(clamp(key, MOST_NAME))} ${translator.percent(value)}`);
  return `**${heading}**\n${parts.join(' · ')}`;
}
