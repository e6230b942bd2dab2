import { learn } from '../../src/announcements/poll/arrivals.ts';
import type { PollDemand, Quotas } from '../../src/announcements/poll/planner.ts';
import type { ResourceKey } from '../../src/deals/subscription.ts';
import { DAY_MS } from '../../src/shared/time.ts';
import type { LearnedTimes } from '../../src/store/catalog-records.ts';

/** The day on which the planner's tests play begins. */
export const MIDNIGHT_MS = Date.UTC(2026, 9, 6);

export function aDemand(resource: ResourceKey, changes: Partial<PollDemand> = {}): PollDemand {
  return {
    resource,
    subscribers: 1,
    lastPolledMs: null,
    isUrgent: false,
    isDoubtful: false,
    learned: undefined,
    ...changes,
  };
}

export function quotasAt(nowMs: number, spent: number, limit = 1000): Quotas {
  const quota = { limit, spent, resetsAtMs: (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS };
  return { portal: quota, v2: quota };
}

/** A resource that got `count` things at a time of the day, every day for a week. */
export function learnedAt(timeOfDayMs: number, count: number): LearnedTimes {
  const starts = Array.from({ length: 7 }, (_, day) => MIDNIGHT_MS - (day + 1) * DAY_MS + timeOfDayMs);
  return learn(undefined, {
    polledAtMs: MIDNIGHT_MS,
    previousPolledAtMs: null,
    startedAtMs: starts.flatMap((startMs) => Array.from({ length: count }, () => startMs)),
  });
}
