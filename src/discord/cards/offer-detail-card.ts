import type { APIComponentInContainer } from 'discord-api-types/v10';
import { type EventOffer, withEventOffer } from '../../deals/event.ts';
import { hasEnded, isOver } from '../../deals/life.ts';
import type { Attribute, Item, Offer, OfferDetail, Photo } from '../../deals/offer.ts';
import { pricesOf } from '../../deals/price.ts';
import { termsOf } from '../../deals/terms.ts';
import { OFFER_SECTIONS, type OfferSection } from '../custom-id.ts';
import { leftLine, priceLine, priceText } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp, LIMITS } from '../limits.ts';
import { clampMarkdown, escapeLine, excerptOf, pagesOf } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { sellsOutText } from './event-card.ts';
import { conditionOf, lifeLine, observedLine, perUnitText, slipLine, soldAt } from './offer-card.ts';
import { type OfferTexts, offerTexts, saysSame, statsBlocks, termFacts } from './offer-texts.ts';
import { type Age, ageText } from './paged-card.ts';
import {
  actionButton,
  addedButtons,
  announcementButtons,
  buttons,
  type Card,
  type CardContext,
  card,
  detailButtons,
  detailLines,
  factsOf,
  gallery,
  type Line,
  linkButton,
  markedButton,
  menu,
  type Part,
  separator,
  smallLine,
  titleLine,
} from './parts.ts';

const MOST_TITLE = 200;
const MOST_EXCERPT = 700;
/** Characters of a page, which leave room on the card for title, buttons and the small line. */
const MOST_PAGE = 2_600;

/** An offer in full, one section at a time. */
export interface OfferDetailView {
  offer: OfferDetail;
  /** As a feed lists it, the only source of end, condition, place and discussion. Null where no known feed lists it. */
  listed: Offer | null;
  /** As an event lists it, with statistics and discussion; null where that is not known. */
  inEvent: EventOffer | null;
  age: Age;
  section: OfferSection;
  /** 1-based: the page of the section, or the variant; one past the end is the last. */
  part: number;
  /** The announcement from which it was opened, where features have buttons for this reader; else null. */
  openedFrom: string | null;
}

/** The content of a section. */
interface Body {
  parts: readonly Part[];
  page: number;
  /** The `part` with which each page begins. */
  starts: readonly number[];
}

/** A section of an offer, and buttons to the others. */
export function offerDetailCard(detail: OfferDetailView, context: CardContext): Card {
  const { listed, inEvent, section, age } = detail;
  const { translator } = context;
  const offer = inEvent ? withEventOffer(detail.offer, inEvent) : detail.offer;
  const view = { ...detail, offer };
  const texts = offerTexts(detail.offer, inEvent, translator);
  const { parts, page, starts } = bodyOf(view, texts, context);
  const isLong = starts.length > 1;
  const onCard = { offerId: offer.id, shownAs: 'whole', isListed: listed !== null } as const;
  return card(isGone(view, context) ? ACCENT.over : ACCENT.offer, [
    headLines(view, context),
    buttons([
      linkButton(translator.t('button.open'), offer.url ?? listed?.url ?? null),
      linkButton(translator.t('button.discussion'), listed?.forumUrl ?? inEvent?.discussionUrl ?? null),
      ...addedButtons(onCard, context),
      ...announcementButtons(offer.id, view.openedFrom, context),
    ]),
    sectionButtons(view, sectionsOf(view, texts), context),
    ...parts,
    section === 'overview' && !isGone(view, context) ? detailButtons(onCard, context) : null,
    smallLine([
      ...(listed ? soldAt(listed, context) : []),
      isLong ? translator.t('list.page', { page, pages: starts.length }) : null,
      ageText(age, translator),
    ]),
    isLong ? buttons([turnButton('previous', '◀', starts[page - 2]), turnButton('next', '▶', starts[page])]) : null,
  ]);

  function turnButton(mark: string, label: string, part: number | undefined) {
    const action = {
      do: 'offer-section',
      offerId: offer.id,
      section,
      part: part ?? 1,
      openedFrom: view.openedFrom,
    } as const;
    return markedButton(mark, label, action, part === undefined);
  }
}

function isGone({ offer, listed }: OfferDetailView, { nowMs }: CardContext): boolean {
  return offer.isSoldOut || offer.isOfferLiveNow === false || (listed !== null && isOver(listed, nowMs));
}

function headLines(view: OfferDetailView, context: CardContext): Line[] {
  const { offer, section } = view;
  const isOver = isGone(view, context);
  const title = titleLine(clamp(offer.fullTitle ?? offer.title, MOST_TITLE), offer.url, isOver, '##');
  if (section !== 'overview') return [title];
  const { listed } = view;
  return [
    title,
    subtitleOf(offer),
    priceFacts(view, isOver, context) || null,
    listed && slipLine(listed, context.translator),
    listed && observedLine(listed, context.translator),
    ...detailLines(offer, context),
    lifeOf(view, isOver, context),
  ];
}

