import type { Timing } from '../../src/bot/deals/subscription.ts';
import { parseHours, parseTimeOfDay, timeZoneNamed, timeZonesNear } from '../../src/bot/deals/time-of-day.ts';
import { isTimeZone } from '../../src/bot/deals/timing.ts';
import { message } from '../../src/bot/discord/i18n/translator.ts';
import { escapeLine } from '../../src/bot/discord/markdown.ts';
import { InputError } from './typed-options.ts';

/** Times as typed by a person; null keeps the present value. */
export interface WrittenTimes {
  mode: Timing['mode'] | null;
  /** The time of a daily digest. */
  at: string | null;
  timeZone: string | null;
  /** Empty or `off` for none. */
  quietHours: string | null;
}

/** @throws InputError that names the invalid value and its format */
export function timingFrom(before: Timing, { mode, at, timeZone, quietHours }: WrittenTimes): Timing {
  return {
    mode: mode ?? before.mode,
    dailyAtMinute: at === null ? before.dailyAtMinute : requireTime(at),
    timeZone: timeZone === null ? before.timeZone : requireTimeZone(timeZone),
    quiet: quietHours === null ? before.quiet : requireHours(quietHours),
  };
}

function requireTime(text: string): number {
  const minute = parseTimeOfDay(text);
  if (minute === null) throw new InputError(['at'], message('times.noTime', { text: escapeLine(text) }));
  return minute;
}

function requireTimeZone(text: string): string {
  const zone = timeZoneNamed(text);
  if (zone === null || !isTimeZone(zone)) {
    const told = { text: escapeLine(text), zones: { either: timeZonesNear(text) } };
    throw new InputError(['time-zone'], message('times.noZone', told));
  }
  return zone;
}

function requireHours(text: string): Timing['quiet'] {
  if (['', 'off', '-'].includes(text.trim().toLowerCase())) return null;
  const hours = parseHours(text);
  if (hours === null) throw new InputError(['quiet-hours'], message('times.noHours', { text: escapeLine(text) }));
  return hours;
}
