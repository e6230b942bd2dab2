import type { APIComponentInContainer } from 'discord-api-types/v10';
import type { SearchOrder } from '../../deals/feed-order.ts';
import { hasEnded, isOver, lastedMs } from '../../deals/life.ts';
import { isLikelySlip, lowOf, type ObservedPrices, realDiscount } from '../../deals/observed-prices.ts';
import { type Offer, withoutCount } from '../../deals/offer.ts';
import { discountOf, type Prices } from '../../deals/price.ts';
import { unitPriceOf } from '../../deals/unit-price.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { AnyAction } from '../custom-id.ts';
import { formatPrice, fromText, priceHeading, priceLine, priceText, timestamp } from '../format.ts';
import { message, type Translator } from '../i18n/translator.ts';
import { clamp, LIMITS } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { type AnnouncementContext, announced, type Happened, matchedPart, overCard } from './announced.ts';
import { termFacts } from './offer-texts.ts';
import { type Age, ageText } from './paged-card.ts';
import {
  actionButton,
  addedButtons,
  announcementButtons,
  buttons,
  type Card,
  type CardContext,
  type Choice,
  card,
  factsOf,
  linkButton,
  menu,
  pictured,
  separator,
  smallLine,
  titleLine,
} from './parts.ts';

const MOST_TITLE = 200;
const MOST_SUBTITLE = 200;
/** Short, because five offers of a list share one card's limit. */
const MOST_LISTED_TITLE = 100;
/** The discounts in percent from which a badge points at them. */
const DEEP = { half: 50, most: 75 } as const;

/** The shortest time without a cheaper price that a card mentions. */
const LEAST_LOW_MS = 90 * DAY_MS;

/** The lines that describe an offer, on any card. */
export function offerLines(offer: Offer, context: CardContext): string[] {
  const { translator, nowMs } = context;
  const from = fromText(offer, translator);
  return [
    titleLine(clamp(offer.title, MOST_TITLE), offer.url, isOver(offer, nowMs)),
    offer.subtitle && escapeLine(clamp(offer.subtitle, MOST_SUBTITLE)),
    factsOf([
      from === null ? priceLine(offer, translator) : `**${from}**`,
      perUnitText(offer, translator),
      conditionOf(offer),
    ]) || null,
    lifeLine(offer, context),
  ].filter((line) => line !== null);
}

/** `$15.75/TB`: what one of a pack, or of a measure, costs; null where the title doesn't tell it beyond doubt. */
export function perUnitText(
  offer: Pick<Offer, 'title' | 'subtitle' | 'salePrice'>,
  translator: Translator,
): string | null {
  const found = unitPriceOf(offer);
  if (!found) return null;
  const price = formatPrice({ minimum: found.price, maximum: found.price }, translator);
  return translator.t(`price.per.${found.unit}`, { price });
}

/** An offer's condition as safe Markdown. */
export function conditionOf({ condition }: Pick<Offer, 'condition'>): string | null {
  return condition && escapeLine(clamp(withoutCount(condition), 60));
}

/** `⏳ in 3 hours`, or a note that it is sold out or over. The words around a time fit before and after it. */
export function lifeLine(
  offer: Pick<Offer, 'isSoldOut' | 'soldOutAfterMs' | 'endDateMs'>,
  context: CardContext,
): string | null {
  if (offer.isSoldOut || offer.endDateMs === null) return soldOutLine(offer, context);
  const at = timestamp(offer.endDateMs, 'R');
  return hasEnded(offer, context.nowMs) ? `**${context.translator.t('offer.ended', { at })}**` : `⏳ ${at}`;
}

/** `**Sold out after 14 minutes**`: how an offer ended that is over. */
export function overText(offer: Offer, context: CardContext): string {
  return soldOutLine(offer, context) ?? endedText(offer, context.translator);
}

function endedText(thing: Pick<Offer, 'startDateMs' | 'endDateMs'>, translator: Translator): string {
  const ms = lastedMs(thing);
  const what =
    ms === null ? translator.t('offer.noMore') : translator.t('offer.endedAfter', { span: translator.span(ms) });
  return `**${what}**`;
}

