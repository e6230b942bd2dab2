import type { Belief } from './belief.ts';
import type { Arrival, PriceAt } from './known-offer.ts';
import { hasEnded } from './life.ts';
import type { Offer } from './offer.ts';

/** A new offer is decided with what there is once so many answers have shown it. */
const DECIDED_AFTER = 3;

/** The field that holds what was observed of an offer's product before its price: unknown until a second answer shows that. */
export const UNCONFIRMED: keyof Offer = 'observed';

/** The field that is unknown while one answer alone has shown a price: a second answer decides what was observed before. */
export function undecidedWith(price: Pick<PriceAt, 'observed' | 'isSeenOnce'> | undefined): string[] {
  return price?.observed && price.isSeenOnce ? [UNCONFIRMED] : [];
}

/** The fields of a new offer that are not known: unreadable, or missing although offers have them. */
export function undecidedOf(
  { salePrice, categories }: Offer,
  unreadable: ReadonlySet<string>,
  price: Pick<PriceAt, 'observed' | 'isSeenOnce'> | undefined,
): string[] {
  const missing = [
    ...(salePrice === null ? ['salePrice'] : []),
    ...(categories.length === 0 ? ['categories'] : []),
    ...undecidedWith(price),
  ];
  return [...new Set([...missing, ...unreadable])];
}

/** What is left to decide of a new offer after one more answer; empty where it is decided. */
export function arrivalAfter(
  was: Arrival,
  { value: offer, dissents, seenOnce }: Belief<Offer>,
  missing: readonly string[],
  nowMs: number,
): { arrival?: Arrival } {
  // Nothing can be announced while one answer alone calls it sold out.
  if (offer.isSoldOut && !was.wasOver && seenOnce.includes('isSoldOut')) return { arrival: was };
  const isInDoubt = Object.values(dissents).some(({ isSoldOut }) => isSoldOut && !isSoldOut.isOlder);
  if (was.answers + 1 >= DECIDED_AFTER && !(was.wasOver && isInDoubt)) return {};
  const undecided = was.undecided.filter((field) => missing.includes(field));
  const wasOver = was.wasOver && (offer.isSoldOut || hasEnded(offer, nowMs));
  return undecided.length > 0 || wasOver ? { arrival: { answers: was.answers + 1, undecided, wasOver } } : {};
}

/** The same after the offer itself was asked, which shows whether it can be bought, and decides nothing else. */
export function arrivalOnceAsked(was: Arrival, offer: Offer, nowMs: number): { arrival?: Arrival } {
  const wasOver = was.wasOver && (offer.isSoldOut || hasEnded(offer, nowMs));
  return was.undecided.length > 0 || wasOver ? { arrival: { ...was, wasOver } } : {};
}
