import type { Announcement, AnnouncementOf } from '../../deals/announcement.ts';
import { hasEnded, isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { discountOf, priceStep } from '../../deals/price.ts';
import { formatPrice, offText, priceLine, timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import type { AnnouncementContext, CardContext } from './context.ts';
import { matchedPart } from './matched.ts';
import { ACCENT, actionButton, buttons, type Card, card, linkButton, pictured, smallLine, titleLine } from './parts.ts';

const MOST_TITLE = 200;
const MOST_SUBTITLE = 200;

type OfferAnnouncement = Extract<Announcement, { item: Offer; kind: keyof typeof STRIPES }>;

/** The lines that tell of an offer wherever it is shown. */
export function offerLines(offer: Offer, context: CardContext): string[] {
  const { words, nowMs } = context;
  return [
    titleLine(clamp(offer.title, MOST_TITLE), offer.url, isOver(offer, nowMs)),
    offer.subtitle && escapeLine(clamp(offer.subtitle, MOST_SUBTITLE)),
    [priceLine(offer.salePrice, offer.listPrice, words), conditionOf(offer)].filter(Boolean).join(' · ') || null,
    lifeLine(offer, context),
  ].filter((line) => line !== null);
}

export function conditionOf({ condition }: Pick<Offer, 'condition'>): string | null {
  return condition && escapeLine(clamp(condition, 60));
}

/** `Ends in 3 hours`, or that it is sold out or over. */
export function lifeLine(offer: Pick<Offer, 'isSoldOut' | 'endDateMs'>, { words, nowMs }: CardContext): string | null {
  if (offer.isSoldOut) return `**${words.t('offer.soldOut')}**`;
  if (offer.endDateMs === null) return null;
  const at = timestamp(offer.endDateMs, 'R');
  return hasEnded(offer, nowMs) ? `**${words.t('offer.ended', { at })}**` : words.t('offer.ends', { at });
}

/** Where and by whom it is sold, for the small line. */
export function soldAt(offer: Offer, { words }: CardContext): (string | null)[] {
  const place = offer.categories.at(-1) ?? offer.site;
  return [
    place ? escapeLine(clamp(place, 80)) : null,
    offer.isFulfilledByPartner ? words.t('offer.byPartner') : null,
    offer.isAvailableOnMobileAppOnly ? words.t('offer.inAppOnly') : null,
  ];
}

/** The stripe tells what happened. */
const STRIPES = {
  'new-offer': ACCENT.offer,
  relisted: ACCENT.relisted,
  'price-drop': ACCENT.priceDrop,
  restocked: ACCENT.restocked,
  'ending-soon': ACCENT.endingSoon,
} as const;

/** The card that announces what happened to an offer. */
export function offerCard(announcement: OfferAnnouncement, context: AnnouncementContext): Card {
  const { item: offer } = announcement;
  const { words, nowMs, deliveryId } = context;
  const [title = '', ...others] = offerLines(offer, context);
  return card(isOver(offer, nowMs) ? ACCENT.over : STRIPES[announcement.kind], [
    pictured(
      [
        title,
        happened(announcement, context),
        ...others,
        smallLine([words.t(`announced.${announcement.kind}`), ...soldAt(offer, context), matchedPart(context)]),
      ],
      offer.photo,
      offer.title,
    ),
    buttons([
      linkButton(words.t('button.open'), offer.url),
      linkButton(words.t('button.discussion'), offer.forumUrl),
      actionButton(words.t('button.details'), { do: 'offer', offerId: offer.id, deliveryId }),
    ]),
  ]);
}

/** What is to be told beside what the offer is; null where it is simply new. */
function happened(announcement: OfferAnnouncement, { words }: CardContext): string | null {
  switch (announcement.kind) {
    case 'new-offer':
      return null;
    case 'relisted':
      return backAgain(announcement, { words });
    case 'price-drop': {
      const { before, item } = announcement;
      const now = item.salePrice;
      if (!now) return null;
      const discount = discountOf(now, before);
      const step = `~~${formatPrice(before, words)}~~ → **${formatPrice(now, words)}**`;
      return words.t('offer.cheaperNow', { step: discount ? `${step} ${offText(discount, words)}` : step });
    }
    case 'restocked':
      return `**${words.t('offer.backInStock')}**`;
    case 'ending-soon':
      return `**${words.t('offer.endingSoon')}**`;
  }
}

function backAgain({ item, before }: AnnouncementOf<'relisted'>, { words }: Pick<CardContext, 'words'>): string {
  const at = timestamp(before.endedAtMs, 'R');
  if (!before.salePrice || !item.salePrice) return words.t('offer.back', { at });
  const step = priceStep(before.salePrice, item.salePrice);
  if (step === null) return words.t('offer.backWas', { at, price: formatPrice(before.salePrice, words) });
  if (step === 0) return words.t('offer.backSame', { at });
  const amount = formatPrice({ minimum: Math.abs(step), maximum: Math.abs(step) }, words);
  return words.t(step < 0 ? 'offer.backCheaper' : 'offer.backDearer', { at, amount });
}
