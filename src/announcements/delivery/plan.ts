import type { Delivery, RollUp } from '../../store/deliveries.ts';

const HOUR_MS = 3_600_000;
/** What has waited longer than this beyond its time is told together with others: the channel was shut, or the bot away. */
const LATE_MS = 30 * 60_000;

/** When something was done, and to what. */
interface Done {
  id: string;
  atMs: number;
}

/** What a channel's outbox holds, and what decides what comes next. */
export interface Situation {
  /** First due first. */
  pending: readonly Delivery[];
  rollUp: RollUp | undefined;
  mostPerHour: number;
  /** What was posted within the past hour, oldest first; tries that came to nothing left out. */
  posted: readonly Done[];
  /**
   * What may still arrive at Discord from a try a moment ago: only its own id, as the nonce, keeps it from being
   * posted twice, so it goes by itself.
   */
  mayArrive: ReadonlySet<string>;
  nowMs: number;
}

export type Step =
  | { do: 'post'; delivery: Delivery }
  | { do: 'post-roll-up'; rollUp: RollUp }
  /** These, and what is in the pending roll-up, are to be one roll-up. */
  | { do: 'gather'; deliveries: readonly Delivery[] }
  /** Until then there is nothing to do; Infinity where there is nothing at all. */
  | { do: 'wait'; untilMs: number };

/**
 * What to do next in a channel. Digests and what comes late are told together. So is all that would be more than the
 * hour's posts: the last of them is a roll-up of whatever is left.
 */
export function nextStep({ pending, rollUp, mostPerHour, posted, mayArrive, nowMs }: Situation): Step {
  const due = pending.filter(({ dueAtMs }) => dueAtMs <= nowMs);
  if (due.length === 0 && !rollUp) return { do: 'wait', untilMs: pending[0]?.dueAtMs ?? Number.POSITIVE_INFINITY };
  const freeAtMs = freeAt(posted, mostPerHour);
  if (freeAtMs > nowMs) return { do: 'wait', untilMs: freeAtMs };

  const own = due.find(({ id }) => mayArrive.has(id));
  if (own) return { do: 'post', delivery: own };
  if (rollUp && mayArrive.has(rollUp.id)) return { do: 'post-roll-up', rollUp };

  const isLastOfHour = posted.length === mostPerHour - 1;
  const together = isLastOfHour ? due : due.filter((delivery) => isTold(delivery, nowMs) === 'together');
  if (rollUp) return together.length > 0 ? { do: 'gather', deliveries: together } : { do: 'post-roll-up', rollUp };
  const [first] = due;
  if (together.length > 1 || !first) return { do: 'gather', deliveries: together };
  return { do: 'post', delivery: first };
}

function isTold({ isDigest, isLate, dueAtMs }: Delivery, nowMs: number): 'alone' | 'together' {
  return isDigest || isLate || nowMs - dueAtMs > LATE_MS ? 'together' : 'alone';
}

/** When the next may be done so that no hour sees more than `most`: epoch milliseconds, in the past where it may be now. */
export function freeAt(done: readonly Done[], most: number): number {
  const oldest = done[done.length - most];
  return oldest ? oldest.atMs + HOUR_MS : 0;
}
