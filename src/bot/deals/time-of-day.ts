import { levenshtein } from './levenshtein.ts';

const DAY_MINUTES = 24 * 60;

/** Hours of a day, minutes after midnight. `from` may be later than `to`: then they go over midnight. */
export interface Hours {
  fromMinute: number;
  toMinute: number;
}

/** Minutes after midnight of `9`, `21:30` or `9:30 pm`; null where the text is no time of day. */
export function parseTimeOfDay(text: string): number | null {
  const match = /^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?$/i.exec(text.trim());
  if (!match) return null;
  const [, hourText, minuteText = '0', half] = match;
  const hour = Number(hourText);
  const minute = Number(minuteText);
  if (minute > 59) return null;
  if (half === undefined) return hour > 23 ? null : hour * 60 + minute;
  if (hour < 1 || hour > 12) return null;
  return ((hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)) * 60 + minute;
}

/** The hours of `22:00-7:00`; null where the text is no two times of day, or twice the same. */
export function parseHours(text: string): Hours | null {
  const [from, to, ...rest] = text.split(/[-–—]/).map(parseTimeOfDay);
  if (from === null || from === undefined || to === null || to === undefined || rest.length > 0 || from === to) {
    return null;
  }
  return { fromMinute: from, toMinute: to };
}

/** `21:30`, which `parseTimeOfDay` reads again. */
export function formatTimeOfDay(minute: number): string {
  const inDay = ((minute % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return `${String(Math.floor(inDay / 60)).padStart(2, '0')}:${String(inDay % 60).padStart(2, '0')}`;
}

export function formatHours({ fromMinute, toMinute }: Hours): string {
  return `${formatTimeOfDay(fromMinute)}–${formatTimeOfDay(toMinute)}`;
}

/** The time zones that a name or a part of one means, as the platform spells them; those that begin with it first. */
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
 * The time zone of that name as the platform spells it, or the only one that is named for that city; null where there is
 * none.
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

/** The time zones that a name which is none may have meant, the likeliest first. */
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

/** What stands behind the continent, as it is compared. */
function cityOf(zone: string): string {
  const folded = zone.trim().toLowerCase().replaceAll(' ', '_');
  return folded.slice(folded.lastIndexOf('/') + 1);
}
