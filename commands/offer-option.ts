import type { KnownOffer } from '../src/deals/known-offer.ts';
import { formatPrice } from '../src/discord/format.ts';
import { clamp, LIMITS } from '../src/discord/limits.ts';
import { escapeLine } from '../src/discord/markdown.ts';
import { say, type Words } from '../src/discord/words/words.ts';
import { UserError } from '../src/errors.ts';
import type { Shared } from './shared.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Leaves room for the price behind it. */
const MOST_TITLE = LIMITS.choiceName - 40;

/**
 * The id of the offer that was meant by an id, a link or words: of more that match, the best.
 * @throws UserError where the bot knows none
 */
export function offerMeant(typed: string, { offers, search }: Pick<Shared, 'offers' | 'search'>): string {
  const meant = typed.trim();
  if (UUID.test(meant)) return meant.toLowerCase();
  if (URL.canParse(meant)) {
    const known = offers.findByLink(meant);
    if (!known) throw new UserError(say('offer.notSeen'));
    return known.offer.id;
  }
  const [best] = search.find(meant);
  if (!best) throw new UserError(say('why.noWords', { words: `**${escapeLine(clamp(meant, 100))}**` }));
  return best.offer.id;
}

/** The offers that what has been typed tells of, for somebody who is still typing. */
export function offerChoices(typed: string, { offers, search }: Pick<Shared, 'offers' | 'search'>, words: Words) {
  const exact = offers.get(typed.trim().toLowerCase()) ?? offers.findByLink(typed);
  const found = exact ? [exact] : search.complete(typed, LIMITS.autocompleteChoices);
  return found.map(({ offer }: KnownOffer) => {
    const price = offer.salePrice && formatPrice(offer.salePrice, words);
    return { name: [clamp(offer.title.trim(), MOST_TITLE), price].filter(Boolean).join(' · '), value: offer.id };
  });
}
