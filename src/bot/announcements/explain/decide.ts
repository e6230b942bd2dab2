import type { Announcement, AnnouncementKind } from '../../deals/announcement.ts';
import type { Decision, DecisionStep, Verdict } from '../../deals/decision.ts';
import { evaluate, explain, type Filter, subjectOfOffer } from '../../deals/filter/index.ts';
import { historyOf } from '../../deals/history.ts';
import { feedKey, type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import { hasEnded } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { announcementsOf, isLive, partOf, shownOf, unnoticed, unsuitedTo } from '../kinds/index.ts';
import { deliveryId } from '../outbox/enqueue.ts';
import { type ChannelFacts, type Outcome, outcomesOf, waitingFor } from './outcomes.ts';

/** All that bears on whether a subscription announced an offer. Times are epoch milliseconds. */
export interface Facts extends ChannelFacts {
  offerId: string;
  /** null where it can't be read. */
  filter: Filter | null;
  /** undefined where the offer is not known, or is known no more. */
  known: KnownOffer | undefined;
  /** What there is to tell of it as an offer of the events that the subscription follows. */
  inEvents: readonly PastThing[];
  /** How feeds are spelled, by their names as `feedKey` makes them. */
  feedNames: ReadonlyMap<string, string>;
  /** What the subscription follows. */
  source: SourceFacts;
}

/** A thing that is no offer of a feed, or a part of one, and when it was first seen: epoch milliseconds. */
export interface PastThing {
  announcement: Announcement;
  firstSeenMs: number;
}

export interface SourceFacts {
  /** When it was first seen whole, and when it was last read; null where it never was. */
  firstSeenMs: number | null;
  polledAtMs: number | null;
  isCutOff: boolean;
  /** null where the last try to read it succeeded. */
  failingSinceMs: number | null;
  /** When the requests for it return; null while there are some left. */
  spentUntilMs: number | null;
}

/** Something that happened to an offer where the subscription looks. */
interface Happening {
  announcement: Announcement;
  /** As it was then. */
  offer: Offer;
  deliveryId: string;
  atMs: number;
  isNews: boolean;
}

type IdFacts = Pick<Facts, 'known' | 'inEvents' | 'subscription' | 'offerId'>;

/** The deliveries that an offer can have become in the subscription's channel. */
export function idsOf(facts: IdFacts): string[] {
  return [...new Set([idAsNew(facts.offerId, facts.subscription), ...kindsById(facts).keys()])];
}

/** What each of these deliveries tells, where that is known. */
function kindsById({ known, inEvents, subscription, offerId }: IdFacts): Map<string, AnnouncementKind> {
  const happenings = happeningsOf({ known, inEvents, subscription });
  // What was told of an offer that its event has lost since is known by its id alone.
  const ofParts = partKindsOf(subscription).map((kind) => ({ kind, subject: offerId, occurrence: '' }));
  return new Map(
    [...happenings.map(({ announcement }) => announcement), ...ofParts].map((announcement) => [
      deliveryId(subscription.channelId, announcement),
      announcement.kind,
    ]),
  );
}

/** The kinds that tell of the offers of events, as far as the subscription asks for them. */
function partKindsOf({ kinds }: Subscription): AnnouncementKind[] {
  return kinds.filter((kind) => unnoticed(kind) !== null);
}

/** What is known of the way of an offer to a channel, and what decided. */
export function decide(facts: Facts): Decision {
  const { offerId, subscription, known, inEvents, posts } = facts;
  const told = happened(facts);
  const [shown] = [...posts, ...inEvents]
    .map(({ announcement }) => shownOf(announcement))
    .filter((candidate) => candidate.as === 'offer');
  return {
    offerId,
    offer: known ? shownOffer(known) : (shown?.item ?? null),
    subscription,
    steps: [...sightings(facts), ...obstacles(facts, told), ...told, ...standing(facts)],
  };
}

function sightings({ known, feedNames }: Facts): DecisionStep[] {
  if (!known) return [];
  const seen = Object.entries(known.feeds)
    .map(([key, { firstSeenMs: atMs, goneSinceMs }]) => ({
      step: 'seen' as const,
      feed: feedNames.get(key) ?? key,
      atMs,
      goneSinceMs,
    }))
    .sort((a, b) => a.atMs - b.atMs);
  return known.overAtMs === null ? seen : [...seen, { step: 'over', because: endOf(known), atMs: known.overAtMs }];
}

function endOf({ offer, overAtMs }: KnownOffer): 'sold-out' | 'ended' | 'left' {
  if (offer.isSoldOut) return 'sold-out';
  return overAtMs !== null && hasEnded(offer, overAtMs) ? 'ended' : 'left';
}

/** Why it may not have been seen. */
function obstacles({ subscription, known, source }: Facts, told: readonly DecisionStep[]): DecisionStep[] {
  const steps: DecisionStep[] = [];
  if (subscription.source.kind !== 'feed') {
    const kinds = partKindsOf(subscription);
    if (kinds.length === 0) return [{ step: 'no-offers' }];
    const noticed = new Set(told.flatMap((step) => ('kind' in step ? [step.kind] : [])));
    steps.push(...kinds.filter((kind) => !noticed.has(kind)).map((kind) => ({ step: 'unnoticed' as const, kind })));
  } else if (!known?.feeds[feedKey(subscription.source.feed)]) {
    steps.push({ step: 'unseen', lastReadMs: source.polledAtMs });
    if (source.isCutOff) steps.push({ step: 'cut-off' });
  }
  if (source.failingSinceMs !== null) steps.push({ step: 'failing', sinceMs: source.failingSinceMs });
  if (source.spentUntilMs !== null) steps.push({ step: 'quota-spent', resetsAtMs: source.spentUntilMs });
  return steps;
}

/** How the subscription stands now, and whether that is how it stood when it mattered. */
function standing({ known, subscription }: Facts): DecisionStep[] {
  const { pausedBy, problem, changedAtMs } = subscription;
  const isJudgedLater = changedAtMs !== undefined && known !== undefined && known.firstSeenMs < changedAtMs;
  return [
    ...(isJudgedLater ? [{ step: 'changed' as const, atMs: changedAtMs }] : []),
    ...(pausedBy === null ? [] : [{ step: 'paused' as const, by: pausedBy }]),
    ...(problem === null ? [] : [{ step: 'blocked' as const, problem }]),
  ];
}

/** Oldest first. */
function happened(facts: Facts): DecisionStep[] {
  const happenings = happeningsOf(facts);
  const kinds = kindsById(facts);
  const outcomes = outcomesOf(facts, (id) => kinds.get(id));
  const byRecord = new Set(happenings.map((happening) => happening.deliveryId));
  const told = happenings.map((happening) => ({
    step: 'happened' as const,
    kind: happening.announcement.kind,
    atMs: happening.atMs,
    verdict: verdictOf(happening, outcomes, facts),
    terms: termsOf(happening, facts),
  }));
  // The bot remembers what it has posted for longer than the offer.
  const remembered = outcomes
    .filter(({ isOwn, deliveryId }) => isOwn && !byRecord.has(deliveryId))
    .map(({ kind, verdict }) => ({ step: 'happened' as const, kind, atMs: verdict.atMs, verdict, terms: [] }));
  const forOthers = outcomes.flatMap(({ kind, verdict, isOwn }) =>
    isOwn || verdict.is !== 'posted'
      ? []
      : [{ step: 'posted-for-others' as const, kind, atMs: verdict.atMs, at: verdict.at }],
  );
  return [...told, ...remembered, ...forOthers].sort((a, b) => a.atMs - b.atMs);
}

function happeningsOf({
  known,
  inEvents,
  subscription,
}: Pick<IdFacts, 'known' | 'inEvents' | 'subscription'>): Happening[] {
  const { source, channelId } = subscription;
  if (source.kind !== 'feed') return inEvents.flatMap((part) => happeningInEvent(part, channelId));
  if (!known) return [];
  const feed = feedKey(source.feed);
  return historyOf(known)
    .filter(({ change }) => change.feeds.includes(feed))
    .flatMap(({ change, atMs, isNews }) =>
      announcementsOf(change).map((announcement) => ({
        announcement,
        offer: change.known.offer,
        deliveryId: deliveryId(channelId, announcement),
        atMs,
        isNews,
      })),
    );
}

function happeningInEvent({ announcement, firstSeenMs }: PastThing, channelId: string): Happening[] {
  const { as, item } = shownOf(announcement);
  if (as !== 'offer') return [];
  const id = deliveryId(channelId, announcement);
  return [{ announcement, offer: item, deliveryId: id, atMs: firstSeenMs, isNews: true }];
}

/** The id of the post that tells of it as something new: known even where the offer is not. */
function idAsNew(offerId: string, { channelId }: Subscription): string {
  return deliveryId(channelId, { kind: 'new-offer', subject: offerId, occurrence: '' });
}

/** The first reason that settles it: what has become of it, what was recorded then, and only then today's settings. */
function verdictOf(
  { announcement, offer, deliveryId: id, atMs, isNews }: Happening,
  outcomes: readonly Outcome[],
  facts: Facts,
): Verdict {
  const { subscription, filter, source } = facts;
  const outcome = outcomes.find((candidate) => candidate.deliveryId === id && candidate.isOwn);
  if (outcome) return outcome.verdict;
  const waiting = waitingFor(id, facts);
  if (waiting) return waiting;

  const isFirstSight = source.firstSeenMs !== null && atMs <= source.firstSeenMs;
  if (!isNews || (isFirstSight && partOf(announcement) !== null)) {
    return { is: isFirstSight ? 'first-sight' : 'unfollowed' };
  }
  if (atMs < subscription.createdAtMs) return { is: 'before-subscription', createdAtMs: subscription.createdAtMs };
  if (!isLive(announcement, atMs)) {
    return { is: 'over-when-seen', because: offer.isSoldOut ? 'sold-out' : 'ended' };
  }

  if (!subscription.kinds.includes(announcement.kind)) return { is: 'kind-not-wanted' };
  if (unsuitedTo(announcement, subscription)) return { is: 'unsuited', announcement };
  if (!filter) return { is: 'filter-unreadable' };
  return { is: evaluate(filter, subjectOfOffer(offer), atMs) ? 'unrecorded' : 'filtered' };
}

function termsOf({ offer, atMs }: Happening, { filter }: Facts) {
  return filter ? explain(filter, subjectOfOffer(offer), atMs).terms : [];
}
