import { hasEnded } from '../../deals/life.ts';
import type { ThingKind } from './kind.ts';

/** An event that has begun. It counts as long as it runs, even when what it shows just now is sold out. */
export const eventStarted: ThingKind<'event-started'> = {
  announce: (event) => ({ kind: 'event-started', subject: event.id, occurrence: '', item: event }),
  hasStarted: (event, nowMs) => event.startDateMs === null || event.startDateMs <= nowMs,
  isLive: ({ item }, nowMs) => !hasEnded(item, nowMs),
  // How much is left changes all the time: that alone is no reason.
  face: (event, nowMs) =>
    JSON.stringify([
      event.title,
      event.endDateMs,
      hasEnded(event, nowMs),
      event.offers.map(({ id, soldOut, items }) => [id, soldOut, items.map(({ salePrice }) => salePrice)]),
    ]),
};
