import type { Offer } from '../../deals/offer.ts';
import { LIMITS } from '../limits.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { offerChoice } from './offer-entry.ts';
import { type Card, card, menu, text } from './parts.ts';

/** An offer that a message refers to, with the known data. */
export interface MentionedOffer {
  id: string;
  /** Foreign text; null where only the id is known. */
  title: string | null;
  /** As a feed lists it; null where no known feed does. */
  listed: Offer | null;
}

/** Asks which of several offers to show. */
export function offerChoiceCard(mentioned: readonly MentionedOffer[], context: CardContext): Card {
  const { translator } = context;
  const unshown = mentioned.length - LIMITS.menuOptions;
  const choices = mentioned.map(({ id, title, listed }) => ({
    label: title?.trim() || id,
    action: { do: 'offer', offerId: id, deliveryId: null } as const,
    ...(listed && offerChoice(listed, context)),
    isChosen: false,
  }));
  return card(ACCENT.offer, [
    text(translator.t('offerDetails.which')),
    menu('open', translator.t('list.open'), choices),
    unshown > 0 ? text(`-# ${translator.t('offer.moreItems', { count: unshown })}`) : null,
  ]);
}
