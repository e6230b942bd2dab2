import type { Announcement, AnnouncementKind } from '../../deals/announcement.ts';
import type { Decision, DecisionStep, MentionOutcome, Verdict } from '../../deals/decision.ts';
import { isMissed } from '../../deals/feed-presence.ts';
import { explain, type Filter, type TermOutcome } from '../../deals/filter/index.ts';
import { feedKey, isGone, isInFeed, isOverForGood, type KnownOffer, shownOffer } from '../../deals/known-offer.ts';
import { hasEnded } from '../../deals/life.ts';
import type { PriceRange } from '../../deals/price.ts';
import type { Setting } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { openFrom } from '../../deals/timing.ts';
import {
  type Delivery,
  type DeliveryMatch,
  idsOf as idsOfDelivery,
  type LedgerEntry,
  rolesOf,
} from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import { withItem } from '../current-state.ts';
import type { SetAside } from '../deliver/deliverer.ts';
import type { Mentions } from '../deliver/mentions.ts';
import { deliveryId, isLive, rankOf, subjectOf, unnoticed } from '../kinds/index.ts';
import { judge, refusing } from '../match/judge.ts';
import { asNew, type PastAnnouncement, pastOfOffer } from './dry-run.ts';
import { offerOf } from './posted-for.ts';

/** All facts that decide whether a subscription announced an offer. Times are epoch milliseconds. */
export interface Facts {
  offerId: string;
  subscription: Subscription;
  /** All settings that it can have. */
  settings: readonly Setting[];
  /** What it takes; null where that can't be read. */
  filter: Filter | null;
  /** undefined where the offer is not known, or no longer known. */
  known: KnownOffer | undefined;
  /** The offer's announcements as a part of events that the subscription follows. */
  inEvents: readonly PastAnnouncement[];
  /** The display spelling of feeds, by their names as `feedKey` makes them. */
  feedNames: ReadonlyMap<string, string>;
  /** The resource that the subscription follows. */
  source: SourceFacts;
  /** The channel's outbox, the members of its roll-up included. */
  pending: readonly Delivery[];
  /** When the channel's next post may be made; in the past where it may be made now. */
  freeAtMs: number;
  /** Whether the application's owner has paused all posting. */
  isPostingPaused: boolean;
  /** The ledger entries of the deliveries that `kindsById` names, by id. */
  ended: ReadonlyMap<string, Ended>;
  /** The posts in the channel about the offer. */
  posts: readonly Post[];
  /** How one of these posts waits to be published, or that it was left unpublished; null where neither is so. */
  unpublished: Extract<DecisionStep, { step: 'unpublished' | 'left-unpublished' }> | null;
  /** The posts and edits in the channel that Discord keeps answering with an error. */
  setAside: readonly Pick<SetAside, 'what' | 'deliveryId' | 'againAtMs'>[];
  mentions: Pick<Mentions, 'explain'>;
  nowMs: number;
}

export interface Ended {
  entry: LedgerEntry;
  /** The subscriptions that wanted it; null where that is no longer known. */
  matches: readonly DeliveryMatch[] | null;
}

export interface SourceFacts {
  /** When the resource was first read whole, and when it was last read; null where it never was. */
  firstSeenMs: number | null;
  polledAtMs: number | null;
  isCutOff: boolean;
  /** null where the last attempt to read it succeeded. */
  failingSinceMs: number | null;
  /** When its request quota returns; null while some is left. */
  spentUntilMs: number | null;
}

/** A change of the offer in a resource that the subscription follows. */
interface Happening extends PastAnnouncement {
  deliveryId: string;
}

type Judged = Happening & { verdict: Verdict };
type PastStep = Extract<DecisionStep, { step: 'happened' | 'posted-for-others' }>;

/** How a delivery ended. */
interface Outcome {
  deliveryId: string;
  kind: AnnouncementKind;
  verdict: Extract<Verdict, { is: 'posted' | 'dropped' }>;
  /** Whether this subscription asked for it, as far as is known. */
  isOwn: boolean;
}

