import { type Announcement, startOf } from '../../deals/announcement.ts';
import { evaluate, type Filter } from '../../deals/filter/index.ts';
import { historyOf } from '../../deals/history.ts';
import { feedKey, type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import type { Preview } from '../../deals/preview.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { lastDays } from '../../deals/timing.ts';
import { withItem } from '../current-state.ts';
import { announcementsOf, entityKey, isLive, partOf, rankOf } from '../kinds/index.ts';
import { subjectOf, wants } from '../match/match.ts';
import type { SeenEntity, SourceFacts } from './decide.ts';

const DAYS = 7;

/** The subscription to preview, and the days to replay, up to now. */
export interface PreviewContext {
  subscription: Subscription;
  /** null where it can't be read. */
  filter: Filter | null;
  source: Pick<SourceFacts, 'firstSeenMs' | 'polledAtMs' | 'isCutOff'>;
  /** When each day began, oldest first: epoch milliseconds. */
  dayStartsMs: readonly number[];
  nowMs: number;
}

/** The beginnings of the days to replay, today last: epoch milliseconds. */
export function previewDays({ timing }: Subscription, nowMs: number): number[] {
  return lastDays(DAYS, timing.timeZone, nowMs);
}

/** An announcement that would have been made at a moment. */
interface DatedAnnouncement {
  /** As it was then, but over if it is over now. */
  announcement: Announcement;
  atMs: number;
}

/** The announcements of an offer that the subscription, as it is set now, would have made, paused or not. */
export function announcementsOfOffer(context: PreviewContext, known: KnownOffer): DatedAnnouncement[] {
  const { subscription } = context;
  if (subscription.source.kind !== 'feed') return [];
  const feed = feedKey(subscription.source.feed);
  if (!known.feeds[feed] || (known.overAtMs !== null && !isWithin(context, known.overAtMs))) return [];
  const { isSoldOut, endDateMs } = shownOffer(known);
  return historyOf(known)
    .filter(({ change }) => change.feeds.includes(feed))
    .flatMap(({ change, atMs, isNews }) =>
      announcementsOf(change).flatMap((announcement): DatedAnnouncement[] => {
        const cameAtMs = isNews ? atMs : unseenArrival(announcement, atMs);
        if (cameAtMs === null || !isTaken(context, announcement, cameAtMs)) return [];
        const shown = { ...change.known.offer, isSoldOut, endDateMs };
        return [{ announcement: withItem(announcement, shown), atMs: cameAtMs }];
      }),
    );
}

/** Like `announcementsOfOffer`, for any other entity. */
export function announcementsOfEntity(
  context: PreviewContext,
  { announcement, firstSeenMs }: SeenEntity,
): DatedAnnouncement[] {
  const firstPollMs = context.source.firstSeenMs;
  const isSeenComing = firstPollMs !== null && firstSeenMs > firstPollMs;
  const atMs = isSeenComing ? firstSeenMs : unseenArrival(announcement, firstSeenMs);
  return atMs !== null && isTaken(context, announcement, atMs) ? [{ announcement, atMs }] : [];
}

/** Summarises the announcements of the last days, as far as they are known. */
export function previewOf(context: PreviewContext, announcements: readonly DatedAnnouncement[]): Preview {
  const { subscription, filter, source, dayStartsMs } = context;
  const entries = onceEach(announcements.toSorted((a, b) => a.atMs - b.atMs)).reverse();
  return {
    subscription,
    days: dayStartsMs.map((startMs, index) => {
      const endMs = dayStartsMs[index + 1] ?? Number.POSITIVE_INFINITY;
      return { startMs, count: entries.filter(({ atMs }) => atMs >= startMs && atMs < endMs).length };
    }),
    entries,
    knownSinceMs: source.firstSeenMs,
    lastReadMs: source.polledAtMs,
    isCutOff: source.isCutOff,
    isOfPresent: subscription.source.kind !== 'feed',
    isReadable: filter !== null,
  };
}

function isTaken(context: PreviewContext, announcement: Announcement, atMs: number): boolean {
  const { subscription, filter } = context;
  if (!filter || !isWithin(context, atMs) || !isLive(announcement, atMs)) return false;
  return wants({ ...subscription, pausedBy: null }, announcement) && evaluate(filter, subjectOf(announcement), atMs);
}

function isWithin({ dayStartsMs: [fromMs = 0], nowMs }: PreviewContext, atMs: number): boolean {
  return fromMs <= atMs && atMs <= nowMs;
}

/**
 * When an entity arrived that was there at the first poll: its stated start; null where it states none, so that the
 * arrival is not known.
 */
function unseenArrival(announcement: Announcement, seenMs: number): number | null {
  if (partOf(announcement) !== null) return null;
  const startedMs = startOf(announcement);
  return startedMs !== null && startedMs <= seenMs ? startedMs : null;
}

/**
 * A channel gets each announcement once, and one post for all that was detected together of an entity: the kind that
 * ranks first.
 */
function onceEach(announcements: readonly DatedAnnouncement[]): DatedAnnouncement[] {
  const momentOf = ({ announcement, atMs }: DatedAnnouncement) => `${entityKey(announcement)} ${atMs}`;
  const first = new Map<string, number>();
  for (const dated of announcements) {
    const rank = rankOf(dated.announcement);
    first.set(momentOf(dated), Math.min(rank, first.get(momentOf(dated)) ?? rank));
  }
  const seen = new Set<string>();
  return announcements.filter((dated) => {
    const { kind, subject, occurrence } = dated.announcement;
    const key = `${kind} ${subject} ${occurrence}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return rankOf(dated.announcement) === first.get(momentOf(dated));
  });
}