/** `⏳ in 3 hours · 21:40`, with the date of what runs for more than a day: an end that is known. */
export function endLine({ startDateMs, endDateMs }: Pick<Offer, 'startDateMs' | 'endDateMs'>): string | null {
  if (endDateMs === null) return null;
  const isOfADay = startDateMs !== null && endDateMs - startDateMs <= DAY_MS;
  return `⏳ ${timestamp(endDateMs, 'R')} · ${timestamp(endDateMs, isOfADay ? 't' : 'f')}`;
}

function soldOutLine(
  { isSoldOut, soldOutAfterMs }: Pick<Offer, 'isSoldOut' | 'soldOutAfterMs'>,
  { translator }: CardContext,
): string | null {
  if (!isSoldOut) return null;
  if (soldOutAfterMs === undefined) return `**${translator.t('offer.soldOut')}**`;
  return `**${translator.t('offer.soldOutAfter', { span: translator.span(soldOutAfterMs) })}**`;
}

/** The category, or else the site, and whether a partner or the app sells it, for the small print. */
export function soldAt(offer: Offer, { translator }: CardContext): (string | null)[] {
  return [
    placeOf(offer),
    offer.isFulfilledByPartner ? translator.t('offer.byPartner') : null,
    offer.isAvailableOnMobileAppOnly ? translator.t('offer.inAppOnly') : null,
  ];
}

/** The name of the narrowest category, without the path to it; else the site. */
function placeOf({ categories, site }: Offer): string | null {
  const name = categories
    .at(-1)
    ?.split('/')
    .findLast((part) => part.trim() !== '')
    ?.trim();
  const place = name ? withoutCapitals(name) : site;
  return place ? escapeLine(clamp(place, 80)) : null;
}

/** `TECH` is `Tech`: the catalog writes its top categories in capitals. Abbreviations such as `PC` stay. */
function withoutCapitals(name: string): string {
  return /^\p{Lu}{4,}$/u.test(name) ? name.slice(0, 1) + name.slice(1).toLowerCase() : name;
}

/** `🔥 half off or more`: how deep a discount is, in words; null where it is not. The least of a range counts. */
export function depthBadge({ salePrice, listPrice }: Prices, translator: Translator): string | null {
  const off = discountOf(salePrice, listPrice)?.minimum ?? 0;
  if (off >= DEEP.most) return `🔥🔥 ${translator.t('offer.depth.most', { percent: translator.percent(DEEP.most) })}`;
  return off >= DEEP.half ? `🔥 ${translator.t('offer.depth.half')}` : null;
}

/** The card that announces a change of an offer. */
export function offerCard(offer: Offer, happened: Happened, context: AnnouncementContext): Card {
  const { translator, nowMs, deliveryId } = context;
  const details = actionButton(translator.t('button.details'), { do: 'offer', offerId: offer.id, deliveryId });
  const title = clamp(offer.title, MOST_TITLE);
  if (isOver(offer, nowMs)) {
    const price = priceText(offer, translator);
    // It may be restocked. One that has ended comes back under another id, if at all.
    const mayReturn = offer.isSoldOut && !hasEnded(offer, nowMs);
    const shownAs = mayReturn ? 'sold-out' : 'ended';
    return overCard({
      title,
      address: offer.url,
      facts: [overFact(offer, context), happened.kind, price],
      button: details,
      more: addedButtons({ offerId: offer.id, shownAs, isListed: true }, context),
    });
  }
  const condition = conditionOf(offer);
  const { terms } = offer;
  const facts = terms ? termFacts(terms, translator) : [];
  const badges = [
    ...facts,
    perUnitText(offer, translator),
    condition && `🏷️ ${condition}`,
    depthBadge(offer, translator),
  ];
  return announced(
    {
      happened,
      lines: [titleLine(title, offer.url, false), offer.subtitle && escapeLine(clamp(offer.subtitle, MOST_SUBTITLE))],
      facts: [
        priceHeading(offer, translator),
        slipLine(offer, translator),
        observedLine(offer, translator),
        factsOf(badges) || null,
        endLine(offer),
      ],
      picture: { url: offer.photo, description: offer.title },
      smallPrint: [...soldAt(offer, context), matchedPart(context)],
      buttons: [
        linkButton(translator.t('button.open'), offer.url),
        details,
        ...addedButtons({ offerId: offer.id, shownAs: 'whole', isListed: true }, context),
      ],
    },
    context,
  );
}