type IdFacts = Pick<Facts, 'known' | 'inEvents' | 'subscription' | 'offerId'>;

/** The ids of all deliveries that the offer may have caused in the subscription's channel, with the announcement kind of each. */
export function kindsById({ known, inEvents, subscription, offerId }: IdFacts): Map<string, AnnouncementKind> {
  const happenings = happeningsOf({ known, inEvents, subscription });
  // An offer that is forgotten, or that its event no longer lists, is known by its id alone.
  const forgotten = (['new-offer', ...partKindsOf(subscription)] as const).map((kind) => {
    return { kind, subject: offerId, occurrence: '' };
  });
  return new Map(
    [...forgotten, ...happenings.map(({ announcement }) => announcement)].map((announcement) => [
      deliveryId(subscription.channelId, announcement),
      announcement.kind,
    ]),
  );
}

/** The kinds for offers of events, as far as the subscription asks for them. */
function partKindsOf({ kinds }: Subscription): AnnouncementKind[] {
  return kinds.filter((kind) => unnoticed(kind) !== null);
}

/** Explains whether a subscription announced an offer: the known steps, and the verdict. */
export function decide(facts: Facts): Decision {
  const { offerId, subscription, known, inEvents, posts } = facts;
  const past = happened(facts);
  const [shown = null] = [...posts, ...inEvents].flatMap(({ announcement }) => offerOf(announcement) ?? []);
  const steps = [...sightings(facts), ...doubts(facts), ...obstacles(facts, past), ...past, ...standing(facts)];
  return {
    offerId,
    offer: known ? shownOffer(known) : shown,
    subscription,
    steps,
    reason: reasonOf(steps),
    canPost: postableOf(facts) !== null,
  };
}

/** The steps that explain why nothing of the offer was noticed, the most specific first. */
const REASONS: readonly DecisionStep['step'][] = [
  'no-offers',
  'paused',
  'posted-for-others',
  'unseen',
  'unnoticed',
  'failing',
  'quota-spent',
  'cut-off',
];

/** How the newest change ended; where none was noticed, or none of it explains anything, what kept it from that. */
function reasonOf(steps: readonly DecisionStep[]): DecisionStep | null {
  const happened = steps.filter((step) => step.step === 'happened');
  const newestMs = happened.at(-1)?.atMs;
  const doubted = steps.findLast((step) => step.step === 'doubted' && step.of !== 'other');
  if (doubted?.step === 'doubted' && doubted.atMs > (newestMs ?? Number.NEGATIVE_INFINITY)) return doubted;
  const newest = happened.filter(({ atMs }) => atMs === newestMs);
  const ended = (is: Verdict['is']) => newest.find(({ verdict }) => verdict.is === is);
  const verdict = ended('posted') ?? ended('waiting') ?? ended('undecided') ?? newest.at(-1) ?? null;
  if (verdict && verdict.verdict.is !== 'unrecorded') return verdict;
  const others = verdict ? (['paused'] as const) : REASONS;
  return (
    others.map((name) => steps.findLast(({ step }) => step === name)).find((step) => step !== undefined) ?? verdict
  );
}

/**
 * The announcement that can be posted now at a person's wish: the offer's newest change, or the offer as new where the
 * subscription's feed never listed it. Null where it is over, has ended in the ledger, is being posted, or where the
 * subscription is paused, in quiet hours or blocked.
 */
