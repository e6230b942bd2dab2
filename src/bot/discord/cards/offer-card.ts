import { hasEnded, isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { priceLine, timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { AnnouncementContext, CardContext, Happened } from './context.ts';
import { matchedPart } from './matched.ts';
import { actionButton, buttons, type Card, card, linkButton, pictured, smallLine, titleLine } from './parts.ts';

const MOST_TITLE = 200;
const MOST_SUBTITLE = 200;

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

export function conditionOf({ condition }: Pick<Offer, 'condition'>): string | null {
  return condition && escapeLine(clamp(condition, 60));
}

/** `Ends in 3 hours`, or a note that it is sold out or over. */
export function lifeLine(
  offer: Pick<Offer, 'isSoldOut' | 'endDateMs'>,
  { translator, nowMs }: CardContext,
): string | null {
  if (offer.isSoldOut) return `**${translator.t('offer.soldOut')}**`;
  if (offer.endDateMs === null) return null;
  const at = timestamp(offer.endDateMs, 'R');
  return hasEnded(offer, nowMs) ? `**${translator.t('offer.ended', { at })}**` : translator.t('offer.ends', { at });
}

/** The category, or else the site, and whether a partner or the app sells it, for the small print. */
export function soldAt(offer: Offer, { translator }: CardContext): (string | null)[] {
  const place = offer.categories.at(-1) ?? offer.site;
  return [
    place ? escapeLine(clamp(place, 80)) : null,
    offer.isFulfilledByPartner ? translator.t('offer.byPartner') : null,
    offer.isAvailableOnMobileAppOnly ? translator.t('offer.inAppOnly') : null,
  ];
}

/** The card that announces a change of an offer. */
export function offerCard(offer: Offer, happened: Happened, context: AnnouncementContext): Card {
  const { translator, nowMs, deliveryId } = context;
  const [title = '', ...others] = offerLines(offer, context);
  return card(isOver(offer, nowMs) ? ACCENT.over : happened.accent, [
    pictured(
      [title, happened.lead, ...others, smallLine([happened.badge, ...soldAt(offer, context), matchedPart(context)])],
      offer.photo,
      offer.title,
    ),
    buttons([
      linkButton(translator.t('button.open'), offer.url),
      linkButton(translator.t('button.discussion'), offer.forumUrl),
      actionButton(translator.t('button.details'), { do: 'offer', offerId: offer.id, deliveryId }),
    ]),
  ]);
}
