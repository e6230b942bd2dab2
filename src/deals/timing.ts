// biome-ignore lint/style/noRestrictedImports: this is the one place that knows time zones.
import { Temporal } from 'temporal-polyfill';
import type { Timing } from './subscription.ts';

/** When an announcement may be posted. */
export interface DueTime {
  /** Epoch milliseconds. */
  dueAtMs: number;
  /** Whether it waits to be posted together with others. */
  isDigest: boolean;
}

type Quiet = NonNullable<Timing['quiet']>;

const HOUR_MS = 3_600_000;

/**
 * When what is found at `nowMs` may be posted: at once, or with the next digest, and in no quiet hour. Times of day are
 * those of the clocks on the wall: a digest whose time is skipped in spring comes when the skipped time would have been,
 * one whose time comes twice in autumn comes the first time.
 * @throws RangeError where the time zone is none
 */
export function dueAt(timing: Timing, nowMs: number): DueTime {
  // Most are, and there are many.
  if (timing.mode === 'at-once' && timing.quiet === null) return { dueAtMs: nowMs, isDigest: false };
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timing.timeZone);
  const isDigest = timing.mode !== 'at-once';
  const wanted = { 'at-once': () => now, hourly: nextFullHour, daily: nextDaily }[timing.mode](
    now,
    timing.dailyAtMinute,
  );
  const open = timing.quiet ? afterQuiet(wanted, timing.quiet) : wanted;
  return { dueAtMs: open.epochMilliseconds, isDigest };
}

/** The first moment from `nowMs` on that is in no quiet hour: epoch milliseconds. @throws RangeError where the time zone is none */
export function openFrom({ quiet, timeZone }: Timing, nowMs: number): number {
  if (quiet === null) return nowMs;
  return afterQuiet(Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone), quiet)
    .epochMilliseconds;
}

/** Of what several subscriptions of a channel want, the earlier; a post by itself comes before a digest. */
export function sooner(a: DueTime, b: DueTime): DueTime {
  if (a.dueAtMs !== b.dueAtMs) return a.dueAtMs < b.dueAtMs ? a : b;
  return a.isDigest ? b : a;
}

/**
 * When the last days began in a time zone, oldest first, the present one last: epoch milliseconds.
 * @throws RangeError where the time zone is none
 */
export function lastDays(count: number, timeZone: string, nowMs: number): number[] {
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone).toPlainDate();
  return Array.from(
    { length: count },
    (_, index) =>
      today
        .subtract({ days: count - 1 - index })
        .toZonedDateTime(timeZone)
        .startOfDay().epochMilliseconds,
  );
}

/** Whether it is a time zone that there is: `Europe/Berlin`, `UTC`. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

function nextFullHour(now: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const intoHourMs = (now.minute * 60 + now.second) * 1000 + now.millisecond;
  const next = now.add({ milliseconds: HOUR_MS - intoHourMs });
  // Some zones change their clocks by half an hour.
  return next.minute === 0 ? next : next.add({ minutes: 60 - next.minute });
}

function nextDaily(now: Temporal.ZonedDateTime, atMinute: number): Temporal.ZonedDateTime {
  for (const days of [0, 1]) {
    const time = on(now.toPlainDate().add({ days }), atMinute, now.timeZoneId, 'compatible');
    if (isAfter(time, now)) return time;
  }
  // The day after tomorrow has its time after now whatever the clocks do.
  return on(now.toPlainDate().add({ days: 2 }), atMinute, now.timeZoneId, 'compatible');
}

/** The first moment from `from` on that is in no quiet hour. */
function afterQuiet(from: Temporal.ZonedDateTime, quiet: Quiet): Temporal.ZonedDateTime {
  if (!isQuiet(from, quiet)) return from;
  // Quiet ends when the clocks show its end, or when they are changed past it.
  const ends = [0, 1, 2].flatMap((days) =>
    (['earlier', 'later'] as const).map((which) =>
      on(from.toPlainDate().add({ days }), quiet.toMinute, from.timeZoneId, which),
    ),
  );
  const change = from.getTimeZoneTransition('next');
  const open = [...ends, ...(change ? [change] : [])].filter((time) => isAfter(time, from) && !isQuiet(time, quiet));
  return open.reduce((a, b) => (isAfter(a, b) ? b : a), open[0] ?? from);
}

function isQuiet(time: Temporal.ZonedDateTime, { fromMinute, toMinute }: Quiet): boolean {
  const minute = time.hour * 60 + time.minute;
  return fromMinute <= toMinute ? fromMinute <= minute && minute < toMinute : fromMinute <= minute || minute < toMinute;
}

function on(
  date: Temporal.PlainDate,
  minute: number,
  timeZone: string,
  disambiguation: 'compatible' | 'earlier' | 'later',
): Temporal.ZonedDateTime {
  return date
    .toPlainDateTime({ hour: Math.floor(minute / 60), minute: minute % 60 })
    .toZonedDateTime(timeZone, { disambiguation });
}

function isAfter(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  return a.epochMilliseconds > b.epochMilliseconds;
}
