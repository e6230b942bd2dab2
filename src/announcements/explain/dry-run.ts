import { type Announcement, startOf } from '../../deals/announcement.ts';
import { evaluate, type Filter, type FilterSubject, matchedTerms, parseFilter } from '../../deals/filter/index.ts';
import { type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import { newestFirst } from '../../deals/life.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { hasStarted, isLive } from '../kinds/index.ts';
import { KINDS_OF } from '../kinds/of-source.ts';
import { subjectOf, wants } from '../match/match.ts';

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

export function sampleOf(subscription: Subscription, announcements: readonly Announcement[], nowMs: number): Sample {
  const { all, matching, filter } = liveMatches(subscription, announcements.map(withSubject), nowMs);
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
  { source, ...settings }: Subscription,
  candidates: readonly Candidate[],
  nowMs: number,
): { all: Candidate[]; matching: Candidate[]; filter: Filter | null } {
  const all = candidates.filter(({ announcement }) => hasStarted(announcement, nowMs) && isLive(announcement, nowMs));
  const parsed = parseFilter(settings.filter);
  if (!parsed.ok) return { all, matching: [], filter: null };
  const { filter } = parsed;
  const open: Subscription = { ...settings, source, pausedBy: null, kinds: [...KINDS_OF[source.kind].all] };
  const matching = all.filter(
    ({ announcement, subject }) => wants(open, announcement) && evaluate(filter, subject, nowMs),
  );
  return { all, matching, filter };
}

/** The offer as it is announced when it is new. */
export function asNew(known: KnownOffer): Announcement {
  return { kind: 'new-offer', subject: known.offer.id, occurrence: '', item: shownOffer(known) };
}