/** null where the title says it already. */
function subtitleOf({ title, fullTitle, subtitle }: OfferDetail): string | null {
  if (!subtitle || saysSame(fullTitle ?? title, subtitle)) return null;
  return escapeLine(clamp(subtitle, MOST_TITLE));
}

/** The end date of the feeds counts only while the catalog still sells the offer. */
function lifeOf({ offer, listed }: OfferDetailView, isOver: boolean, context: CardContext): string | null {
  const isSoldOut = offer.isSoldOut || listed?.isSoldOut === true;
  const endDateMs = listed?.endDateMs ?? null;
  if (isOver && !isSoldOut && !hasEnded({ endDateMs }, context.nowMs))
    return `**${context.translator.t('offer.over')}**`;
  return lifeLine({ isSoldOut, endDateMs }, context);
}

/** `$84.95 ~~$129.95~~ −34% · $15.75/TB · Refurbished · ▰▰▰▱▱▱▱▱▱▱ 34% left · limit 3` */
function priceFacts({ offer, listed, inEvent }: OfferDetailView, isOver: boolean, context: CardContext): string {
  const { translator } = context;
  const { percentageRemaining } = offer;
  const prices = pricesOf(offer.items);
  const salePrice = prices.salePrice ?? listed?.salePrice ?? null;
  return [
    priceLine({ salePrice, listPrice: prices.listPrice ?? listed?.listPrice ?? null }, translator),
    ...(isOver ? [] : termFacts({ ...termsOf(offer), limit: offer.purchaseLimit || null, variants: 1 }, translator)),
    perUnitText({ title: offer.fullTitle ?? offer.title, subtitle: sizesIn(offer), salePrice }, translator),
    listed && conditionOf(listed),
    !isOver && percentageRemaining ? leftLine(percentageRemaining, translator) : null,
    !isOver && inEvent ? sellsOutText(inEvent, context) : null,
  ]
    .filter((fact) => fact !== null)
    .join(' · ');
}

/** What may tell how much is sold where the title doesn't: the subtitle, and what the only variant is. */
function sizesIn({ subtitle, items }: OfferDetail): string {
  const [only, ...others] = items;
  const attributes = only && others.length === 0 ? only.attributes.map(({ value }) => value) : [];
  return [subtitle, ...attributes].filter((text) => text !== null).join(' · ');
}

function bodyOf(view: OfferDetailView, texts: OfferTexts, context: CardContext): Body {
  switch (view.section) {
    case 'overview':
      return overview(view, texts, context);
    case 'features':
      return pageOf(texts.facts, view.part, context);
    case 'story':
      return pageOf(texts.story, view.part, context);
    case 'shipping':
      return pageOf(texts.shipping, view.part, context);
    case 'stats':
      return statsPage(view, context);
  }
}

function overview({ offer, part, openedFrom }: OfferDetailView, texts: OfferTexts, { translator }: CardContext): Body {
  const variant = chosenVariant(offer, part);
  const starts = variantPages(offer);
  const page = variant === null ? 1 : starts.findLastIndex((start) => start <= variant) + 1;
  const photos = [...fullSize(offer.items[(variant ?? 0) - 1]?.photos ?? []), ...fullSize(offer.photos)];
  const { features, story } = excerpts(texts);
  return {
    parts: [
      gallery(photos, offer.title),
      ...variantParts({ ...offer, openedFrom }, part, translator),
      features || story ? separator() : null,
      features,
      story,
    ],
    page,
    starts,
  };
}

/** The parts of the long texts that the overview shows. */
function excerpts({ features, story }: OfferTexts): Pick<OfferTexts, 'features' | 'story'> {
  return { features: clampMarkdown(features, MOST_EXCERPT), story: excerptOf(story, MOST_EXCERPT) };
}

function pageOf(markdown: string, part: number, { translator }: CardContext): Body {
  return pageAmong(pagesOf(markdown, MOST_PAGE), part, translator);
}

function pageAmong(pages: readonly string[], part: number, translator: Translator): Body {
  const page = Math.min(part, Math.max(1, pages.length));
  return {
    parts: [separator(), pages[page - 1] ?? translator.t('offer.nothingHere')],
    page,
    starts: pages.map((_, index) => index + 1),
  };
}

/** A page of as many blocks as fit. */
function statsPage({ inEvent, part }: OfferDetailView, { translator }: CardContext): Body {
  const pages: string[] = [];
  for (const block of inEvent?.stats ? statsBlocks(inEvent.stats, translator) : []) {
    const together = [pages.at(-1), block].filter((text) => text !== undefined).join('\n\n');
    if (pages.length > 0 && together.length <= MOST_PAGE) pages[pages.length - 1] = together;
    else pages.push(block);
  }
  return pageAmong(pages, part, translator);
}

