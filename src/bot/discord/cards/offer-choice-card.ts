import type { Offer } from '../../deals/offer.ts';
import { LIMITS } from '../limits.ts';
import { ACCENT } from './accent.ts';
import type { CardContext } from './context.ts';
import { offerChoice } from './offer-entry.ts';
import { type Card, card, menu, text } from './parts.ts';

/** An offer that something is about, as far as it is known. */
export interface MentionedOffer {
  id: string;
  /** Foreign text; null where nothing but the id is known. */
  title: string | null;
  /** As a feed carries it; null where none that was read does. */
  listed: Offer | null;
}

/** Asks which of several offers is meant. */
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