/** `🚫 **Sold out after 14 minutes**`, or when and after how long it ended. */
function overFact(offer: Offer, context: CardContext): string {
  return offer.isSoldOut ? `🚫 ${soldOutLine(offer, context)}` : endedFact(offer, context);
}

/** `🏁 **Ended after 3 hours** · 2 minutes ago` */
export function endedFact(
  thing: Pick<Offer, 'startDateMs' | 'endDateMs'>,
  { translator }: Pick<CardContext, 'translator'>,
): string {
  return factsOf([`🏁 ${endedText(thing, translator)}`, thing.endDateMs !== null && timestamp(thing.endDateMs, 'R')]);
}

/** An offer in a list. */
export function offerEntry(offer: Offer, context: CardContext): APIComponentInContainer {
  const shortened = { ...offer, title: clamp(offer.title, MOST_LISTED_TITLE), subtitle: null };
  return pictured(offerLines(shortened, context), offer.photo, offer.title);
}

/** The button and menu that open the offers of a list. */
export function offerOpening(context: CardContext): { button: string; choice: (offer: Offer) => Choice } {
  return { button: context.translator.t('button.details'), choice: (offer) => offerChoice(offer, context) };
}

/** The menu that sorts a list of offers. */
export function orderMenu<O extends SearchOrder>(
  orders: readonly O[],
  chosen: O,
  actionOf: (order: O) => AnyAction,
  translator: Translator,
) {
  const nameOf = (order: SearchOrder) => translator.t(`order.${order}`);
  return menu(
    'order',
    translator.t('list.order'),
    orders.map((order) => ({
      label: nameOf(order),
      action: actionOf(order),
      isChosen: order === chosen,
    })),
  );
}

/** `Kettle`, `$84.95 −34%`: an offer in a menu. */
export function offerChoice(offer: Offer, context: CardContext): Choice {
  return {
    label: offer.title.trim(),
    description: offerFacts(offer, context),
    action: { do: 'offer', offerId: offer.id, deliveryId: null },
  };
}

/** Plain text, `$84.95 −34%`, with a note where the offer is over. */
export function offerFacts(offer: Offer, { translator, nowMs }: CardContext): string {
  const over = isOver(offer, nowMs) ? translator.t(offer.isSoldOut ? 'offer.soldOut' : 'offer.over') : null;
  const price = priceText(offer, translator);
  return factsOf([over, price]);
}

/**
 * `📉 **Lowest price in 95 days** (cheaper until 3 March) · **24% below** the usual $34`: what was observed of the
 * product's prices, always with since when; null where that is nothing. While the price stays the same, only a lower one of
 * another listing changes it.
 */
export function observedLine(offer: Pick<Offer, 'salePrice' | 'observed'>, translator: Translator): string | null {
  const { observed } = offer;
  if (!observed) return null;
  const low = lowText(offer, translator);
  const usual = usualText(offer, translator);
  if (low === null && usual === null) return null;
  const since = translator.t('price.watched', { since: translator.date(observed.sinceMs) });
  return factsOf([low && `📉 ${low}`, usual, low === null && since]);
}

/** `⚠️ **Possible pricing mistake**: …`; null where the price looks right. */
export function slipLine(offer: Pick<Offer, 'salePrice' | 'observed'>, translator: Translator): string | null {
  if (!offer.observed || !isLikelySlip(offer)) return null;
  return `⚠️ ${translator.t('price.slip', { since: translator.date(offer.observed.sinceMs) })}`;
}

