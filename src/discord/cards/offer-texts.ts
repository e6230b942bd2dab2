import {
  type EventOffer,
  type KeyValuePair,
  type OfferStats,
  type QualityPost,
  withEventOffer,
} from '../../deals/event.ts';
import type { OfferDetail, OfferTerms, ShippingMethod } from '../../deals/offer.ts';
import { formatPrice, timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { clampMarkdown, codeBlock, escapeLine, markdownOf } from '../markdown.ts';

/** The most excluded postal codes shown: a method excludes either very many or none. */
const MOST_EXCLUDED = 200;
const MOST_NAME = 100;
const MOST_BUYER = 40;
/** The most posts of buyers, and the characters of each. */
const MOST_POSTS = 10;
const MOST_SAID = 800;
/** A row of a chart fits a phone: name, percent and bar are at most 30 characters together. */
const MOST_LABEL = 14;
const MOST_BAR = 10;
const MOST_PERCENT = 8;
/** The most rows of a chart; the catalog lists states by the dozen. */
const MOST_ROWS = 24;
const MOST_PEAKS = 3;
/** One character per hour. */
const LEVELS = '▁▂▃▄▅▆▇█';
const PARAGRAPH = '\n\n';

/** The long texts of an offer as safe Markdown; '' where there is none. */
export interface OfferTexts {
  /** The features alone, with which the overview begins. */
  features: string;
  /** Features, specifications and warranty. */
  facts: string;
  /** The write-up, who made it, and what those who bought it wrote. */
  story: string;
  shipping: string;
}

/** Shipping data comes from the event, where the offer is in one. */
export function offerTexts(offer: OfferDetail, inEvent: EventOffer | null, translator: Translator): OfferTexts {
  const { shippingMethods } = inEvent ? withEventOffer(offer, inEvent) : offer;
  const { features, specs, warranty, story } = markdownOfTexts(offer);
  return {
    features,
    facts: paragraphs([
      features,
      headed(translator.t('offer.specs'), specs),
      headed(translator.t('offer.warranty'), warranty),
    ]),
    story: paragraphs([story, ...(inEvent ? peopleTexts(inEvent, offer.url, translator) : [])]),
    shipping: paragraphs([
      escapeLine(clamp(inEvent?.estimatedShipDate ?? '', MOST_NAME)),
      ...shippingMethods.map((method) => methodLines(method, translator)),
    ]),
  };
}

/**
 * Caches converted texts: every page of an offer needs all of them, a conversion takes up to 64 ms, and turning a page
 * may take 50.
 */
const converted = new WeakMap<OfferDetail, Record<'features' | 'specs' | 'warranty' | 'story', string>>();

function markdownOfTexts(offer: OfferDetail) {
  const read = (html: string | null) => markdownOf(html ?? '', offer.url);
  const texts = converted.get(offer) ?? {
    features: read(offer.features),
    specs: read(offer.specs),
    warranty: read(offer.extendedWarranty),
    story: paragraphs(
      [offer.teaser, offer.writeUpIntro, offer.writeUpBody, offer.snippet]
        .map(read)
        // The teaser is often the subtitle once more, which the card shows at its top.
        .filter((text, index, all) => !isRepeated(text, [offer.subtitle ?? '', ...all.slice(0, index)])),
    ),
  };
  converted.set(offer, texts);
  return texts;
}

/** The artist of a shirt, the winery of a wine, and what buyers wrote: only events tell of them. */
function peopleTexts(
  { artist, wineryDetails, qualityPosts }: EventOffer,
  url: string | null,
  translator: Translator,
): string[] {
  const name = escapeLine(clamp(artist?.name ?? '', MOST_NAME));
  const said = paragraphs(qualityPosts.slice(0, MOST_POSTS).map((post) => quoteOf(post, url, translator)));
  return [
    artist ? `**${translator.t('offer.artist', { name })}**\n${markdownOf(artist.biography ?? '', url)}`.trim() : '',
    headed(translator.t('offer.winery'), markdownOf(wineryDetails ?? '', url)),
    headed(translator.t('offer.buyersSay'), said),
  ];
}

/** `**Carol** · 21 November 2026` above the quoted words; '' where there are none. */
function quoteOf(
  { username, text, formattedBody, postedOnMs }: QualityPost,
  url: string | null,
  translator: Translator,
): string {
  const said = clampMarkdown(markdownOf(formattedBody ?? '', url) || escapeLine(text ?? ''), MOST_SAID);
  if (said === '') return '';
  const name = escapeLine(clamp(username ?? translator.t('offer.buyer'), MOST_BUYER));
  const when = postedOnMs === null ? '' : ` · ${timestamp(postedOnMs, 'D')}`;
  return `${name}${when}\n${said.replace(/^/gm, '> ')}`;
}

const folded = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Whether a text contains another, apart from case, marks and punctuation. */
export function saysSame(text: string, other: string): boolean {
  return ` ${folded(text)} `.includes(` ${folded(other)} `);
}

function isRepeated(text: string, before: readonly string[]): boolean {
  return before.some((other) => folded(other) === folded(text));
}

function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(PARAGRAPH);
}

