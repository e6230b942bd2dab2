import { type Announcement, startOf } from '../../deals/announcement.ts';
import { evaluate, type Filter, type FilterSubject, matchedTerms } from '../../deals/filter/index.ts';
import { filterOf } from '../../deals/filter-of.ts';
import { historyOf } from '../../deals/history.ts';
import { feedKey, type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import { newestFirst } from '../../deals/life.ts';
import type { Preview } from '../../deals/preview.ts';
import type { Setting } from '../../deals/settings.ts';
import { type ResourceKey, resourceOf, type Subscription } from '../../deals/subscription.ts';
import { lastDays } from '../../deals/timing.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Clock } from '../../shared/clock.ts';
import { flatMapInTurns } from '../../shared/turns.ts';
import type { Store } from '../../store/store.ts';
import { type CurrentState, withItem } from '../current-state.ts';
import { type Mentions, NO_MENTIONS, type RolesOf } from '../deliver/mentions.ts';
import {
  announcementsOf,
  entityKey,
  hasStarted,
  isLive,
  knownAs,
  partOf,
  partsOf,
  rankOf,
  subjectOf,
} from '../kinds/index.ts';
import { KINDS_OF } from '../kinds/of-source.ts';
import { wants } from '../match/match.ts';

/** The live entities of a subscription's source that pass its filter. */
export interface Sample {
  /**
   * How many entities are live, and how many of them pass the filter, regardless of announcement kinds and of a pause.
   */
  all: number;
  matching: number;
  /** The newest entity that passes, as if it were new, and the matching terms of the filter; null for none. */
  newest: { announcement: Announcement; terms: string[] } | null;
}

/** @param settings all those that a subscription can have */
export function sampleOf(
  subscription: Subscription,
  candidates: readonly Candidate[],
  settings: readonly Setting[],
  nowMs: number,
): Sample {
  const { all, matching, filter } = liveMatches(subscription, candidates, settings, nowMs);
  const [newest] = newestFirst(
    matching.map((candidate) => ({ ...candidate, startDateMs: startOf(candidate.announcement) })),
  );
  return {
    all: all.length,
    matching: matching.length,
    newest:
      newest && filter
        ? { announcement: newest.announcement, terms: matchedTerms(filter, newest.subject, nowMs) }
        : null,
  };
}

/** An entity of a source, as it would be announced, with what filters look at. */
export interface Candidate {
  announcement: Announcement;
  subject: FilterSubject;
}

export function withSubject(announcement: Announcement): Candidate {
  return { announcement, subject: subjectOf(announcement) };
}

/**
 * The live entities, and those of them that pass the subscription's filter, regardless of announcement kinds and of a
 * pause. `filter` is null where it can't be read; then none passes.
 */
export function liveMatches(
  subscription: Subscription,
  candidates: readonly Candidate[],
  settings: readonly Setting[],
  nowMs: number,
): { all: Candidate[]; matching: Candidate[]; filter: Filter | null } {
  const all = candidates.filter(({ announcement }) => hasStarted(announcement, nowMs) && isLive(announcement, nowMs));
  const filter = filterOf(subscription, settings);
  if (filter === null) return { all, matching: [], filter };
  const open: Subscription = { ...subscription, pausedBy: null, kinds: [...KINDS_OF[subscription.source.kind].all] };
  const matching = all.filter(
    ({ announcement, subject }) => wants(open, announcement) && evaluate(filter, subject, nowMs),
  );
  return { all, matching, filter };
}

/** The offer as it is announced when it is new. */
export function asNew(known: KnownOffer): Announcement {
  return { kind: 'new-offer', subject: known.offer.id, occurrence: '', item: shownOffer(known) };
}

/** An entity other than a feed's offer, or a part of one, and when it was first seen: epoch milliseconds. */
export interface SeenEntity {
  announcement: Announcement;
  firstSeenMs: number;
}

export interface PreviewParts {
  store: Pick<Store, 'resources' | 'known'>;
  offers: Pick<OfferBook, 'all'>;
  currentState: Pick<CurrentState, 'seen'>;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  /** Absent: no post mentions anybody. */
  mentions?: Mentions;
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

const DAYS = 7;

/** The subscription to preview, and the days to replay, up to now. */
interface PreviewContext {
  subscription: Subscription;
  /** null where it can't be read. */
  filter: Filter | null;
  rolesOf: RolesOf;
  /** When its resource was first read whole: epoch milliseconds; null where it never was. */
  firstReadMs: number | null;
  /** When each day began, oldest first and today last: epoch milliseconds. */
  dayStartsMs: readonly number[];
  nowMs: number;
}

/** An announcement that would have been made at a moment. */
interface DatedAnnouncement {
  /** As it was then, but over if it is over now. */
  announcement: Announcement;
  atMs: number;
  /** Whether the bot saw it happen. */
  isNews: boolean;
  /** The roles that it would have mentioned. */
  roleIds: readonly string[];
}

/**
 * The announcements that the last seven days would have brought, as far as they are known. Rejects with a StoreError.
 */
export async function preview(subscription: Subscription, parts: PreviewParts): Promise<Preview> {
  const resource = resourceOf(subscription.source);
  const nowMs = parts.clock.now();
  const record = parts.store.resources.get(resource);
  const context: PreviewContext = {
    subscription,
    filter: filterOf(subscription, parts.settings),
    rolesOf: (parts.mentions ?? NO_MENTIONS).begin(),
    firstReadMs: record?.firstSeenMs ?? null,
    dayStartsMs: lastDays(DAYS, subscription.timing.timeZone, nowMs),
    nowMs,
  };
  const entities = await entitiesOf(resource, parts);
  const ofEntities = entities.flatMap((entity) => announcementsOfEntity(context, entity));
  const offers = [...parts.offers.all()];
  const ofOffers = await flatMapInTurns(offers, (offer) => announcementsOfOffer(context, offer), parts);
  const announcements = [...ofEntities, ...ofOffers];
  const { dayStartsMs, firstReadMs, filter } = context;
  const entries = onceEach(announcements.toSorted((a, b) => a.atMs - b.atMs)).reverse();
  return {
    subscription,
    days: dayStartsMs.map((startMs, index) => {
      const endMs = dayStartsMs[index + 1] ?? Number.POSITIVE_INFINITY;
      return { startMs, count: entries.filter(({ atMs }) => atMs >= startMs && atMs < endMs).length };
    }),
    entries,
    knownSinceMs: firstReadMs,
    lastReadMs: record?.polledAtMs ?? null,
    isCutOff: record?.isCutOff ?? false,
    isOfPresent: subscription.source.kind !== 'feed',
    isReadable: filter !== null,
  };
}

/**
 * The known entities of a non-feed resource and the announcements about their parts; none until it was polled since the
 * start.
 */
export async function entitiesOf(
  resource: ResourceKey,
  { store, currentState }: Pick<PreviewParts, 'store' | 'currentState'>,
): Promise<SeenEntity[]> {
  const seen = currentState.seen(resource)?.announcements ?? [];
  const announcements = [...seen, ...seen.flatMap(partsOf)];
  const records = await store.known.among(resource, announcements.map(knownAs));
  return announcements.flatMap((announcement) => {
    const record = records.get(knownAs(announcement));
    return record ? [{ announcement, firstSeenMs: record.firstSeenMs }] : [];
  });
}

/** The announcements of an offer that the subscription, as it is set now, would have made, paused or not. */
function announcementsOfOffer(context: PreviewContext, known: KnownOffer): DatedAnnouncement[] {
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
        const roleIds = rolesIn(context, announcement, cameAtMs);
        return [{ announcement: withItem(announcement, shown), atMs: cameAtMs, isNews, roleIds }];
      }),
    );
}

