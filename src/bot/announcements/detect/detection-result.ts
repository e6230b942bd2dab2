import type { Announcement } from '../../deals/announcement.ts';
import type { Detected } from '../current-state.ts';
import type { News } from '../match/match.ts';

/** The changes that a poll has brought. They take effect only when they are committed. */
export interface DetectionResult extends Detected {
  news: News[];
  /** All live entities of the resource, as the announcements for subscriptions that still catch up. */
  live(): readonly Announcement[];
  /** The start that each new entity states: epoch milliseconds, null where it states none. */
  startedAtMs: readonly (number | null)[];
  /**
   * Whether so much is missing for the first time that a second poll should follow soon; null where the same answer was
   * processed before, which says nothing about that.
   */
  isDoubtful: boolean | null;
  /** Stores the new state. Rejects with a StoreError: then the next poll detects the same changes again. */
  commit(): Promise<void>;
}
