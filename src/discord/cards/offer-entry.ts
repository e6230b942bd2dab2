import type { APIComponentInContainer } from 'discord-api-types/v10';
import type { SearchOrder } from '../../deals/feed-order.ts';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Action } from '../custom-id.ts';
import { priceText } from '../format.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { offerLines } from './offer-card.ts';
import type { Opening } from './paged-card.ts';
import { type CardContext, menu, pictured } from './parts.ts';

/** Short, because five offers share one card's limit. */
const MOST_TITLE = 100;

/** An offer in a list. */
export function offerEntry(offer: Offer, context: CardContext): APIComponentInContainer {
  const shortened = { ...offer, title: clamp(offer.title, MOST_TITLE), subtitle: null };
  return pictured(offerLines(shortened, context), offer.photo, offer.title);
}

/** The button and menu that open the offers of a list. */
export function offerOpening(context: CardContext): { button: string; choice: (offer: Offer) => Opening } {
  return { button: context.translator.t('button.details'), choice: (offer) => offerChoice(offer, context) };
}

/** The menu that sorts a list of offers. */
export function orderMenu<O extends SearchOrder>(
  orders: readonly O[],
  chosen: O,
  actionOf: (order: O) => Action,
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
export function offerChoice(offer: Offer, context: CardContext): Opening {
  return {
    label: offer.title.trim(),
    description: offerFacts(offer, context),
    action: { do: 'offer', offerId: offer.id, deliveryId: null },
  };
}

/** Plain text, `$84.95 −34%`, with a note where the offer is over. */
export function offerFacts(offer: Offer, { translator, nowMs }: CardContext): string {
  const over = isOver(offer, nowMs) ? translator.t(offer.isSoldOut ? 'offer.soldOut' : 'offer.over') : null;
  const price = priceText(offer.salePrice, offer.listPrice, translator);
  return [over, price].filter((part) => part !== null).join(' · ');
}
