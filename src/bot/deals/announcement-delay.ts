import type { Announcement } from './announcement.ts';

/**
 * How long after its start, by the catalog, something is announced, in milliseconds; null where it is not its start that
 * is announced, or the catalog does not tell it. What started while nobody followed it and is caught up with counts too.
 */
export function announcementDelayMs({ kind, item }: Announcement, postedAtMs: number): number | null {
  const isOfStart = kind === 'new-offer' || kind === 'event-started' || kind === 'new-dealcast';
  if (!isOfStart || !('startDateMs' in item) || item.startDateMs === null) return null;
  return Math.max(0, postedAtMs - item.startDateMs);
}
