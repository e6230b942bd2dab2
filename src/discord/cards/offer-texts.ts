import { type EventOffer, withEventOffer } from '../../deals/event.ts';
import type { OfferDetail, ShippingMethod } from '../../deals/offer.ts';
import { formatPrice } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine, markdownOf } from '../markdown.ts';

/** The most excluded postal codes shown: a method excludes either very many or none. */
const MOST_EXCLUDED = 200;
const MOST_NAME = 100;
const PARAGRAPH = '\n\n';

/** The long texts of an offer as safe Markdown; '' where there is none. */
export interface OfferTexts {
  /** The features alone, with which the overview begins. */
  features: string;
  /** Features, specifications and warranty. */
  facts: string;
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
    story,
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
