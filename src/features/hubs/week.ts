import { latestPerEntity, scoreOfAnnouncement } from '../../announcements/kinds/index.ts';
import type { Announcement } from '../../deals/announcement.ts';
import type { Preview } from '../../deals/preview.ts';
import { byScore } from '../../deals/score.ts';
import type { StockHistory } from '../../deals/stock-history.ts';

/**
 * What a channel with several subscriptions would have got: each announcement once, the days of the first one. Undefined
 * for none.
 */
export function togetherIn(previews: readonly Preview[]): Preview | undefined {
  const [first, ...others] = previews;
  if (!first || others.length === 0) return first;
  const byId = new Map(
    previews
      .flatMap(({ entries }) => entries)
      .map((entry) => [
        JSON.stringify([entry.announcement.kind, entry.announcement.subject, entry.announcement.occurrence]),
        entry,
      ]),
  );
  const entries = [...byId.values()].toSorted((one, other) => other.atMs - one.atMs);
  return {
    ...first,
    entries,
    days: first.days.map(({ startMs }, index) => {
      const endMs = first.days[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
      return { startMs, count: entries.filter(({ atMs }) => atMs >= startMs && atMs < endMs).length };
    }),
    knownSinceMs: earliest(previews.map(({ knownSinceMs }) => knownSinceMs)),
  };
}

/** The earliest of those that are known; null for none. */
function earliest(moments: readonly (number | null)[]): number | null {
  const known = moments.filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Whether nothing was found, and watched for a day at most: of a hub that is new, there is nothing to show yet. */
export function isUnwatched({
  days,
  entries,
  knownSinceMs,
}: Pick<Preview, 'days' | 'entries' | 'knownSinceMs'>): boolean {
  return entries.length === 0 && (knownSinceMs === null || knownSinceMs >= (days.at(-1)?.startMs ?? 0));
}

/** The best of what would have been posted, each entity once. */
export function bestOf(
  { entries }: Pick<Preview, 'entries'>,
  most: number,
  stock: Pick<StockHistory, 'sellsOutAtMs'>,
  nowMs: number,
): Announcement[] {
  const scored = latestPerEntity(entries.map(({ announcement }) => announcement)).map((announcement) => ({
    announcement,
    score: scoreOfAnnouncement(announcement, stock, nowMs),
  }));
  return scored
    .toSorted((one, other) => byScore(one.score, other.score))
    .slice(0, most)
    .map(({ announcement }) => announcement);
}
