import type { FieldRule, FieldRules } from './belief.ts';
import { hasEnded } from './life.ts';
import type { Offer } from './offer.ts';
import { isSamePrice, type PriceRange } from './price.ts';

/** A price that is so many times the last one, or the last one so many times it, needs a second answer. */
export const ASTONISHING_FACTOR = 5;

const isEqual = (one: unknown, other: unknown) => one === other;

/** A value may be added at once. Any other change needs a second answer: it is no news, and one odd answer shows it, too. */
const plain: FieldRule<string | number | null> = { isSame: isEqual, isBelievedAtOnce: (was) => was === null };
const flag: FieldRule<boolean> = { isSame: isEqual, isBelievedAtOnce: () => false };

/** What is believed of an offer, field by field. The site is left out: where it names the feed, each feed says another. */
export const OFFER_RULES: FieldRules<Offer> = {
  title: { isSame: isEqual, isBelievedAtOnce: () => false },
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
  endDateMs: { isSame: isEqual, isBelievedAtOnce: isLaterEnd },
  salePrice: { isSame: isSamePrice, isBelievedAtOnce: isPlausible },
  listPrice: { isSame: isSamePrice, isBelievedAtOnce: (was) => was === null },
  isSoldOut: { isSame: isEqual, isBelievedAtOnce: (_was, says) => says },
  isDealOff: flag,
  isFeatured: flag,
  isFulfilledByPartner: flag,
  isAvailableOnMobileAppOnly: flag,
};

/** The end of a live offer may be told, or move on, at once. An earlier one, and one after the end, needs a second answer. */
function isLaterEnd(was: number | null, says: number | null, nowMs: number): boolean {
  if (says === null || hasEnded({ endDateMs: was }, nowMs)) return false;
  return says > (was ?? nowMs);
}

/** Whether a price may follow another without a second answer. */
export function isPlausible(was: PriceRange | null, says: PriceRange | null): boolean {
  if (was === null) return true;
  if (says === null) return false;
  const isNear = (one: number, other: number) => one <= other * ASTONISHING_FACTOR && other <= one * ASTONISHING_FACTOR;
  return isNear(was.minimum, says.minimum) && isNear(was.maximum, says.maximum);
}