function lowText(
  offer: { observed?: ObservedPrices } & Pick<Offer, 'salePrice'>,
  translator: Translator,
): string | null {
  const low = lowOf(offer);
  if (!offer.observed || !low) return null;
  const forMs = offer.observed.atMs - low.sinceMs;
  if (!low.isEver && forMs < LEAST_LOW_MS) return null;
  const since = translator.date(low.sinceMs);
  if (low.hasGaps) return translator.t('price.lowestSeen', { since });
  if (low.isEver) return translator.t('price.lowestEver', { since });
  return translator.t('price.lowestFor', { span: translator.span(forMs), since });
}

function usualText(offer: Pick<Offer, 'salePrice' | 'observed'>, translator: Translator): string | null {
  const usual = offer.observed?.usual ?? null;
  const percent = realDiscount(offer);
  if (usual === null || percent === null || usual === offer.salePrice?.minimum) return null;
  const price = formatPrice({ minimum: usual, maximum: usual }, translator);
  return percent > 0
    ? translator.t('price.belowUsual', { percent: translator.percent(percent), price })
    : translator.t('price.usual', { price });
}

export interface KnownOfferView {
  offer: Offer;
  /** As in `OfferDetailView`. */
  openedFrom: string | null;
  /** Why there are no details: safe Markdown. */
  reason: string;
  /** null where the offer is over. */
  age: Age | null;
}

/** The data of the feeds on an offer whose details the catalog does not provide, with a button that tries again. */
export function knownOfferCard({ offer, openedFrom, reason, age }: KnownOfferView, context: CardContext): Card {
  const { translator, nowMs } = context;
  return card(isOver(offer, nowMs) ? ACCENT.over : ACCENT.offer, [
    pictured(
      [
        ...offerLines(offer, context),
        slipLine(offer, translator),
        observedLine(offer, translator),
        smallLine([...soldAt(offer, context), age && ageText(age, translator)]),
      ],
      offer.photo,
      offer.title,
    ),
    separator(),
    `${reason} ${translator.t('offer.knownOnly')}`,
    buttons([
      linkButton(translator.t('button.open'), offer.url),
      linkButton(translator.t('button.discussion'), offer.forumUrl),
      actionButton(translator.t('button.details'), {
        do: 'offer-section',
        offerId: offer.id,
        section: 'overview',
        part: 1,
        openedFrom,
      }),
      ...addedButtons({ offerId: offer.id, shownAs: 'whole', isListed: true }, context),
    ]),
    buttons(announcementButtons(offer.id, openedFrom, context)),
  ]);
}

/** An offer that a message refers to, with the known data. */
export interface MentionedOffer {
  id: string;
  /** Foreign text; null where only the id is known. */
  title: string | null;
  /** As a feed lists it; null where no known feed does. */
  listed: Offer | null;
}

/** What a choice of offers asks, and what follows. */
export interface OfferChoice {
  which: LocalizedText;
  /** The name of the menu. */
  name: LocalizedText;
  actionOf: (offerId: string) => AnyAction;
}

/** Shows the chosen one of the offers that a message is about. */
const SHOWING: OfferChoice = {
  which: message('offerDetails.which'),
  name: message('list.open'),
  actionOf: (offerId) => ({ do: 'offer', offerId, deliveryId: null }),
};

/** Asks which of several offers is meant. */
export function offerChoiceCard(
  mentioned: readonly MentionedOffer[],
  context: CardContext,
  { which, name, actionOf }: OfferChoice = SHOWING,
): Card {
  const { translator } = context;
  const unshown = mentioned.length - LIMITS.menuOptions;
  const choices = mentioned.map(({ id, title, listed }) => ({
    label: title?.trim() || id,
    ...(listed && offerChoice(listed, context)),
    action: actionOf(id),
  }));
  return card(ACCENT.offer, [
    translator.translate(which),
    menu('open', translator.translate(name), choices),
    unshown > 0 ? `-# ${translator.t('offer.moreItems', { count: unshown })}` : null,
  ]);
}