export function postableOf(facts: Facts): Announcement | null {
  const { known, subscription, ended, nowMs } = facts;
  const { source, channelId, pausedBy, problem, timing } = subscription;
  if (pausedBy !== null || problem !== null || openFrom(timing, nowMs) > nowMs) return null;
  const happenings = happeningsOf(facts);
  const newestMs = happenings.reduce((latest, { atMs }) => Math.max(latest, atMs), -Infinity);
  const newest = happenings.filter(({ atMs }) => atMs === newestMs).map(({ announcement }) => announcement);
  const candidates = newest.length > 0 || !known || source.kind !== 'feed' ? newest : [asNew(known)];
  const isTaken = (announcement: Announcement) => {
    const id = deliveryId(channelId, announcement);
    return ended.has(id) || isBeingPosted(id, facts);
  };
  const [first] = candidates
    .map((announcement) => (known ? withItem(announcement, shownOffer(known)) : announcement))
    .sort((a, b) => rankOf(a) - rankOf(b));
  return first && isLive(first, nowMs) && !candidates.some(isTaken) ? first : null;
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

/** What is not certain of the offer. */
function doubts({ known, feedNames }: Facts): DecisionStep[] {
  if (!known) return [];
  const nameOf = (key: string) => feedNames.get(key) ?? key;
  const heard = Object.entries(known.dissents ?? {}).filter(([feed]) => isInFeed(known, feed));
  return heard.flatMap(([feed, own]) =>
    Object.entries(own).map(([field, dissent]): DecisionStep => {
      const { says, sinceMs: atMs, isOlder } = dissent;
      const about = { step: 'doubted' as const, feed: nameOf(feed), atMs };
      if (isOlder) return { step: 'contradicted', feed: about.feed, atMs };
      if (field === 'isSoldOut') return { ...about, of: 'stock' };
      if (field === 'endDateMs') return { ...about, of: 'end' };
      if (field !== 'salePrice') return { ...about, of: 'other' };
      return says === null ? { ...about, of: 'noPrice' } : { ...about, of: 'price', price: says as PriceRange };
    }),
  );
}

/** The reasons for which the bot may not have seen the offer. */
function obstacles({ subscription, known, source }: Facts, past: readonly PastStep[]): DecisionStep[] {
  const steps: DecisionStep[] = [];
  if (subscription.source.kind !== 'feed') {
    const kinds = partKindsOf(subscription);
    if (kinds.length === 0) return [{ step: 'no-offers' }];
    const noticed = new Set(past.map(({ kind }) => kind));
    steps.push(...kinds.filter((kind) => !noticed.has(kind)).map((kind) => ({ step: 'unnoticed' as const, kind })));
  } else if (!known?.feeds[feedKey(subscription.source.feed)]) {
    steps.push({ step: 'unseen', lastReadMs: source.polledAtMs });
    if (source.isCutOff) steps.push({ step: 'cut-off' });
  }
  if (source.failingSinceMs !== null) steps.push({ step: 'failing', sinceMs: source.failingSinceMs });
  if (source.spentUntilMs !== null) steps.push({ step: 'quota-spent', resetsAtMs: source.spentUntilMs });
  return steps;
}

/** The subscription's current state, and whether it was the same at the decisive moment. */
function standing({ known, subscription, unpublished, posts, setAside }: Facts): DecisionStep[] {
  const { pausedBy, problem, changedAtMs } = subscription;
  const isJudgedLater = changedAtMs !== undefined && known !== undefined && known.firstSeenMs < changedAtMs;
  return [
    ...(isJudgedLater ? [{ step: 'changed' as const, atMs: changedAtMs }] : []),
    ...(pausedBy === null ? [] : [{ step: 'paused' as const, by: pausedBy }]),
    ...(problem === null ? [] : [{ step: 'blocked' as const, problem }]),
    ...(unpublished === null ? [] : [unpublished]),
    ...setAside
      .filter(({ what, deliveryId: id }) => what === 'edit' && postOf(id, posts) !== undefined)
      .map(({ againAtMs: nextAtMs }) => ({ step: 'unedited' as const, nextAtMs })),
  ];
}

/** The known steps, oldest first. */
function happened(facts: Facts): PastStep[] {
  const outcomes = outcomesOf(facts);
  const judged = happeningsOf(facts).map((one) => ({ ...one, verdict: verdictOf(one, outcomes, facts) }));
  const recorded = judged.map((one) => ({
    step: 'happened' as const,
    kind: one.announcement.kind,
    atMs: one.atMs,
    verdict: one.verdict,
    terms: termsOf(one, facts),
    mentions: mentionsIn(one, facts),
  }));
  const others = outcomes.flatMap(({ deliveryId, kind, verdict, isOwn }): PastStep[] => {
    const judgedOnes = judged.filter((one) => one.deliveryId === deliveryId);
    const { atMs } = verdict;
    // Posts are remembered for longer than offers.
    if (isOwn) return judgedOnes.length > 0 ? [] : [{ step: 'happened', kind, atMs, verdict, terms: [], mentions: [] }];
    const isListed = verdict.is !== 'posted' || judgedOnes.some((one) => one.verdict.is === 'posted-for-others');
    return isListed ? [] : [{ step: 'posted-for-others', kind, atMs, at: verdict.at }];
  });
  return [...recorded, ...others].sort((a, b) => a.atMs - b.atMs);
}

function happeningsOf({ known, inEvents, subscription }: Omit<IdFacts, 'offerId'>): Happening[] {
  const { source, channelId } = subscription;
  const past = source.kind !== 'feed' ? inEvents : known ? pastOfOffer(known, source.feed) : [];
  return past.map((one) => ({ ...one, deliveryId: deliveryId(channelId, one.announcement) }));
}

/**
 * The verdict: the outcome first, then the reason that was recorded at the time, and only then the current settings.
 */
function verdictOf(
  { announcement, deliveryId: id, atMs, isNews, undecided }: Happening,
  outcomes: readonly Outcome[],
  facts: Facts,
): Verdict {
  const { subscription, settings, filter, source } = facts;
  const outcome = outcomes.find((candidate) => candidate.deliveryId === id && candidate.isOwn);
  if (outcome) return outcome.verdict;
  const waiting = waitingFor(id, facts);
  if (waiting) return waiting;

  const isFirstSight = source.firstSeenMs !== null && atMs <= source.firstSeenMs;
  if (!isNews) return { is: isFirstSight ? 'first-sight' : 'unfollowed' };
  const judged = judge(announcement, subscription, { filter, atMs, sinceMs: atMs, undecided });
  if (judged.is === 'before-subscription') return judged;
  if (!isLive(announcement, atMs)) {
    return { is: 'over-when-seen', because: offerOf(announcement)?.isSoldOut ? 'sold-out' : 'ended' };
  }
  switch (judged.is) {
    case 'filtered':
      return { is: 'filtered', by: refusing(announcement, subscription, settings, atMs) };
    // Whether it was paused at that time is not known.
    case 'wanted':
    case 'paused':
    case 'decided-before': {
      const other = outcomes.find((candidate) => candidate.deliveryId === id)?.verdict;
      return other?.is === 'posted'
        ? { is: 'posted-for-others', atMs: other.atMs, at: other.at }
        : { is: 'unrecorded' };
    }
    default:
      return judged;
  }
}

/** How each term of the filter evaluated, where that decided something. */
function termsOf({ announcement, atMs, verdict }: Judged, { filter }: Facts): TermOutcome[] {
  if (!filter || verdict.is === 'posted-for-others' || verdict.is === 'undecided') return [];
  return explain(filter, subjectOf(announcement), atMs).terms;
}

/** Says of each role of the subscription whether the post mentioned it, or will. */
function mentionsIn({ announcement, deliveryId, atMs, verdict }: Judged, facts: Facts): MentionOutcome[] {
  const { subscription, posts, mentions } = facts;
  const offer = offerOf(announcement);
  if (!offer || (verdict.is !== 'posted' && verdict.is !== 'waiting')) return [];
  const post = verdict.is === 'posted' && !verdict.isTogether ? postOf(deliveryId, posts) : undefined;
  return mentions.explain(subscription, {
    announcement,
    offer,
    atMs,
    postedAtMs: verdict.is === 'posted' ? verdict.atMs : null,
    decided: decidedFor(deliveryId, facts),
    mentioned: post ? [...post.mentionRoleIds, ...rolesOf(post.repliedFor ?? [])] : null,
  });
}

/** The roles that were decided for the subscription, when the delivery was enqueued. */
function decidedFor(id: string, { subscription, pending, posts, ended }: Facts): readonly string[] {
  const wanted =
    matchesOf(postOf(id, posts)) ??
    ended.get(id)?.matches ??
    pending.find((one) => idsOfDelivery(one).includes(id))?.matches;
  return rolesOf(wanted?.filter(({ subscriptionId }) => subscriptionId === subscription.id) ?? []);
}

/** The subscriptions that a post was made for, and those that came later. */
function matchesOf(post: Post | undefined): DeliveryMatch[] | undefined {
  return post && [...post.matches, ...(post.repliedFor ?? [])];
}

function postOf(id: string, posts: readonly Post[]): Post | undefined {
  return posts.find(({ deliveryId, alsoTells }) => [deliveryId, ...alsoTells].includes(id));
}

/** The posts in the channel, and the deliveries that ended without a post. */
function outcomesOf(facts: Facts): Outcome[] {
  const { posts, ended, subscription } = facts;
  const kinds = kindsById(facts);
  const standing = posts.map((post): Outcome => {
    const at = { channelId: post.messageChannelId, messageId: post.messageId };
    const verdict = { is: 'posted' as const, atMs: post.postedAtMs, at, isTogether: false };
    return {
      deliveryId: post.deliveryId,
      kind: post.announcement.kind,
      verdict,
      isOwn: isOf(subscription, { matches: matchesOf(post) ?? [] }),
    };
  });
  const others = [...ended].filter(([id]) => !posts.some((post) => post.deliveryId === id));
  return [
    ...standing,
    ...others.map(([deliveryId, { entry, matches }]): Outcome => {
      // One post may stand for several deliveries that were detected together.
      const wanted = matches ?? posts.find(({ messageId }) => messageId === entry.messageId)?.matches ?? null;
      const isOwn = wanted === null || isOf(subscription, { matches: wanted });
      return { deliveryId, kind: kinds.get(deliveryId) ?? 'new-offer', verdict: verdictOfEntry(entry), isOwn };
    }),
  ];
}

function verdictOfEntry({
  outcome,
  messageChannelId,
  messageId,
  rollUpId,
  endedAtMs: atMs,
}: LedgerEntry): Outcome['verdict'] {
  if (outcome !== 'posted') return { is: 'dropped', because: outcome, atMs };
  const at = messageChannelId !== null && messageId !== null ? { channelId: messageChannelId, messageId } : null;
  return { is: 'posted', atMs, at, isTogether: rollUpId !== null };
}

/** null where the outbox does not hold it for this subscription. */
function waitingFor(
  id: string,
  { subscription, known, pending, freeAtMs, isPostingPaused, setAside, nowMs }: Facts,
): Verdict | null {
  const delivery = pending.find((candidate) => idsOfDelivery(candidate).includes(id) && isOf(subscription, candidate));
  if (!delivery) return null;
  if (isPostingPaused) return { is: 'waiting', for: 'pause' };
  if (delivery.dueAtMs > nowMs) {
    return { is: 'waiting', for: delivery.isDigest ? 'digest' : 'quiet', untilMs: delivery.dueAtMs };
  }
  const isAbsent = known && (isMissed(known) || isGone(known, nowMs));
  if (isAbsent && !isOverForGood(known, nowMs)) return { is: 'waiting', for: 'missing' };
  if (subscription.problem !== null) return { is: 'waiting', for: 'channel' };
  const badly = setAside.find(({ what, deliveryId: answered }) => what === 'post' && answered === delivery.id);
  if (badly) return { is: 'waiting', for: 'error', untilMs: badly.againAtMs };
  return freeAtMs > nowMs ? { is: 'waiting', for: 'cap', untilMs: freeAtMs } : { is: 'waiting', for: 'turn' };
}

/** Whether the delivery, whoever wants it, is due: it is posted without anybody's doing. */
function isBeingPosted(id: string, { pending, nowMs }: Facts): boolean {
  return pending.some((candidate) => candidate.dueAtMs <= nowMs && idsOfDelivery(candidate).includes(id));
}

/** Where the list of matches was cut, the subscription may be among the unlisted ones. */
function isOf({ id }: Subscription, { matches }: { matches: readonly DeliveryMatch[] }): boolean {
  return matches.some(({ subscriptionId, unlisted = 0 }) => subscriptionId === id || unlisted > 0);
}
