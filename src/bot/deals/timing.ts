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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** While a time zone's clocks are not changed: the difference to UTC that holds from `fromMs` until before `untilMs`. */
interface OffsetSpan {
  fromMs: number;
  untilMs: number;
  offsetMs: number;
}

/** The time zone database has some 600 names, aliases included. */
const MOST_SPANS = 1_000;
/** The longest day that a change of the clocks makes, rounded up. */
const LONGEST_DAY_MS = 26 * HOUR_MS;
const FOREVER: OffsetSpan = { fromMs: -Infinity, untilMs: Infinity, offsetMs: 0 };

/** The last span that was asked for in each time zone: to find one takes some ten thousand times as long as to use it. */
const spans = new Map<string, OffsetSpan>();

/**
 * When what is found at `nowMs` may be posted: at once, or with the next digest, and in no quiet hour. Times of day are
 * those of the clocks on the wall: a digest whose time is skipped in spring comes when the skipped time would have been,
 * one whose time comes twice in autumn comes the first time. A time zone that the runtime does not know counts as UTC.
 */
export function dueAt(timing: Timing, nowMs: number): DueTime {
  const isDigest = timing.mode !== 'at-once';
  // Most are, and there are many.
  if (!isDigest && timing.quiet === null) return { dueAtMs: nowMs, isDigest };
  const span = spanAt(timing.timeZone, nowMs);
  const wantedMs = {
    'at-once': () => nowMs,
    hourly: () => nextFullHourMs(span, timing, nowMs),
    daily: () => nextDailyMs(span, timing, nowMs),
  }[timing.mode]();
  return { dueAtMs: openFrom(timing, wantedMs), isDigest };
}

/**
 * The first moment from `nowMs` on that is in no quiet hour: epoch milliseconds. A time zone that the runtime does not know
 * counts as UTC.
 */
export function openFrom({ quiet, timeZone }: Timing, nowMs: number): number {
  if (quiet === null) return nowMs;
  const span = spanAt(timeZone, nowMs);
  const minute = Math.floor(dayTimeMs(span, nowMs) / MINUTE_MS);
  if (!isQuietMinute(minute, quiet)) return nowMs;
  const endMs = nextAtMinuteMs(span, quiet.toMinute, nowMs);
  if (endMs < span.untilMs) return endMs;
  return afterQuiet(zoned(timeZone, nowMs), quiet).epochMilliseconds;
}

/** The span that `nowMs` lies in. It begins a day before `nowMs`, or where the clocks were changed since. */
function spanAt(timeZone: string, nowMs: number): OffsetSpan {
  const known = spans.get(timeZone);
  if (known && known.fromMs <= nowMs && nowMs < known.untilMs) return known;
  if (spans.size >= MOST_SPANS) spans.clear();
  const found = isTimeZone(timeZone) ? findSpan(timeZone, nowMs) : FOREVER;
  spans.set(timeZone, found);
  return found;
}

function findSpan(timeZone: string, nowMs: number): OffsetSpan {
  const changeAfter = (ms: number) =>
    zoned(timeZone, ms).getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
  const dayBeforeMs = nowMs - LONGEST_DAY_MS;
  const offsetMs = zoned(timeZone, nowMs).offsetNanoseconds / 1e6;
  let [fromMs, untilMs] = [dayBeforeMs, changeAfter(dayBeforeMs)];
  while (untilMs <= nowMs) [fromMs, untilMs] = [untilMs, changeAfter(untilMs)];
  return { fromMs, untilMs, offsetMs };
}

/** Milliseconds since midnight on the wall. */
function dayTimeMs({ offsetMs }: OffsetSpan, ms: number): number {
  return (((ms + offsetMs) % DAY_MS) + DAY_MS) % DAY_MS;
}

/** When the clocks next show a time of day, after `nowMs`, if they are not changed before that: epoch milliseconds. */
function nextAtMinuteMs(span: OffsetSpan, minute: number, nowMs: number): number {
  const atMs = nowMs - dayTimeMs(span, nowMs) + minute * MINUTE_MS;
  return atMs > nowMs ? atMs : atMs + DAY_MS;
}

function nextFullHourMs(span: OffsetSpan, { timeZone }: Timing, nowMs: number): number {
  const nextMs = nowMs + HOUR_MS - (dayTimeMs(span, nowMs) % HOUR_MS);
  return nextMs < span.untilMs ? nextMs : nextFullHour(zoned(timeZone, nowMs)).epochMilliseconds;
}

function nextDailyMs(span: OffsetSpan, { timeZone, dailyAtMinute }: Timing, nowMs: number): number {
  const nextMs = nextAtMinuteMs(span, dailyAtMinute, nowMs);
  // On a day whose clocks were changed, its time may have been before.
  const isPlain = span.fromMs <= nowMs - LONGEST_DAY_MS && nextMs < span.untilMs;
  return isPlain ? nextMs : nextDaily(zoned(timeZone, nowMs), dailyAtMinute).epochMilliseconds;
}

function zoned(timeZone: string, ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
}

/** Of what several subscriptions of a channel want, the earlier; a post by itself comes before a digest. */
export function sooner(a: DueTime, b: DueTime): DueTime {
  if (a.dueAtMs !== b.dueAtMs) return a.dueAtMs < b.dueAtMs ? a : b;
  return a.isDigest ? b : a;
}

/**
 * When the last days began in a time zone, oldest first, the present one last: epoch milliseconds. A time zone that the
 * runtime does not know counts as UTC.
 */
export function lastDays(count: number, timeZone: string, nowMs: number): number[] {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC';
  const today = zoned(zone, nowMs).toPlainDate();
  return Array.from(
    { length: count },
    (_, index) =>
      today
        .subtract({ days: count - 1 - index })
        .toZonedDateTime(zone)
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

function isQuiet(time: Temporal.ZonedDateTime, quiet: Quiet): boolean {
  return isQuietMinute(time.hour * 60 + time.minute, quiet);
}

function isQuietMinute(minute: number, { fromMinute, toMinute }: Quiet): boolean {
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
