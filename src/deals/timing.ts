import { Temporal } from 'temporal-polyfill';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/time.ts';
import type { Timing } from './settings.ts';

/** When an announcement may be posted. */
export interface DueTime {
  /** Epoch milliseconds. */
  dueAtMs: number;
  /** Whether it waits for a digest and is posted together with others. */
  isDigest: boolean;
}

type Quiet = NonNullable<Timing['quiet']>;

/** A period in which a time zone keeps one UTC offset: from `fromMs` until before `untilMs`. */
interface OffsetSpan {
  fromMs: number;
  untilMs: number;
  offsetMs: number;
}

/** Bounds the cache. The time zone database has some 600 names, aliases included. */
const MOST_SPANS = 1_000;
/** The longest possible day, in which clocks are set back, rounded up. */
const LONGEST_DAY_MS = 26 * HOUR_MS;
const FOREVER: OffsetSpan = { fromMs: -Infinity, untilMs: Infinity, offsetMs: 0 };

/** Caches the last span of each time zone: finding one takes some ten thousand times as long as using it. */
const spans = new Map<string, OffsetSpan>();

/**
 * When an announcement detected at `nowMs` may be posted: at once or with the next digest, and outside the quiet hours.
 * Times of day are local: a digest time that is skipped in spring counts as the moment at which it would have come; one
 * that comes twice in autumn counts the first time. An unknown time zone counts as UTC.
 */
export function dueAt(timing: Timing, nowMs: number): DueTime {
  const isDigest = timing.mode !== 'at-once';
  // Fast path for the most common case.
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
 * The first moment from `nowMs` on that is outside the quiet hours: epoch milliseconds. An unknown time zone counts as
 * UTC.
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

/**
 * The offset span that contains `nowMs`. It begins a day before `nowMs`, or at the last clock change where that is
 * later.
 */
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

/** Milliseconds since local midnight. */
function dayTimeMs({ offsetMs }: OffsetSpan, ms: number): number {
  return (((ms + offsetMs) % DAY_MS) + DAY_MS) % DAY_MS;
}

/**
 * The next local occurrence of a minute of the day after `nowMs`, assuming no clock change before it: epoch
 * milliseconds.
 */
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
  // On a day with a clock change, the digest time may already have passed under the old offset.
  const isPlain = span.fromMs <= nowMs - LONGEST_DAY_MS && nextMs < span.untilMs;
  return isPlain ? nextMs : nextDaily(zoned(timeZone, nowMs), dailyAtMinute).epochMilliseconds;
}

function zoned(timeZone: string, ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
}

/** The earlier of two due times; at the same moment a single post comes before a digest. */
export function sooner<D extends DueTime>(a: D, b: D): D {
  if (a.dueAtMs !== b.dueAtMs) return a.dueAtMs < b.dueAtMs ? a : b;
  return a.isDigest ? b : a;
}

/**
 * The starts of the last `count` days in a time zone, oldest first, today last: epoch milliseconds. An unknown time
 * zone counts as UTC.
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

/** Whether the runtime knows the time zone: `Europe/Berlin`, `UTC`. */
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
  // The time of day on the day after tomorrow is after now, whatever the clocks do.
  return on(now.toPlainDate().add({ days: 2 }), atMinute, now.timeZoneId, 'compatible');
}

/** The first moment from `from` on that is outside the quiet hours. */
function afterQuiet(from: Temporal.ZonedDateTime, quiet: Quiet): Temporal.ZonedDateTime {
  if (!isQuiet(from, quiet)) return from;
  // Quiet hours end at their end time, or at a clock change that skips it.
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
