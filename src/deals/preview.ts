import type { Announcement } from './announcement.ts';
import type { Subscription } from './subscription.ts';
import { dueAt } from './timing.ts';

/** The announcements that a subscription's current settings would have made lately. Times are epoch milliseconds. */
export interface Preview {
  subscription: Subscription;
  /** The days covered, oldest first, in the subscription's time zone; the last one is today and incomplete. */
  days: { startMs: number; count: number }[];
  /**
   * The announcements, newest first, each with the entity's state at that moment and the roles that it would have rung.
   * `isNews`: the bot saw it happen; what was there at the first poll is dated by its start.
   */
  entries: { announcement: Announcement; atMs: number; isNews: boolean; roleIds: readonly string[] }[];
  /**
   * Since when the bot has data about the source; `lastReadMs` is the last poll. Null where it never polled the source.
   */
  knownSinceMs: number | null;
  lastReadMs: number | null;
  /** Whether the catalog truncates the source, so that the bot knows only part of it. */
  isCutOff: boolean;
  /** Whether only entities that are still listed are known. */
  onlyListed: boolean;
  /** False where the filter has a mistake. */
  isReadable: boolean;
}

/** How often a role would have been rung: for each post, or for each digest. @public for features */
export function ringsIn({ subscription, entries }: Pick<Preview, 'subscription' | 'entries'>, roleId: string): number {
  const { timing } = subscription;
  const rung = entries.filter(({ roleIds }) => roleIds.includes(roleId));
  if (timing.mode === 'at-once') return rung.length;
  return new Set(rung.map(({ atMs }) => dueAt(timing, atMs).dueAtMs)).size;
}
