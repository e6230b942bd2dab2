import type { APIComponentInContainer } from 'discord-api-types/v10';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { priceText } from '../format.ts';
import { clamp } from '../limits.ts';
import type { CardContext } from './context.ts';
import { offerLines } from './offer-card.ts';
import { actionButton, buttons, type Choice, menu, pictured } from './parts.ts';

/** Five offers share one card's room. */
const MOST_TITLE = 100;

/** An offer in a list. */
export function offerEntry(offer: Offer, context: CardContext): APIComponentInContainer {
  const shortened = { ...offer, title: clamp(offer.title, MOST_TITLE), subtitle: null };
  return pictured(offerLines(shortened, context), offer.photo, offer.title);
}

/** How to see one of the offers in full: a button for one, a menu for more, at most 25; null for none. */
export function detailsRow(offers: readonly Offer[], context: CardContext): APIComponentInContainer | null {
  const { words } = context;
  const [only] = offers;
  if (only && offers.length === 1) {
    return buttons([actionButton(words.t('button.details'), { do: 'offer', offerId: only.id, deliveryId: null })]);
  }
  return menu(
    'details',
    words.t('list.details'),
    offers.map((offer) => offerChoice(offer, context)),
  );
}

function offerChoice(offer: Offer, { words, nowMs }: CardContext): Choice {
  const over = isOver(offer, nowMs) ? words.t(offer.isSoldOut ? 'offer.soldOut' : 'offer.over') : null;
  const price = priceText(offer.salePrice, offer.listPrice, words);
  return {
    label: offer.title.trim(),
    description: [over, price].filter((part) => part !== null).join(' · '),
    action: { do: 'offer', offerId: offer.id, deliveryId: null },
    isChosen: false,
  };
}
