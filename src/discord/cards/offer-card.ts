import { hasEnded, isOver, lastedMs } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { discountOf, type PriceRange } from '../../deals/price.ts';
import { priceHeading, priceLine, priceText, timestamp } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { type AnnouncementContext, announced, type Happened, matchedPart, overCard } from './announced.ts';
import { actionButton, type Card, type CardContext, linkButton, titleLine, watchButton } from './parts.ts';
import { observedLine, slipLine } from './price-line.ts';

const MOST_TITLE = 200;
const MOST_SUBTITLE = 200;
/** The discounts in percent from which a badge points at them. */
const DEEP = { half: 50, most: 75 } as const;

/** The lines that describe an offer, on any card. */
export function offerLines(offer: Offer, context: CardContext): string[] {
  const { translator, nowMs } = context;
  return [
    titleLine(clamp(offer.title, MOST_TITLE), offer.url, isOver(offer, nowMs)),
    offer.subtitle && escapeLine(clamp(offer.subtitle, MOST_SUBTITLE)),
    [priceLine(offer.salePrice, offer.listPrice, translator), conditionOf(offer)].filter(Boolean).join(' · ') || null,
    lifeLine(offer, context),
  ].filter((line) => line !== null);
}

/** An offer's condition as safe Markdown. The catalog counts some: `New (1)` is new. */
export function conditionOf({ condition }: Pick<Offer, 'condition'>): string | null {
  return condition && escapeLine(clamp(condition.replace(/ \(\d{1,9}\)$/, ''), 60));
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

/** `⏳ in 3 hours · 22 November 2026 21:00`: an end that is known. */
export function endLine(endDateMs: number): string {
  return `⏳ ${timestamp(endDateMs, 'R')} · ${timestamp(endDateMs, 'f')}`;
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
export function depthBadge(
  salePrice: PriceRange | null,
  listPrice: PriceRange | null,
  translator: Translator,
): string | null {
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
    const price = priceText(offer.salePrice, offer.listPrice, translator);
    return overCard({
      title,
      address: offer.url,
      facts: [overFact(offer, context), price],
      button: details,
      // It may be restocked. One that has ended comes back under another id, if at all.
      more: offer.isSoldOut && !hasEnded(offer, nowMs) ? watchButton(offer.id, translator) : null,
    });
  }
  const condition = conditionOf(offer);
  const badges = [condition && `🏷️ ${condition}`, depthBadge(offer.salePrice, offer.listPrice, translator)];
  return announced(
    {
      happened,
      lines: [
        titleLine(title, offer.url, false),
        offer.subtitle && escapeLine(clamp(offer.subtitle, MOST_SUBTITLE)),
        priceHeading(offer.salePrice, offer.listPrice, translator),
        slipLine(offer, translator),
        observedLine(offer, translator),
        badges.filter(Boolean).join(' · ') || null,
        offer.endDateMs === null ? null : endLine(offer.endDateMs),
      ],
      picture: { url: offer.photo, description: offer.title },
      smallPrint: [...soldAt(offer, context), matchedPart(context)],
      buttons: [
        linkButton(translator.t('button.open'), offer.url),
        details,
        watchButton(offer.id, translator),
        actionButton(translator.t('button.history'), { do: 'history', offerId: offer.id }),
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
  return [`🏁 ${endedText(thing, translator)}`, thing.endDateMs !== null && timestamp(thing.endDateMs, 'R')]
    .filter(Boolean)
    .join(' · ');
}
