import type { Offer } from '../../deals/offer.ts';
import { LIMITS } from '../limits.ts';
import type { CardContext } from './context.ts';
import { offerChoice } from './offer-entry.ts';
import { ACCENT, type Card, card, menu, text } from './parts.ts';

/** Asks which of several offers is meant; one that is not known is named by its id. */
export function offerChoiceCard(choices: readonly { id: string; offer: Offer | null }[], context: CardContext): Card {
  const { words } = context;
  const unshown = choices.length - LIMITS.menuOptions;
  return card(ACCENT.offer, [
    text(words.t('offerDetails.which')),
    menu(
      'open',
      words.t('list.open'),
      choices.map(({ id, offer }) => ({ ...offerChoice(id, offer, context), isChosen: false })),
    ),
    unshown > 0 ? text(`-# ${words.t('offer.moreItems', { count: unshown })}`) : null,
  ]);
}
