import { levenshtein } from './levenshtein.ts';

/** A day of 24 hours in minutes. */
export const DAY_MINUTES = 24 * 60;

/** A daily time span in minutes after midnight. It crosses midnight where `from` is later than `to`. */
export interface Hours {
  fromMinute: number;
  toMinute: number;
}

/** Parses `9`, `21:30`, `9:30 pm`, `21 h 30` or `9 Uhr` into minutes after midnight; null where the text is no time. */
export function parseTimeOfDay(text: string): number | null {
  const match = /^(\d{1,2})(?:(?:[:.]|\s?h\s?)(\d{2})|\s?h)?\s?(am|pm|a\.\s?m\.|p\.\s?m\.|uhr)?$/i.exec(text.trim());
  if (!match) return null;
  const [, hourText, minuteText = '0', half] = match;
  const hour = Number(hourText);
  const minute = Number(minuteText);
  if (minute > 59) return null;
  if (half === undefined || /^u/i.test(half)) return hour > 23 ? null : hour * 60 + minute;
  if (hour < 1 || hour > 12) return null;
  return ((hour % 12) + (/^p/i.test(half) ? 12 : 0)) * 60 + minute;
}

/** The words between two times, and before the first, in the languages of the bot. */
const BETWEEN = /\s*[-–—]\s*|\s+(?:to|till|until|bis|à|a|hasta|and|und|et|y)\s+/i;
const BEFORE = /^\s*(?:from|between|von|zwischen|de|entre|desde)\s+/i;

/** Parses `22:00-7:00` or `10 pm to 7 am`; null where the text is not two times of day, or both are the same. */
export function parseHours(text: string): Hours | null {
  const [from, to, ...rest] = text.replace(BEFORE, '').split(BETWEEN).map(parseTimeOfDay);
  if (from === null || from === undefined || to === null || to === undefined || rest.length > 0 || from === to) {
    return null;
  }
  return { fromMinute: from, toMinute: to };
}

/** Formats a time of day as `21:30`, which `parseTimeOfDay` can parse. */
export function formatTimeOfDay(minute: number): string {
  const inDay = ((minute % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return `${String(Math.floor(inDay / 60)).padStart(2, '0')}:${String(inDay % 60).padStart(2, '0')}`;
}

export function formatHours({ fromMinute, toMinute }: Hours): string {
  return `${formatTimeOfDay(fromMinute)}–${formatTimeOfDay(toMinute)}`;
}

/** The IANA time zones whose names contain the text; those that begin with it come first. */
export function timeZonesLike(text: string): string[] {
  const wanted = text.trim().toLowerCase().replaceAll(' ', '_');
  const begins = (zone: string) =>
    zone
      .toLowerCase()
      .split('/')
      .some((part) => part.startsWith(wanted));
  return ['UTC', ...Intl.supportedValuesOf('timeZone')]
    .filter((zone) => zone.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(begins(b)) - Number(begins(a)));
}

/**
 * The IANA time zone of that name in the platform's spelling, or the only one named after that city; null where there
 * is none.
 */
export function timeZoneNamed(name: string): string | null {
  const typed = name.trim();
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: typed }).resolvedOptions().timeZone;
  } catch {
    const [zone, ...others] = timeZonesLike(typed).filter((like) => cityOf(like) === cityOf(typed));
    return zone !== undefined && others.length === 0 ? zone : null;
  }
}

const MOST_NEAR = 3;

/** Suggestions for a misspelt time zone, the most likely first. */
export function timeZonesNear(name: string): string[] {
  const like = timeZonesLike(name);
  if (like.length > 0) return like.slice(0, MOST_NEAR);
  const city = cityOf(name);
  return Intl.supportedValuesOf('timeZone')
    .map((zone) => ({ zone, mistakes: levenshtein(city, cityOf(zone)) }))
    .toSorted((a, b) => a.mistakes - b.mistakes)
    .slice(0, MOST_NEAR)
    .map(({ zone }) => zone);
}

/** The part after the continent, normalised for comparison. */
function cityOf(zone: string): string {
  const folded = zone.trim().toLowerCase().replaceAll(' ', '_');
  return folded.slice(folded.lastIndexOf('/') + 1);
}
