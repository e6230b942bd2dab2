import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { priceLine, timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine, link } from '../markdown.ts';
import { ACCENT, actionButton, buttons, type Card, card, linkButton, pictured } from './parts.ts';

const MOST_TITLE = 200;
const MOST_SUBTITLE = 200;

/** The lines that tell of an offer wherever it is shown. */
export function offerLines(offer: Offer, nowMs: number): string[] {
  const condition = offer.condition && escapeLine(clamp(offer.condition, 60));
  return [
    `### ${link(clamp(offer.title, MOST_TITLE), offer.url)}`,
    offer.subtitle && escapeLine(clamp(offer.subtitle, MOST_SUBTITLE)),
    [priceLine(offer.salePrice, offer.listPrice), condition].filter(Boolean).join(' · ') || null,
    lifeLine(offer, nowMs),
  ].filter((line) => line !== null);
}

/** `Ends in 3 hours`, or that it is sold out or over. */
function lifeLine(offer: Offer, nowMs: number): string | null {
  if (offer.isSoldOut) return '**Sold out**';
  if (offer.endDateMs === null) return null;
  return `${isOver(offer, nowMs) ? 'Ended' : 'Ends'} ${timestamp(offer.endDateMs, 'R')}`;
}

/** The card that announces an offer. `deliveryId` goes into the button, where a later look at the channel finds it. */
export function offerCard(offer: Offer, deliveryId: string, nowMs: number): Card {
  const category = offer.categories.at(-1);
  return card(isOver(offer, nowMs) ? ACCENT.over : ACCENT.offer, [
    pictured(
      [
        ...offerLines(offer, nowMs),
        `-# ${['New offer', category && escapeLine(clamp(category, 80))].filter(Boolean).join(' · ')}`,
      ],
      offer.photo,
      offer.title,
    ),
    buttons([
      linkButton('Open', offer.url),
      linkButton('Discussion', offer.forumUrl),
      actionButton('Details', { do: 'offer', offerId: offer.id, deliveryId }),
    ]),
  ]);
}
