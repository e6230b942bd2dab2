const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const centralHour = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Chicago',
  hour: '2-digit',
  hourCycle: 'h23',
});
/** Cached midnights. They depend on the time zone alone, so all simulators share them. */
const midnights = new Map<number, number>();

/** The moment a day begins in US Central time, in epoch milliseconds. Days are counted from 1970-01-01. */
export function centralMidnightMs(day: number): number {
  const known = midnights.get(day);
  if (known !== undefined) return known;
  const daylightMs = day * DAY_MS + 5 * HOUR_MS;
  const midnightMs = centralHour.format(daylightMs) === '00' ? daylightMs : daylightMs + HOUR_MS;
  midnights.set(day, midnightMs);
  return midnightMs;
}

/** The day in US Central time at that moment, counted from 1970-01-01. */
export function centralDay(nowMs: number): number {
  const day = Math.floor(nowMs / DAY_MS);
  return nowMs < centralMidnightMs(day) ? day - 1 : day;
}

/** A time in the form of v2: `2026-10-06T05:00:00Z`. */
export function zuluTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** A time in the form of the portal: `2026-10-06T05:00:00+00:00`. */
export function offsetTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}
