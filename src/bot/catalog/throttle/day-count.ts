import type { SpentRecord } from '../catalog.ts';
import { dayOf, formatDay, parseDay, startOfDayMs } from './quota.ts';

/** A moment on both clocks: epoch milliseconds, and monotonic milliseconds. */
export interface Moment {
  nowMs: number;
  monotonicMs: number;
}

/**
 * The one rule for clocks: an interval is a difference of monotonic times, a stored date in the future counts as now
 * (`ageMs`), and a day's count never falls before its day is over, whatever the wall clock is set to. The day is over
 * once both clocks say so: the wall clock shows a later day, and by the monotonic clock the midnight has passed that the
 * wall clock showed before it was set. What is counted in between belongs to both days. So a clock that is set over
 * midnight, forward or back, gives no second day, and costs at most what is left of one. While nothing runs only the
 * wall clock tells time: a stored day that is later than the wall clock's goes on for 24 hours at most.
 */
export interface DayCount {
  /** The UTC day that the wall clock shows. */
  day: number;
  /** The requests that count in it. */
  count: number;
  /** By how many milliseconds the wall clock is ahead of the monotonic one. */
  aheadMs: number;
  /** The day by the wall clock as it was before it was set, until its midnight; its count is never below `count`. */
  former: { count: number; endsAtMonotonicMs: number } | null;
}

const DAY_MS = 86_400_000;
/** A difference between the clocks up to this size is one of reading them, and no setting. */
const SAME_MS = 1_000;

/** Nothing is counted yet. */
export function startCount({ nowMs, monotonicMs }: Moment): DayCount {
  return { day: dayOf(nowMs), count: 0, aheadMs: nowMs - monotonicMs, former: null };
}

/** Whether the wall clock was set since the last `turn`. */
export function isSet({ aheadMs }: DayCount, { nowMs, monotonicMs }: Moment): boolean {
  return Math.abs(nowMs - monotonicMs - aheadMs) > SAME_MS;
}

/** The count as it stands now. */
export function turn(before: DayCount, at: Moment): DayCount {
  const aheadMs = at.nowMs - at.monotonicMs;
  if (!isSet(before, at)) return { ...passedTo(before, at.monotonicMs, at.nowMs), aheadMs };
  const last = passedTo(before, at.monotonicMs, at.monotonicMs + before.aheadMs);
  const day = dayOf(at.nowMs);
  const count = totalOf(last);
  const former = last.former ?? { count, endsAtMonotonicMs: startOfDayMs(last.day + 1) - before.aheadMs };
  return { day, count: day > last.day ? 0 : count, aheadMs, former };
}

/** The count after time alone has passed. */
function passedTo(before: DayCount, monotonicMs: number, nowMs: number): DayCount {
  const day = dayOf(nowMs);
  const former = before.former && monotonicMs < before.former.endsAtMonotonicMs ? before.former : null;
  return day > before.day ? { ...before, day, count: 0, former } : { ...before, former };
}

/** Counts `more`, up to `most`. */
export function add(before: DayCount, more: number, most: number): DayCount {
  const { former } = before;
  const sum = (count: number) => Math.min(most, count + more);
  return { ...before, count: sum(before.count), former: former && { ...former, count: sum(former.count) } };
}

/** The count of the day that is not over. */
export function totalOf({ count, former }: DayCount): number {
  return former?.count ?? count;
}

/** When what was counted returns: epoch milliseconds. */
export function returnsAtMs({ day, count, aheadMs, former }: DayCount): number {
  const endsAtMs = startOfDayMs(day + 1);
  if (!former) return endsAtMs;
  const formerEndsAtMs = Math.round(former.endsAtMonotonicMs + aheadMs);
  return former.count > count ? formerEndsAtMs : Math.max(formerEndsAtMs, endsAtMs);
}

/**
 * The stored form of a count, with dates by the wall clock as it is now.
 * @param pending what is to count although it is not counted yet
 */
export function toStored(
  { day, count, aheadMs, former }: DayCount,
  pending: number,
): Pick<SpentRecord, 'day' | 'spent' | 'formerDay'> {
  return {
    day: formatDay(day),
    spent: count + pending,
    ...(former && {
      formerDay: { spent: former.count + pending, endsAtMs: Math.round(former.endsAtMonotonicMs + aheadMs) },
    }),
  };
}

/** The inverse of `toStored`, by the wall clock as it is now: it may have been set since. */
export function fromStored(
  { day, spent, formerDay }: Pick<SpentRecord, 'day' | 'spent' | 'formerDay'>,
  at: Moment,
): DayCount {
  const start = startCount(at);
  const stored = parseDay(day);
  const total = formerDay?.spent ?? spent;
  const endsAtMs = stored > start.day ? startOfDayMs(stored + 1) : (formerDay?.endsAtMs ?? at.nowMs);
  const lastsMs = Math.min(DAY_MS, endsAtMs - at.nowMs);
  const former = lastsMs > 0 ? { count: total, endsAtMonotonicMs: at.monotonicMs + lastsMs } : null;
  const count = stored > start.day ? total : stored === start.day ? spent : 0;
  return { ...start, count, former };
}
