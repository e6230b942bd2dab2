import type { Announcement } from '../../deals/announcement.ts';
import type { Detected } from '../current-state.ts';
import type { News } from '../match/match.ts';

/** What a look brought. Nothing of it counts until it is committed. */
export interface DetectionResult extends Detected {
  news: News[];
  /** All that is live there, as the announcements that those get who still catch up. */
  live(): readonly Announcement[];
  /** When what is new there says that it started. */
  startedAtMs: readonly (number | null)[];
  /**
   * Whether so much is missing for the first time that a second look should come soon; null where the same answer was
   * looked at before, which says nothing of that.
   */
  isDoubtful: boolean | null;
  /** Makes it known. Rejects with a StoreError; then the next look finds the same again. */
  commit(): Promise<void>;
}
