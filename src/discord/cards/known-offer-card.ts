import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { ACCENT } from './accent.ts';
import { offerLines, soldAt } from './offer-card.ts';
import { type Age, ageText } from './paged-card.ts';
import {
  actionButton,
  buttons,
  type Card,
  type CardContext,
  card,
  linkButton,
  pictured,
  separator,
  smallLine,
  text,
  watchButton,
} from './parts.ts';
import { observedLine, slipLine } from './price-line.ts';

export interface KnownOfferView {
  offer: Offer;
  /** Why there are no details: safe Markdown. */
  reason: string;
  /** null where the offer is over. */
  age: Age | null;
}

/** The data of the feeds on an offer whose details the catalog does not provide, with a button that tries again. */
export function knownOfferCard({ offer, reason, age }: KnownOfferView, context: CardContext): Card {
  const { translator, nowMs } = context;
  return card(isOver(offer, nowMs) ? ACCENT.over : ACCENT.offer, [
    pictured(
      [
        ...offerLines(offer, context),
        slipLine(offer, translator),
        observedLine(offer, translator),
        smallLine([...soldAt(offer, context), age && ageText(age, translator)]),
      ],
      offer.photo,
      offer.title,
    ),
    separator(),
    text(`${reason} ${translator.t('offer.knownOnly')}`),
    buttons([
      linkButton(translator.t('button.open'), offer.url),
      linkButton(translator.t('button.discussion'), offer.forumUrl),
      actionButton(translator.t('button.details'), {
        do: 'offer-section',
        offerId: offer.id,
        section: 'overview',
        part: 1,
      }),
      watchButton(offer.id, translator),
      actionButton(translator.t('button.history'), { do: 'history', offerId: offer.id }),
    ]),
  ]);
}
