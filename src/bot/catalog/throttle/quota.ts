import type { Lane } from '../catalog.ts';

const DAY_MS = 86_400_000;

/** Days since the epoch, in UTC: the quota "resets at 00:00:00 UTC each day" (specification: "Portal throttling"). */
export function dayOf(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS);
}

/** The first moment of a day: epoch milliseconds. */
export function startOfDayMs(day: number): number {
  return day * DAY_MS;
}

/** `2026-11-21` */
export function formatDay(day: number): string {
  return new Date(startOfDayMs(day)).toISOString().slice(0, 10);
}

/** The inverse of `formatDay`. */
export function parseDay(text: string): number {
  return dayOf(Date.parse(`${text}T00:00:00Z`));
}

/** The daily requests that are reserved for people: a tenth and at least 20, but never more than half. */
export function reserveOf(limit: number): number {
  return Math.min(Math.floor(limit / 2), Math.max(20, Math.ceil(limit / 10)));
}

/** The requests that a lane may still make today; only people may spend the reserve. */
export function remainingFor(lane: Lane, spent: number, limit: number): number {
  return Math.max(0, limit - spent - (lane === 'interactive' ? 0 : reserveOf(limit)));
}