/** One size of each picture: the catalog lists every size. */
function fullSize(photos: readonly Photo[]): readonly Photo[] {
  const full = photos.filter((photo) => photo.tags.some((tag) => tag.startsWith('fullsize-')));
  return full.length > 0 ? full : photos;
}

/**
 * The sections with more content than the overview. Where the event is not known, statistics are offered and fetched on
 * request.
 */
function sectionsOf({ offer, inEvent, section }: OfferDetailView, texts: OfferTexts): OfferSection[] {
  const shown = excerpts(texts);
  const isFilled: Record<OfferSection, boolean> = {
    overview: true,
    features: texts.facts !== shown.features,
    story: texts.story !== shown.story,
    shipping: texts.shipping !== '',
    stats: inEvent ? inEvent.stats !== null : offer.eventId !== null,
  };
  return OFFER_SECTIONS.filter((candidate) => isFilled[candidate] || candidate === section);
}

function sectionButtons(
  { offer, section, openedFrom }: OfferDetailView,
  sections: readonly OfferSection[],
  { translator }: CardContext,
): APIComponentInContainer | null {
  if (sections.length < 2) return null;
  return buttons(
    sections.map((to) => {
      const isMore = to === 'story' && section === 'overview';
      const label = translator.t(isMore ? 'button.readMore' : `section.${to}`);
      return actionButton(
        label,
        { do: 'offer-section', offerId: offer.id, section: to, part: 1, openedFrom },
        to === section,
      );
    }),
  );
}

/** Up to this many variants are lines; beyond it, one is shown and the others are in a menu. */
const MOST_LINES = 8;
const MOST_NAME = 100;

type Section = Pick<OfferDetail, 'id' | 'items'>;

/**
 * The variant to show where the variants are in a menu: 1-based; one past the end is the last. Null where all variants
 * are lines.
 */
function chosenVariant({ items }: Section, part: number): number | null {
  return items.length > MOST_LINES ? Math.min(part, items.length) : null;
}

/** The first variant of each page of the menu, 1-based. */
function variantPages({ items }: Section): number[] {
  const count = chosenVariant({ id: '', items }, 1) === null ? 1 : Math.ceil(items.length / LIMITS.menuOptions);
  return Array.from({ length: count }, (_, page) => 1 + page * LIMITS.menuOptions);
}

/** The variants of an offer: attributes, price and limit. */
function variantParts(
  offer: Section & Pick<OfferDetailView, 'openedFrom'>,
  part: number,
  translator: Translator,
): Part[] {
  const { items, openedFrom } = offer;
  const chosen = chosenVariant(offer, part);
  const [only] = items;
  if (chosen === null) {
    const isOneOfAKind = items.length < 2 && only?.attributes.length === 0;
    return [items.length > 0 && !isOneOfAKind ? items.map((item) => `- ${lineOf(item, translator)}`) : null];
  }
  const shown = items[chosen - 1];
  const first = variantPages(offer).findLast((start) => start <= chosen) ?? 1;
  return [
    [translator.t('offer.variants', { count: items.length }), shown && lineOf(shown, translator)],
    menu(
      'variants',
      translator.t('offer.chooseVariant'),
      items.slice(first - 1, first - 1 + LIMITS.menuOptions).map((item, index) => ({
        label: nameOf(item, translator),
        description: factsOf([priceText(pricesOf([item]), translator), limitOf(item, translator)]),
        action: { do: 'offer-section', offerId: offer.id, section: 'overview', part: first + index, openedFrom },
        isChosen: first + index === chosen,
      })),
    ),
  ];
}

/** `**Size XL**: **$20.00** ~~$40.00~~ −50% · limit 3` */
function lineOf(item: Item, translator: Translator): string {
  const facts = factsOf([priceLine(pricesOf([item]), translator), limitOf(item, translator)]);
  return [`**${escapeLine(nameOf(item, translator))}**`, facts].filter((part) => part !== '').join(': ');
}

/** A limit of 0 means none (specification: "v2: Item"). */
function limitOf({ purchaseLimit }: Item, translator: Translator): string | null {
  return purchaseLimit ? translator.t('offer.limit', { count: purchaseLimit }) : null;
}

/** The attributes that distinguish a variant; foreign text. */
function nameOf({ attributes, title }: Item, translator: Translator): string {
  const named = attributes.map(({ key, value }: Attribute) => `${key} ${value}`.trim()).filter((name) => name !== '');
  return clamp(named.join(', ') || title?.trim() || translator.t('offer.item'), MOST_NAME);
}
