import type { Announcement } from '../../deals/announcement.ts';
import type { Decision, DecisionStep, Verdict } from '../../deals/decision.ts';
import { evaluate, explain, type Filter, subjectOfOffer } from '../../deals/filter/index.ts';
import { historyOf } from '../../deals/history.ts';
import { feedKey, type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import { hasEnded } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { discountOf, type PriceRange } from '../../deals/price.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { announcementsOf, isLive } from '../kinds/index.ts';
import { wants } from '../match/match.ts';
import { deliveryId } from '../outbox/enqueue.ts';
import { type ChannelFacts, type Outcome, outcomesOf, waitingFor } from './outcomes.ts';

/** All that bears on whether a subscription announced an offer. Times are epoch milliseconds. */
export interface Facts extends ChannelFacts {
  offerId: string;
  /** null where it can't be read. */
  filter: Filter | null;
  /** undefined where the offer is not known, or is known no more. */
  known: KnownOffer | undefined;
  /** How feeds are spelled, by their names as `feedKey` makes them. */
  feedNames: ReadonlyMap<string, string>;
  /** What the subscription follows. */
  source: SourceFacts;
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

/** The deliveries that an offer can have become in the subscription's channel. */
export function idsOf({ known, subscription, offerId }: Pick<Facts, 'known' | 'subscription' | 'offerId'>): string[] {
  const happenings = known ? happeningsOf(known, subscription) : [];
  return [...new Set([idAsNew(offerId, subscription), ...happenings.map((happening) => happening.deliveryId)])];
}

/** What is known of the way of an offer to a channel, and what decided. */
export function decide(facts: Facts): Decision {
  const { offerId, subscription, known, posts } = facts;
  const [posted] = posts.flatMap(({ announcement }) => ('salePrice' in announcement.item ? [announcement.item] : []));
  return {
    offerId,
    offer: known ? shownOffer(known) : (posted ?? null),
    subscription,
    steps: [...sightings(facts), ...obstacles(facts), ...happened(facts), ...standing(facts)],
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
function obstacles({ subscription, known, source }: Facts): DecisionStep[] {
  if (subscription.source.kind !== 'feed') return [{ step: 'no-offers' }];
  const steps: DecisionStep[] = [];
  if (!known?.feeds[feedKey(subscription.source.feed)]) {
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
  const happenings = facts.known ? happeningsOf(facts.known, facts.subscription) : [];
  const kinds = new Map(happenings.map(({ deliveryId, announcement }) => [deliveryId, announcement.kind]));
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

function happeningsOf(known: KnownOffer, { source, channelId }: Subscription): Happening[] {
  if (source.kind !== 'feed') return [];
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
  if (!isNews) return { is: isFirstSight ? 'first-sight' : 'unfollowed' };
  if (atMs < subscription.createdAtMs) return { is: 'before-subscription', createdAtMs: subscription.createdAtMs };
  if (!isLive(announcement, atMs)) {
    return { is: 'over-when-seen', because: offer.isSoldOut ? 'sold-out' : 'ended' };
  }

  if (!subscription.kinds.includes(announcement.kind)) return { is: 'kind-not-wanted' };
  if (announcement.kind === 'price-drop' && !wants({ ...subscription, pausedBy: null }, announcement)) {
    const percent = fellBy(announcement.before, offer.salePrice);
    return { is: 'fell-too-little', percent, wantedPercent: subscription.priceDropPercent };
  }
  if (!filter) return { is: 'filter-unreadable' };
  return { is: evaluate(filter, subjectOfOffer(offer), atMs) ? 'unrecorded' : 'filtered' };
}

/** Of the cheapest variant, which is what counts: whole percent. */
function fellBy(before: PriceRange, now: PriceRange | null): number {
  const cheapest = ({ minimum }: PriceRange) => ({ minimum, maximum: minimum });
  return discountOf(now && cheapest(now), cheapest(before))?.maximum ?? 0;
}

function termsOf({ offer, atMs }: Happening, { filter }: Facts) {
  return filter ? explain(filter, subjectOfOffer(offer), atMs).terms : [];
}
