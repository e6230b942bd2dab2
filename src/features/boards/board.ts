import type { DealEvent, EventOffer } from '../../deals/event.ts';
import { type EventSales, isOut, type PastSales, pastSalesOf } from '../../deals/event-sales.ts';

/** All that a board shows of an event besides the event itself. */
export interface Board extends PastSales {
  /** What is for sale, in the catalog's order. */
  onNow: readonly EventOffer[];
  /** The events of its series that are announced and have not begun, the next first. */
  coming: readonly DealEvent[];
}

/** @param coming the events that have not begun */
export function boardOf(event: DealEvent, known: EventSales | undefined, coming: readonly DealEvent[]): Board {
  return {
    onNow: event.offers.filter((offer) => !isOut(offer)),
    ...pastSalesOf(known),
    coming: coming
      .filter(({ id, site, type }) => id !== event.id && site === event.site && type === event.type)
      .toSorted((one, other) => (one.startDateMs ?? Infinity) - (other.startDateMs ?? Infinity) || 0),
  };
}
