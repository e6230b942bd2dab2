import type { APIComponentInContainer } from 'discord-api-types/v10';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { priceText } from '../format.ts';
import { clamp } from '../limits.ts';
import type { CardContext } from './context.ts';
import { offerLines } from './offer-card.ts';
import type { Opening } from './paged-card.ts';
import { pictured } from './parts.ts';

/** Five offers share one card's room. */
const MOST_TITLE = 100;

/** An offer in a list. */
export function offerEntry(offer: Offer, context: CardContext): APIComponentInContainer {
  const shortened = { ...offer, title: clamp(offer.title, MOST_TITLE), subtitle: null };
  return pictured(offerLines(shortened, context), offer.photo, offer.title);
}

/** How the offers of a list are opened. */
export function offerOpening(context: CardContext): { button: string; choice: (offer: Offer) => Opening } {
  return { button: context.words.t('button.details'), choice: (offer) => offerChoice(offer.id, offer, context) };
}

/** `Kettle`, `$84.95 −34%`: an offer in a menu; one that is not known is named by its id. */
export function offerChoice(id: string, offer: Offer | null, { words, nowMs }: CardContext): Opening {
  const action = { do: 'offer', offerId: id, deliveryId: null } as const;
  if (!offer) return { label: id, action };
  const over = isOver(offer, nowMs) ? words.t(offer.isSoldOut ? 'offer.soldOut' : 'offer.over') : null;
  const price = priceText(offer.salePrice, offer.listPrice, words);
  const description = [over, price].filter((part) => part !== null).join(' · ');
  return { label: offer.title.trim(), description, action };
}
