import { type Announcement, newestAnnouncedFirst, startOf } from '../../deals/announcement.ts';
import { type Filter, type FilterSubject, matchedTerms } from '../../deals/filter/index.ts';
import { filterOf } from '../../deals/filter-of.ts';
import { historyOf } from '../../deals/history.ts';
import { feedKey, type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Preview } from '../../deals/preview.ts';
import type { Setting } from '../../deals/settings.ts';
import { type ResourceKey, resourceOf, type Subscription } from '../../deals/subscription.ts';
import { lastDays } from '../../deals/timing.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Clock } from '../../shared/clock.ts';
import { flatMapInTurns } from '../../shared/turns.ts';
import type { Records } from '../../store/store.ts';
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
import { judge } from '../match/judge.ts';

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
  const live = candidates.filter(({ announcement }) => hasStarted(announcement, nowMs) && isLive(announcement, nowMs));
  const filter = filterOf(subscription, settings);
  const open: Subscription = { ...subscription, pausedBy: null, kinds: [...KINDS_OF[subscription.source.kind].all] };
  const matching = live.filter(
    ({ announcement, subject }) => judge(announcement, open, { filter, subject, atMs: nowMs }).is === 'wanted',
  );
  const [newest] = newestAnnouncedFirst(matching);
  const terms = newest && filter ? matchedTerms(filter, newest.subject, nowMs) : [];
  return {
    all: live.length,
    matching: matching.length,
    newest: newest ? { announcement: newest.announcement, terms } : null,
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

/** The offer as it is announced when it is new. */
export function asNew(known: KnownOffer): Announcement {
  return { kind: 'new-offer', subject: known.offer.id, occurrence: '', item: shownOffer(known) };
}

/** An announcement of something that happened. */
export interface PastAnnouncement {
  announcement: Announcement;
  /** When the bot saw it: epoch milliseconds. */
  atMs: number;
  /** False where it was there at the first poll, or nobody followed its resource at that time. */
  isNews: boolean;
  /** The fields that are not known yet. */
  undecided?: readonly string[] | undefined;
}

export interface PreviewParts {
  store: Pick<Records, 'resources' | 'known'>;
  offers: Pick<OfferBook, 'all'>;
  currentState: Pick<CurrentState, 'seen'>;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  /** Absent: no post mentions anybody. */
  mentions?: Mentions;
  clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

const DAYS = 7;

/** The subscription to preview, as if it weren't paused, and the days to replay, up to now. */
interface PreviewContext {
  subscription: Subscription;
  /** null where it can't be read. */
  filter: Filter | null;
  rolesOf: RolesOf;
  /** When each day began, oldest first and today last: epoch milliseconds. */
  dayStartsMs: readonly number[];
  nowMs: number;
}

/** An announcement that would have been made: as it was then, but over if it is over now. */
interface DatedAnnouncement extends PastAnnouncement {
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
    subscription: { ...subscription, pausedBy: null },
    filter: filterOf(subscription, parts.settings),
    rolesOf: (parts.mentions ?? NO_MENTIONS).begin(),
    dayStartsMs: lastDays(DAYS, subscription.timing.timeZone, nowMs),
    nowMs,
  };
  const entities = await pastOfEntities(resource, parts);
  const ofEntities = entities.flatMap((past) => takenBy(context, past));
  const offers = [...parts.offers.all()];
  const ofOffers = await flatMapInTurns(offers, (offer) => takenOfOffer(context, offer), parts);
  const { dayStartsMs, filter } = context;
  const entries = onceEach([...ofEntities, ...ofOffers].toSorted((a, b) => a.atMs - b.atMs)).reverse();
  return {
    subscription,
    days: dayStartsMs.map((startMs, index) => {
      const endMs = dayStartsMs[index + 1] ?? Number.POSITIVE_INFINITY;
      return { startMs, count: entries.filter(({ atMs }) => atMs >= startMs && atMs < endMs).length };
    }),
    entries,
    knownSinceMs: record?.firstSeenMs ?? null,
    lastReadMs: record?.polledAtMs ?? null,
    isCutOff: record?.isCutOff ?? false,
    onlyListed: subscription.source.kind !== 'feed',
    isReadable: filter !== null,
  };
}

/**
 * What is known of the entities of a non-feed resource and of their parts; nothing until it was polled since the start.
 * Rejects with a StoreError.
 */
export async function pastOfEntities(
  resource: ResourceKey,
  { store, currentState }: Pick<PreviewParts, 'store' | 'currentState'>,
): Promise<PastAnnouncement[]> {
  const seen = currentState.seen(resource)?.announcements ?? [];
  const announcements = [...seen, ...seen.flatMap(partsOf)];
  const records = await store.known.among(resource, announcements.map(knownAs));
  const firstReadMs = store.resources.get(resource)?.firstSeenMs ?? Number.POSITIVE_INFINITY;
  return announcements.flatMap((announcement) => {
    const atMs = records.get(knownAs(announcement))?.firstSeenMs;
    return atMs === undefined ? [] : [{ announcement, atMs, isNews: atMs > firstReadMs }];
  });
}

/** What happened to an offer in a feed, oldest first. */
export function pastOfOffer(known: KnownOffer, feed: string): PastAnnouncement[] {
  return historyOf(known)
    .filter(({ change }) => change.feeds.includes(feedKey(feed)))
    .flatMap(({ change, atMs, isNews }) =>
      announcementsOf(change).map((announcement) => ({ announcement, atMs, isNews, undecided: change.undecided })),
    );
}

function takenOfOffer(context: PreviewContext, known: KnownOffer): DatedAnnouncement[] {
  const { source } = context.subscription;
  if (source.kind !== 'feed') return [];
  if (!known.feeds[feedKey(source.feed)] || (known.overAtMs !== null && !isWithin(context, known.overAtMs))) return [];
  const { isSoldOut, endDateMs } = shownOffer(known);
  return pastOfOffer(known, source.feed)
    .flatMap((past) => takenBy(context, past))
    .map(({ announcement, ...dated }) => ({
      ...dated,
      announcement: withItem(announcement, { ...(announcement.item as Offer), isSoldOut, endDateMs }),
    }));
}

/** The announcement, dated by when its thing came, if the subscription would have made it. */
function takenBy(context: PreviewContext, { announcement, isNews, ...seen }: PastAnnouncement): DatedAnnouncement[] {
  const { subscription, filter, rolesOf } = context;
  const atMs = isNews ? seen.atMs : unseenArrival(announcement, seen.atMs);
  if (atMs === null || !isWithin(context, atMs) || !isLive(announcement, atMs)) return [];
  if (judge(announcement, subscription, { ...seen, filter, atMs }).is !== 'wanted') return [];
  return [{ announcement, atMs, isNews, roleIds: rolesOf(subscription, announcement, { nowMs: atMs }) }];
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
