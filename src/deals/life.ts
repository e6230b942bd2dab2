import type { DealEvent } from './event.ts';
import type { Offer } from './offer.ts';

/** Whether the offer can no longer be bought: sold out, or ended at or before `nowMs`. */
export function isOver(offer: Offer, nowMs: number): boolean {
  return offer.isSoldOut || hasEnded(offer, nowMs);
}

/** Whether the end is known and has passed. */
export function hasEnded(entity: Pick<Offer | DealEvent, 'endDateMs'>, nowMs: number): boolean {
  return entity.endDateMs !== null && entity.endDateMs <= nowMs;
}

/** How long an entity lasted from its start to its end: milliseconds; null where that is not known. */
export function lastedMs({
  startDateMs,
  endDateMs,
}: Pick<Offer | DealEvent, 'startDateMs' | 'endDateMs'>): number | null {
  return startDateMs !== null && endDateMs !== null && startDateMs < endDateMs ? endDateMs - startDateMs : null;
}

/** Sorts newest first; entities without a start come last. Stable. */
export function newestFirst<T extends Pick<Offer | DealEvent, 'startDateMs'>>(entities: readonly T[]): T[] {
  return entities.toSorted((a, b) => (b.startDateMs ?? -Infinity) - (a.startDateMs ?? -Infinity) || 0);
}
