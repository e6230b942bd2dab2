import type { Clock } from '../../../shared/clock.ts';
import type { DeliveryStore } from '../../store/deliveries.ts';
import type { LedgerEntry } from '../../store/delivery.ts';

type Outcome = LedgerEntry['outcome'];

/** How many announcements have ended in which way. */
export interface DeliveryMetrics {
  sinceStart: Readonly<Record<Outcome, number>>;
  /** Since midnight UTC, or since the start where that was later. */
  postedToday: number;
}

const DAY_MS = 86_400_000;

/** Wraps the store so that it counts the deliveries that end in it. */
export function withMetrics(
  deliveries: DeliveryStore,
  clock: Clock,
): { deliveries: DeliveryStore; deliveryMetrics: () => DeliveryMetrics } {
  const sinceStart = { posted: 0, over: 0, gone: 0, refused: 0 };
  let day = dayOf(clock.now());
  let postedToday = 0;

  function turn(): void {
    const today = dayOf(clock.now());
    if (today !== day) postedToday = 0;
    day = today;
  }

  function count(outcome: Outcome, number: number): void {
    turn();
    sinceStart[outcome] += number;
    if (outcome === 'posted') postedToday += number;
  }

  return {
    deliveries: {
      ...deliveries,
      async end(delivery, ending) {
        await deliveries.end(delivery, ending);
        count(ending.outcome, 1);
      },
      async endRollUp(rollUp, ending, over) {
        await deliveries.endRollUp(rollUp, ending, over);
        const late = rollUp.members.filter(({ deliveryId }) => over.has(deliveryId)).length;
        count('over', late);
        count(ending.outcome, rollUp.members.length - late);
      },
    },
    deliveryMetrics() {
      turn();
      return { sinceStart: { ...sinceStart }, postedToday };
    },
  };
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