/** Like `announcementsOfOffer`, for any other entity. */
function announcementsOfEntity(
  context: PreviewContext,
  { announcement, firstSeenMs }: SeenEntity,
): DatedAnnouncement[] {
  const firstPollMs = context.firstReadMs;
  const isSeenComing = firstPollMs !== null && firstSeenMs > firstPollMs;
  const atMs = isSeenComing ? firstSeenMs : unseenArrival(announcement, firstSeenMs);
  if (atMs === null || !isTaken(context, announcement, atMs)) return [];
  return [{ announcement, atMs, isNews: isSeenComing, roleIds: rolesIn(context, announcement, atMs) }];
}

function rolesIn(
  { subscription, rolesOf }: PreviewContext,
  announcement: Announcement,
  atMs: number,
): readonly string[] {
  return rolesOf(subscription, announcement, { nowMs: atMs });
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
 * ranks first. It rings the roles of all.
 */
function onceEach(announcements: readonly DatedAnnouncement[]): DatedAnnouncement[] {
  const momentOf = ({ announcement, atMs }: DatedAnnouncement) => `${entityKey(announcement)} ${atMs}`;
  const first = new Map<string, number>();
  const rung = new Map<string, string[]>();
  for (const dated of announcements) {
    const rank = rankOf(dated.announcement);
    const moment = momentOf(dated);
    first.set(moment, Math.min(rank, first.get(moment) ?? rank));
    rung.set(moment, [...(rung.get(moment) ?? []), ...dated.roleIds]);
  }
  const seen = new Set<string>();
  return announcements
    .filter((dated) => {
      const { kind, subject, occurrence } = dated.announcement;
      const key = `${kind} ${subject} ${occurrence}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return rankOf(dated.announcement) === first.get(momentOf(dated));
    })
    .map((dated) => ({ ...dated, roleIds: [...new Set(rung.get(momentOf(dated)))] }));
}
