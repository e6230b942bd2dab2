import type { Announcement } from './announcement.ts';

/**
 * The delay between the entity's start in the catalog and its announcement, in milliseconds. Null where the
 * announcement is not about the start, or the catalog gives none. It counts catch-up posts of entities that started
 * while nobody followed the source, too.
 */
export function announcementDelayMs({ kind, item }: Announcement, postedAtMs: number): number | null {
  const isOfStart = kind === 'new-offer' || kind === 'event-started' || kind === 'new-dealcast';
  if (!isOfStart || !('startDateMs' in item) || item.startDateMs === null) return null;
  return Math.max(0, postedAtMs - item.startDateMs);
}
