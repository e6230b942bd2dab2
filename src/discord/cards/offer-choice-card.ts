import type { Offer } from '../../deals/offer.ts';
import { LIMITS } from '../limits.ts';
import { ACCENT } from './accent.ts';
import { offerChoice } from './offer-entry.ts';
import { type Card, type CardContext, card, menu, text } from './parts.ts';

/** An offer that a message refers to, with the known data. */
export interface MentionedOffer {
  id: string;
  /** Foreign text; null where only the id is known. */
  title: string | null;
  /** As a feed lists it; null where no known feed does. */
  listed: Offer | null;
}

/** Asks which of several offers to show, or to watch. */
export function offerChoiceCard(
  mentioned: readonly MentionedOffer[],
  context: CardContext,
  to: 'show' | 'watch' = 'show',
): Card {
  const { translator } = context;
  const unshown = mentioned.length - LIMITS.menuOptions;
  const choices = mentioned.map(({ id, title, listed }) => ({
    label: title?.trim() || id,
    ...(listed && offerChoice(listed, context)),
    action:
      to === 'show'
        ? ({ do: 'offer', offerId: id, deliveryId: null } as const)
        : ({ do: 'watch', offerId: id } as const),
    isChosen: false,
  }));
  return card(ACCENT.offer, [
    text(translator.t('offerDetails.which')),
    menu('open', translator.t(to === 'show' ? 'list.open' : 'watch.choose'), choices),
    unshown > 0 ? text(`-# ${translator.t('offer.moreItems', { count: unshown })}`) : null,
  ]);
}
