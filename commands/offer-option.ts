import { isUuid } from '../src/bot/catalog/wire.ts';
import { shownOffer } from '../src/bot/deals/known-offer.ts';
import type { Offer } from '../src/bot/deals/offer.ts';
import type { CardContext } from '../src/bot/discord/cards/context.ts';
import { offerFacts } from '../src/bot/discord/cards/offer-entry.ts';
import { message, type Translator } from '../src/bot/discord/i18n/translator.ts';
import { clamp, LIMITS } from '../src/bot/discord/limits.ts';
import { escapeLine } from '../src/bot/discord/markdown.ts';
import { UserError } from '../src/shared/errors.ts';
import type { CommandServices } from './shared.ts';

type Known = Pick<CommandServices, 'offers' | 'search' | 'clock'>;

/** Leaves room for the price after it, and for the note that the offer is over. */
const MOST_TITLE = LIMITS.choiceName - 40;
const MOST_TOLD = 100;

/**
 * The ids of the offers that an id, a link or search words refer to: at least one, the best match first.
 * @throws UserError where no known offer matches. An id may belong to an unknown offer, for which the catalog can be
 * asked.
 */
export function offersMeant(typed: string, { offers, search }: Omit<Known, 'clock'>): [string, ...string[]] {
  const meant = typed.trim();
  if (isUuid(meant)) return [meant.toLowerCase()];
  if (isLink(meant)) {
    const known = offers.findByLink(meant);
    if (!known) throw new UserError(message('offer.notSeen'));
    return [known.offer.id];
  }
  const [best, ...others] = search.find(meant).map(({ offer }) => offer.id);
  if (best === undefined)
    throw new UserError(message('offer.noWords', { words: `**${escapeLine(clamp(meant, MOST_TOLD))}**` }));
  return [best, ...others];
}

/** Autocomplete choices for an offer, from a partial input. */
export function offerChoices(typed: string, { offers, search, clock }: Known, translator: Translator) {
  const context = { translator, nowMs: clock.now() };
  const exact = offers.get(typed.trim().toLowerCase()) ?? (isLink(typed) ? offers.findByLink(typed) : null);
  const found = exact ? [exact] : search.complete(typed, LIMITS.autocompleteChoices);
  return found.map((known) => ({ name: choiceOf(shownOffer(known), context), value: known.offer.id }));
}

function isLink(typed: string): boolean {
  return /^\s*https?:\/\//i.test(typed) && URL.canParse(typed);
}

function choiceOf(offer: Offer, context: CardContext): string {
  return [clamp(offer.title.trim(), MOST_TITLE), offerFacts(offer, context)].filter((part) => part !== '').join(' · ');
}
