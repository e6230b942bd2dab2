import { type Announcement, startOf } from '../../deals/announcement.ts';
import { evaluate, matchedTerms, parseFilter } from '../../deals/filter/index.ts';
import { type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import { newestFirst } from '../../deals/life.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { hasStarted, isLive } from '../kinds/index.ts';
import { KINDS_OF } from '../kinds/of-source.ts';
import { subjectOf } from '../match/audience.ts';
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

export function sampleOf(subscription: Subscription, announcements: readonly Announcement[], nowMs: number): Sample {
  const live = announcements.filter((announcement) => hasStarted(announcement, nowMs) && isLive(announcement, nowMs));
  const parsed = parseFilter(subscription.filter);
  if (!parsed.ok) return { all: live.length, matching: 0, newest: null };
  const { filter } = parsed;
  const open: Subscription = { ...subscription, pausedBy: null, kinds: [...KINDS_OF[subscription.source.kind].all] };
  const matching = live
    .filter((announcement) => wants(open, announcement) && evaluate(filter, subjectOf(announcement), nowMs))
    .map((announcement) => ({ announcement, startDateMs: startOf(announcement) }));
  const [newest] = newestFirst(matching);
  return {
    all: live.length,
    matching: matching.length,
    newest: newest
      ? { announcement: newest.announcement, terms: matchedTerms(filter, subjectOf(newest.announcement), nowMs) }
      : null,
  };
}

/** The offer as it is announced when it is new. */
export function asNew(known: KnownOffer): Announcement {
  return { kind: 'new-offer', subject: known.offer.id, occurrence: '', item: shownOffer(known) };
}
