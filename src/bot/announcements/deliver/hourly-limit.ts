const HOUR_MS = 3_600_000;
/** With more, roll-ups would come closer together than every five minutes. */
const MOST_KEPT = 12;

/** When something was done, and to what. */
export interface Done {
  id: string;
  atMs: number;
}

/**
 * How many of an hour's posts are kept for roll-ups: half of them, two where there are two, twelve at most. They come a share
 * of the hour apart, so that nothing that waits for room waits longer than that share.
 */
export function keptForRollUps(most: number): number {
  return Math.min(most, MOST_KEPT, Math.max(2, Math.ceil(most / 2)));
}

/** Whether the next post uses a place that is kept for roll-ups: then it tells all that waits. */
export function isRollUpNext(posted: readonly Done[], most: number): boolean {
  return posted.length >= most - keptForRollUps(most);
}

/**
 * When a channel's next post may be made: epoch milliseconds, in the past where it may be made now. No hour sees more than
 * `most` posts. Whatever waits, the time since the last post is at most an hour divided by the posts that are kept for
 * roll-ups, unless more than `most` posts were made before, when that was higher.
 * @param posted what was posted within the past hour, oldest first
 */
export function nextPostAtMs(posted: readonly Done[], most: number): number {
  const kept = keptForRollUps(most);
  const last = posted.at(-1);
  if (!last) return 0;
  const spacedMs = last.atMs + Math.ceil(HOUR_MS / kept);
  return Math.max(freeAt(posted, most), Math.min(freeAt(posted, most - kept + 1), spacedMs));
}

/** When the next may be done so that no hour sees more than `most`: epoch milliseconds, in the past where it may be now. */
export function freeAt(done: readonly Done[], most: number): number {
  const oldest = done[done.length - most];
  return oldest ? oldest.atMs + HOUR_MS : 0;
}
