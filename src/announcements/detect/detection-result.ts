import type { Announcement, EntityUpdate } from '../../deals/announcement.ts';
import type { KnownOffer } from '../../deals/known-offer.ts';
import type { Changes } from '../../store/table/state.ts';
import type { News } from '../match/match.ts';

/** The changes that a poll has brought. They take effect only when they are stored. */
export interface DetectionResult {
  news: News[];
  /** The offers whose records change, as they are then. */
  offers: readonly KnownOffer[];
  /** The entities that posts have to show differently from now on. */
  updates: readonly EntityUpdate[];
  /** All live entities of the resource, as the announcements for subscriptions that still catch up, and for features. */
  live(): readonly Announcement[];
  /** The start that each new entity states: epoch milliseconds, null where it states none. */
  startedAtMs: readonly (number | null)[];
  /**
   * Whether so much is missing for the first time that a second poll should follow soon; null where the same answer was
   * processed before, which says nothing about that.
   */
  isDoubtful: boolean | null;
  /** Adds the new state to a commit. Where that fails, the next poll detects the same changes again. */
  save(changes: Changes): void;
}
