import type { Delivery, RollUp } from '../../store/delivery.ts';
import { type Done, isRollUpNext, nextPostAtMs } from './hourly-limit.ts';

/**
 * A delivery that is overdue by more than this is posted in a roll-up: the channel was closed, or the bot was not
 * running.
 */
const LATE_MS = 30 * 60_000;

/** The contents of a channel's outbox, and all that decides the next step. */
export interface Situation {
  /** First due first. Deliveries in quiet hours are due at the end of those. */
  pending: readonly Delivery[];
  /** The content of the last attempt at a roll-up, if that failed. */
  rollUp: RollUp | undefined;
  /** Whether every member of the roll-up is outside quiet hours now. */
  isRollUpOpen: boolean;
  mostPerHour: number;
  /** The posts of the past hour, oldest first, without failed attempts. */
  posted: readonly Done[];
  /**
   * The attempts that may still arrive at Discord, and until when. Only the same id, as the nonce, prevents a second
   * post, so such a delivery is posted alone.
   */
  mayArrive: ReadonlyMap<string, number>;
  nowMs: number;
}

/** The channel's hourly limit holds back due deliveries until `nextPostAtMs`. */
export interface HourlyLimit {
  mostPerHour: number;
  /** Epoch milliseconds. */
  nextPostAtMs: number;
}

export type Step =
  | { do: 'post'; delivery: Delivery }
  /** All of these in one post. `limit` is set where it is for the hourly limit: no other post may follow at once. */
  | { do: 'post-together'; deliveries: readonly Delivery[]; limit: HourlyLimit | null }
  /** Retries the same roll-up. */
  | { do: 'repeat-roll-up'; rollUp: RollUp }
  /**
   * Dissolves a roll-up that did not arrive: its members are pending on their own again, as some may be over by now or
   * have quiet hours.
   */
  | { do: 'dissolve'; rollUp: RollUp }
  /** Nothing to do until then; Infinity where nothing is pending. */
  | { do: 'wait'; untilMs: number; limit: (HourlyLimit & { waiting: number }) | null };

/**
 * Decides the next step in a channel. Digests and overdue deliveries are posted in a roll-up. So are those that exceed
 * the hourly limit: the last posts of an hour are roll-ups of all waiting deliveries, spread over the hour.
 */
export function nextStep(situation: Situation): Step {
  const { pending, rollUp, isRollUpOpen, mostPerHour, posted, mayArrive, nowMs } = situation;
  const arrivesUntilMs = rollUp && mayArrive.get(rollUp.id);
  if (rollUp && arrivesUntilMs === undefined) return { do: 'dissolve', rollUp };

  const due = pending.filter(({ dueAtMs }) => dueAtMs <= nowMs);
  // With a new id, its members could be posted twice.
  if (arrivesUntilMs !== undefined && !isRollUpOpen) return waitUntil(arrivesUntilMs);
  if (due.length === 0 && !rollUp) return waitUntil(pending[0]?.dueAtMs ?? Number.POSITIVE_INFINITY);
  const limit = { mostPerHour, nextPostAtMs: nextPostAtMs(posted, mostPerHour) };
  if (limit.nextPostAtMs > nowMs) {
    const waiting = due.length + (rollUp?.members.length ?? 0);
    return { do: 'wait', untilMs: limit.nextPostAtMs, limit: { ...limit, waiting } };
  }

  const own = due.find(({ id }) => mayArrive.has(id));
  if (own) return { do: 'post', delivery: own };
  if (rollUp) return { do: 'repeat-roll-up', rollUp };

  const isLimited = isRollUpNext(posted, mostPerHour);
  const together = isLimited ? due : due.filter((delivery) => grouping(delivery, nowMs) === 'together');
  const [first] = due;
  if (together.length > 1) {
    const withThis = [...posted, { id: '', atMs: nowMs }];
    return {
      do: 'post-together',
      deliveries: together,
      limit: isLimited ? { mostPerHour, nextPostAtMs: nextPostAtMs(withThis, mostPerHour) } : null,
    };
  }
  return first ? { do: 'post', delivery: first } : waitUntil(Number.POSITIVE_INFINITY);
}

function waitUntil(untilMs: number): Step {
  return { do: 'wait', untilMs, limit: null };
}

function grouping({ isDigest, isLate, dueAtMs }: Delivery, nowMs: number): 'alone' | 'together' {
  return isDigest || isLate || nowMs - dueAtMs > LATE_MS ? 'together' : 'alone';
}
