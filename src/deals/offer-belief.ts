import type { FieldRules } from './belief.ts';
import { end, firm, plain, soldOut } from './field-rules.ts';
import type { Offer } from './offer.ts';
import { isSamePrice, type PriceRange } from './price.ts';

/** A price that is so many times the last one, or the last one so many times it, needs a second answer. */
export const ASTONISHING_FACTOR = 5;

/** What is believed of an offer, field by field. The site is left out: where it names the feed, each feed says another. */
export const OFFER_RULES: FieldRules<Offer> = {
  title: firm,
  subtitle: plain,
  condition: plain,
  categories: {
    isSame: (one, other) => one.length === other.length && one.every((category, place) => category === other[place]),
    isBelievedAtOnce: (was) => was.length === 0,
  },
  photo: plain,
  url: plain,
  forumUrl: plain,
  startDateMs: plain,
  endDateMs: end,
  salePrice: {
    isSame: isSamePrice,
    isBelievedAtOnce: isPlausible,
    isAstonishing: (was, says) => says !== null && !isPlausible(was, says),
  },
  listPrice: { isSame: isSamePrice, isBelievedAtOnce: (was) => was === null },
  isSoldOut: soldOut,
  isDealOff: firm,
  isFeatured: firm,
  isFulfilledByPartner: firm,
  isAvailableOnMobileAppOnly: firm,
};

/** Whether a price may follow another without a second answer. */
export function isPlausible(was: PriceRange | null, says: PriceRange | null): boolean {
  if (was === null) return true;
  if (says === null) return false;
  const isNear = (one: number, other: number) => one <= other * ASTONISHING_FACTOR && other <= one * ASTONISHING_FACTOR;
  return isNear(was.minimum, says.minimum) && isNear(was.maximum, says.maximum);
}