function headed(heading: string, text: string): string {
  return text === '' ? '' : `**${heading}**\n${text}`;
}

/** The most states that are named beside a price. */
const MOST_STATES = 5;

/** `+ $5.00 shipping`, `not to AK, HI and PO boxes`, `limit 3 per person`, `4 sizes`: what it takes to have an offer. */
export function termFacts(terms: OfferTerms, translator: Translator): string[] {
  const { shipping, notToStates: states, notToPOBoxes, limit, variants, variantsBy = 'variant' } = terms;
  const named =
    states.length > MOST_STATES
      ? [translator.t('shipping.stateCount', { count: states.length })]
      : states.map((state) => escapeLine(clamp(state, 20)));
  const places = notToPOBoxes ? [...named, translator.t('shipping.poBoxes')] : named;
  return [
    shipping === null ? null : shipping === 0 ? translator.t('shipping.free') : plusText(shipping, translator),
    places.length > 0 ? translator.t('shipping.notTo', { place: translator.list(places) }) : null,
    limit === null ? null : translator.t('offer.limit', { count: limit }),
    variants > 1 ? translator.t(`offer.${variantsBy}s`, { count: variants }) : null,
  ].filter((fact) => fact !== null);
}

const plusText = (cost: number, translator: Translator) =>
  translator.t('shipping.plus', { price: formatPrice({ minimum: cost, maximum: cost }, translator) });

/** `**Standard** · $5.00 an order`, and the regions that it excludes. */
function methodLines(method: ShippingMethod, translator: Translator): string {
  const dollars = (amount: number) => formatPrice({ minimum: amount, maximum: amount }, translator);
  const amounts = [
    method.perOrderAmount ? translator.t('shipping.perOrder', { price: dollars(method.perOrderAmount) }) : null,
    method.perEventAmount ? translator.t('shipping.perEvent', { price: dollars(method.perEventAmount) }) : null,
    method.perItemAmount ? translator.t('shipping.perItem', { price: dollars(method.perItemAmount) }) : null,
  ].filter((amount) => amount !== null);
  const places = [
    method.excludedStates.length > 0
      ? translator.t('shipping.states', { codes: codes(method.excludedStates, translator) })
      : null,
    method.excludedPostalCodes.length > 0
      ? translator.t('shipping.postalCodes', { codes: codes(method.excludedPostalCodes, translator) })
      : null,
    method.excludePOBox ? translator.t('shipping.poBoxes') : null,
  ].filter((place) => place !== null);
  return [
    [`**${escapeLine(clamp(method.name, MOST_NAME))}**`, ...amounts].join(' · '),
    ...places.map((place) => `- ${translator.t('shipping.notTo', { place })}`),
  ].join('\n');
}

function codes(all: readonly string[], translator: Translator): string {
  const shown = all.slice(0, MOST_EXCLUDED).map((code) => escapeLine(clamp(code, 20)));
  const others = all.length - shown.length;
  return others > 0
    ? `${shown.join(', ')} ${translator.t('offer.moreItems', { count: others })}`
    : translator.list(shown);
}

/**
 * Sales statistics of an offer as safe Markdown, in blocks each of which can stand alone; an empty list where there are
 * none (specification: "v2: OfferStats").
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
  const name = (text: string) => escapeLine(clamp(text, MOST_BUYER));
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
