import type { Clock } from '../../shared/clock.ts';
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

/** Counts the announcements that end from now on. Returns the counts. */
export function countEndings(deliveries: Pick<DeliveryStore, 'onEnded'>, clock: Clock): () => DeliveryMetrics {
  const sinceStart = { posted: 0, over: 0, gone: 0, refused: 0 };
  let day = dayOf(clock.now());
  let postedToday = 0;

  function turn(): void {
    const today = dayOf(clock.now());
    if (today !== day) postedToday = 0;
    day = today;
  }

  deliveries.onEnded((outcome) => {
    turn();
    sinceStart[outcome] += 1;
    if (outcome === 'posted') postedToday += 1;
  });

  return () => {
    turn();
    return { sinceStart: { ...sinceStart }, postedToday };
  };
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}
