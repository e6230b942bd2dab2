import type { Dealcast } from './dealcast.ts';
import type { DealEvent } from './event.ts';
import type { Offer } from './offer.ts';

/** Whether there is nothing left to buy: sold out, or ended at or before `nowMs`. */
export function isOver(offer: Offer, nowMs: number): boolean {
  return offer.isSoldOut || hasEnded(offer, nowMs);
}

/** Whether an end is known and has passed. */
export function hasEnded(thing: Pick<Offer | DealEvent, 'endDateMs'>, nowMs: number): boolean {
  return thing.endDateMs !== null && thing.endDateMs <= nowMs;
}

/** When the next of the things ends that have not by `nowMs`: epoch milliseconds, infinite where none will. */
export function nextEndMs(things: readonly Pick<Offer | DealEvent, 'endDateMs'>[], nowMs: number): number {
  return Math.min(...things.filter((thing) => !hasEnded(thing, nowMs)).map(({ endDateMs }) => endDateMs ?? Infinity));
}

/** Newest first; what has no start comes last, and equals keep their order. */
export function newestFirst<T extends Pick<Offer | DealEvent | Dealcast, 'startDateMs'>>(things: readonly T[]): T[] {
  return things.toSorted((a, b) => (b.startDateMs ?? -Infinity) - (a.startDateMs ?? -Infinity) || 0);
}
