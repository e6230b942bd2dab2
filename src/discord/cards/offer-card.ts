import type { AnnouncementOf } from '../../deals/announcement.ts';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { priceLine, timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine, link } from '../markdown.ts';
import type { AnnouncementContext, CardContext } from './context.ts';
import { ACCENT, actionButton, buttons, type Card, card, linkButton, pictured } from './parts.ts';

const MOST_TITLE = 200;
const MOST_SUBTITLE = 200;

type OfferAnnouncement = AnnouncementOf<'new-offer' | 'relisted' | 'price-drop' | 'restocked' | 'ending-soon'>;

/** The lines that tell of an offer wherever it is shown. */
export function offerLines(offer: Offer, context: CardContext): string[] {
  const condition = offer.condition && escapeLine(clamp(offer.condition, 60));
  return [
    `### ${link(clamp(offer.title, MOST_TITLE), offer.url)}`,
    offer.subtitle && escapeLine(clamp(offer.subtitle, MOST_SUBTITLE)),
    [priceLine(offer.salePrice, offer.listPrice, context.words), condition].filter(Boolean).join(' · ') || null,
    lifeLine(offer, context),
  ].filter((line) => line !== null);
}

/** `Ends in 3 hours`, or that it is sold out or over. */
function lifeLine(offer: Offer, { words, nowMs }: CardContext): string | null {
  if (offer.isSoldOut) return `**${words.t('offer.soldOut')}**`;
  if (offer.endDateMs === null) return null;
  return words.t(isOver(offer, nowMs) ? 'offer.ended' : 'offer.ends', { at: timestamp(offer.endDateMs, 'R') });
}

/** The card that announces what happened to an offer. */
export function offerCard(announcement: OfferAnnouncement, context: AnnouncementContext): Card {
  const { item: offer } = announcement;
  const { words, nowMs, deliveryId } = context;
  const category = offer.categories.at(-1);
  return card(isOver(offer, nowMs) ? ACCENT.over : ACCENT.offer, [
    pictured(
      [
        ...offerLines(offer, context),
        `-# ${[words.t('offer.new'), category && escapeLine(clamp(category, 80))].filter(Boolean).join(' · ')}`,
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
