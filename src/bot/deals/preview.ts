import type { Announcement } from './announcement.ts';
import type { Subscription } from './subscription.ts';

/** What a subscription would have announced lately, as it is set now. Times are epoch milliseconds. */
export interface Preview {
  subscription: Subscription;
  /** The days that are looked back on, oldest first, in the subscription's time zone; the last one is not over. */
  days: { startMs: number; count: number }[];
  /** What it would have announced, newest first, each thing as it was then. */
  entries: { announcement: Announcement; atMs: number }[];
  /** Since when what it follows is known, and when it was last looked at; null where it never was. */
  knownSinceMs: number | null;
  lastReadMs: number | null;
  /** Whether the catalog cuts off what it shows there: then not all is known. */
  isCutOff: boolean;
  /** Whether only what is still there is known. */
  isOfPresent: boolean;
  /** False where its filter can't be read. */
  isReadable: boolean;
}
