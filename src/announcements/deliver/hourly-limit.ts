const HOUR_MS = 3_600_000;
/** The most posts per hour that are reserved for roll-ups: more would put them less than five minutes apart. */
const MOST_KEPT = 12;

/** A counted action: its moment and the id of its object. */
export interface Done {
  id: string;
  atMs: number;
}

/**
 * The posts per hour that are reserved for roll-ups: half of the limit, at least two where it allows two, at most
 * twelve. Roll-ups are an hour divided by that number apart, so no delivery waits for room longer than that.
 */
export function keptForRollUps(most: number): number {
  return Math.min(most, MOST_KEPT, Math.max(2, Math.ceil(most / 2)));
}

/** Whether the next post uses a place that is reserved for roll-ups: then it contains all waiting deliveries. */
export function isRollUpNext(posted: readonly Done[], most: number): boolean {
  return posted.length >= most - keptForRollUps(most);
}

/**
 * When a channel's next post may be made: epoch milliseconds, in the past where it may be made now. No hour contains
 * more than `most` posts. The pause since the last post is at most an hour divided by the posts that are reserved for
 * roll-ups, unless more than `most` posts were made earlier under a higher limit.
 * @param posted the posts of the past hour, oldest first
 */
export function nextPostAtMs(posted: readonly Done[], most: number): number {
  const kept = keptForRollUps(most);
  const last = posted.at(-1);
  if (!last) return 0;
  const spacedMs = last.atMs + Math.ceil(HOUR_MS / kept);
  return Math.max(freeAt(posted, most), Math.min(freeAt(posted, most - kept + 1), spacedMs));
}

/**
 * When the next action may be made so that no hour contains more than `most`: epoch milliseconds, in the past where it
 * may be made now.
 */
export function freeAt(done: readonly Done[], most: number): number {
  const oldest = done[done.length - most];
  return oldest ? oldest.atMs + HOUR_MS : 0;
}
