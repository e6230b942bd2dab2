import type { TimeStyle } from './inline.ts';

const STYLES: Record<Exclude<TimeStyle, 'R'>, Intl.DateTimeFormatOptions> = {
  t: { hour: 'numeric', minute: '2-digit' },
  T: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
  d: { year: 'numeric', month: '2-digit', day: '2-digit' },
  D: { year: 'numeric', month: 'long', day: 'numeric' },
  f: { year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  F: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
};

/** Seconds in each unit, largest first. */
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** The language of times, as Discord names it. */
let language = 'en-US';

/** From now on times are written in a language. */
export function writeTimesIn(locale: string): void {
  language = locale;
}

/** Formatters by their options. Each takes as long to make as hundreds of times to format, and the page shows thousands. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(options: Intl.DateTimeFormatOptions, timeZone: string | undefined): Intl.DateTimeFormat {
  const all = timeZone === undefined ? options : { ...options, timeZone };
  const key = JSON.stringify([language, all]);
  const made = formatters.get(key) ?? new Intl.DateTimeFormat(language, all);
  formatters.set(key, made);
  return made;
}

const relatives = new Map<string, Intl.RelativeTimeFormat>();

function relative(): Intl.RelativeTimeFormat {
  const made = relatives.get(language) ?? new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  relatives.set(language, made);
  return made;
}

/** "Yesterday at", by language. */
const YESTERDAY = new Map([
  ['de', 'Gestern um'],
  ['fr', 'Hier à'],
  ['es-ES', 'Ayer a las'],
]);

/**
 * Formats a timestamp as Discord does:
 * https://discord.com/developers/docs/reference#message-formatting-timestamp-styles. `timeZone` defaults to the
 * reader's own.
 */
export function formatTime(unixSeconds: number, style: TimeStyle, nowMs: number, timeZone?: string): string {
  if (style !== 'R') {
    return formatter(STYLES[style], timeZone).format(unixSeconds * 1000);
  }
  const seconds = Math.round(unixSeconds - nowMs / 1000);
  const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1];
  return relative().format(Math.round(seconds / size), unit);
}

/** Formats the time in a message's header: a time for today, "Yesterday at …", else the date and time. */
export function formatPosted(postedMs: number, nowMs: number, timeZone?: string): string {
  const dayOf = (ms: number) => formatter({ dateStyle: 'short' }, timeZone).format(ms);
  const clock = formatter(STYLES.t, timeZone).format(postedMs);
  if (dayOf(postedMs) === dayOf(nowMs)) return clock;
  if (dayOf(postedMs) === dayOf(nowMs - 86_400_000)) return `${YESTERDAY.get(language) ?? 'Yesterday at'} ${clock}`;
  return `${dayOf(postedMs)}, ${clock}`;
}

/** Formats the day a message was posted on, for the divider between two days. */
export function formatDay(postedMs: number, timeZone?: string): string {
  return formatter({ dateStyle: 'long' }, timeZone).format(postedMs);
}
