import type { Delivery, RollUp } from '../../store/delivery.ts';
import { type Done, isRollUpNext, nextPostAtMs } from './hourly-limit.ts';

/** What has waited longer than this beyond its time is told together with others: the channel was shut, or the bot away. */
const LATE_MS = 30 * 60_000;

/** What a channel's outbox holds, and what decides what comes next. */
export interface Situation {
  /** First due first. What must wait for the end of quiet hours is due then. */
  pending: readonly Delivery[];
  /** The content of the last try of a roll-up, if that failed. */
  rollUp: RollUp | undefined;
  /** Whether none of the roll-up's members has quiet hours now. */
  isRollUpOpen: boolean;
  mostPerHour: number;
  /** What was posted within the past hour, oldest first; tries that came to nothing left out. */
  posted: readonly Done[];
  /**
   * What may still arrive at Discord from a try a moment ago, and until when: only its own id, as the nonce, keeps it from
   * being posted twice, so it goes by itself.
   */
  mayArrive: ReadonlyMap<string, number>;
  nowMs: number;
}

/** The channel has no room for what is due until its hourly limit lets the next post through. */
export interface HourlyLimit {
  mostPerHour: number;
  /** Epoch milliseconds. */
  nextPostAtMs: number;
}

export type Step =
  | { do: 'post'; delivery: Delivery }
  /** All of these in one post. `limit` is set where only the hourly limit brings them together. */
  | { do: 'post-together'; deliveries: readonly Delivery[]; limit: HourlyLimit | null }
  /** The same roll-up again. */
  | { do: 'repeat-roll-up'; rollUp: RollUp }
  /** It did not arrive, so its members wait by themselves again: some may be over by now, or have quiet hours. */
  | { do: 'dissolve'; rollUp: RollUp }
  /** Until then there is nothing to do; Infinity where there is nothing at all. */
  | { do: 'wait'; untilMs: number; limit: (HourlyLimit & { waiting: number }) | null };

/**
 * What to do next in a channel. Digests and what comes late are told together. So is all that would be more than the
 * hour's posts: the last of them are roll-ups of whatever waits, spread over the hour.
 */
export function nextStep(situation: Situation): Step {
  const { pending, rollUp, isRollUpOpen, mostPerHour, posted, mayArrive, nowMs } = situation;
  const arrivesUntilMs = rollUp && mayArrive.get(rollUp.id);
  if (rollUp && arrivesUntilMs === undefined) return { do: 'dissolve', rollUp };

  const due = pending.filter(({ dueAtMs }) => dueAtMs <= nowMs);
  // Under a new id its members could be posted twice.
  if (rollUp && arrivesUntilMs !== undefined && !isRollUpOpen) return waitUntil(arrivesUntilMs);
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
  const together = isLimited ? due : due.filter((delivery) => isTold(delivery, nowMs) === 'together');
  const [first] = due;
  if (together.length > 1) {
    const nextMs = nextPostAtMs([...posted, { id: '', atMs: nowMs }], mostPerHour);
    const isFull = isLimited && nextMs > nowMs;
    return {
      do: 'post-together',
      deliveries: together,
      limit: isFull ? { mostPerHour, nextPostAtMs: nextMs } : null,
    };
  }
  return first ? { do: 'post', delivery: first } : waitUntil(Number.POSITIVE_INFINITY);
}

function waitUntil(untilMs: number): Step {
  return { do: 'wait', untilMs, limit: null };
}

function isTold({ isDigest, isLate, dueAtMs }: Delivery, nowMs: number): 'alone' | 'together' {
  return isDigest || isLate || nowMs - dueAtMs > LATE_MS ? 'together' : 'alone';
}
