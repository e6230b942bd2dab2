import type { RollUpReason } from '../../deals/announcement.ts';
import { byScore, type Score } from '../../deals/score.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { openFrom } from '../../deals/timing.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { Delivery, DeliveryMatch, RollUp } from '../../store/delivery.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';

/** The most posts per hour that are reserved for roll-ups: more would put them less than five minutes apart. */
const MOST_KEPT = 12;
/**
 * A delivery that is overdue by more than this is posted in a roll-up: the channel was closed, or the bot was not
 * running.
 */
const LATE_MS = 30 * MINUTE_MS;
/** The messages per hour that Discord lets a channel publish, whoever publishes them. */
export const MOST_PUBLISHED_PER_HOUR = 10;
/**
 * The most deliveries in a published roll-up: as many as its card has lines, because menus and buttons may not work in the
 * channels that follow this one.
 */
const MOST_TOGETHER_PUBLISHED = 12;

/** A counted action: its moment and the id of its object. */
interface Done {
  id: string;
  atMs: number;
}

/** More facts for the next step, in a channel whose posts are of use only once they are published. */
export interface PublishingSituation {
  /**
   * A post that is still to be published: when Discord's limit allows it (epoch milliseconds), null where it is under way
   * or fails for another reason. null where every post is published.
   */
  unpublished: { allowedAtMs: number | null } | null;
  /** Whether others have used up the channel's publications lately, so that each post has to hold all that waits. */
  isContested: boolean;
  scoreOf: (delivery: Delivery) => Score;
}

/** The contents of a channel's outbox, and everything else that decides its next step. */
export interface Situation {
  /** First due first. */
  pending: readonly Delivery[];
  /** The content of the last attempt at a roll-up, if that failed. */
  rollUp: RollUp | undefined;
  subscriptions: Pick<SubscriptionStore, 'get'>;
  /** The posts of the past hour, oldest first, without failed attempts. */
  posted: readonly Done[];
  /**
   * The attempts that may still arrive at Discord, and until when. Only the same id, as the nonce, prevents a second
   * post, so such a delivery is posted alone.
   */
  mayArrive: ReadonlyMap<string, number>;
  /** Whether the roll-up was answered badly so often that it is not repeated any more. */
  isRollUpAside: boolean;
  /**
   * Only deliveries with the same value are posted together, because the cause of a bad answer to a roll-up is found by
   * halving its deliveries.
   */
  groupOf: (id: string) => string | undefined;
  /** Whether a delivery is posted alone in its turn, never in a roll-up. */
  isApart: (delivery: Delivery) => boolean;
  /** null where posts are of use as they are. */
  publishing: PublishingSituation | null;
  nowMs: number;
}

/** The channel's hourly limit holds back due deliveries until `nextPostAtMs`. */
export interface HourlyLimit {
  mostPerHour: number;
  /** Epoch milliseconds. */
  nextPostAtMs: number;
}

/** The hourly limit, with the number of deliveries that it holds back. */
export type ReachedLimit = HourlyLimit & { waiting: number };

export type Step =
  | { do: 'post'; delivery: Delivery }
  /** Posts all of these in one. `limit` is set where the hourly limit is the reason: no other post may follow at once. */
  | { do: 'post-together'; deliveries: readonly Delivery[]; limit: HourlyLimit | null }
  /** Retries the same roll-up. */
  | { do: 'repeat-roll-up'; rollUp: RollUp }
  /**
   * Dissolves a roll-up that did not arrive: its members are pending on their own again, as some may be over by now or
   * have quiet hours.
   */
  | { do: 'dissolve'; rollUp: RollUp }
  /** Nothing to do until then; Infinity where nothing is pending. */
  | { do: 'wait'; untilMs: number; limit: ReachedLimit | null };

/**
 * Decides the next step in a channel. Deliveries in quiet hours wait for the end of those. Digests and overdue deliveries
 * are posted in a roll-up. So are those that exceed the hourly limit: the last posts of an hour are roll-ups of all
 * waiting deliveries, spread over the hour.
 *
 * Where posts are of use only once they are published, there are at most as many as Discord publishes, and none before the
 * one before is published. The best delivery goes first there.
 */
export function nextStep(situation: Situation): Step {
  const { pending: all, rollUp, subscriptions, posted, mayArrive, publishing, nowMs } = situation;
  const openMsOf = quietUntil(subscriptions, nowMs);
  const pending = outOfQuiet(all, openMsOf, nowMs);
  const isRollUpOpen = (rollUp?.members ?? []).every(({ matches }) => openMsOf(matches) <= nowMs);
  const due = pending.filter(({ dueAtMs }) => dueAtMs <= nowMs);
  const lowest = lowestLimit([...due, ...(rollUp?.members ?? [])], subscriptions);
  const mostPerHour = publishing ? Math.min(lowest, MOST_PUBLISHED_PER_HOUR) : lowest;

  const arrivesUntilMs = rollUp && mayArrive.get(rollUp.id);
  if (rollUp && arrivesUntilMs === undefined) return { do: 'dissolve', rollUp };
  // With a new id, its members could be posted twice.
  if (arrivesUntilMs !== undefined && (!isRollUpOpen || situation.isRollUpAside)) return waitUntil(arrivesUntilMs);
  if (due.length === 0 && !rollUp) return waitUntil(pending[0]?.dueAtMs ?? Number.POSITIVE_INFINITY);
  const waiting = due.length + (rollUp?.members.length ?? 0);
  const ownAtMs = nextPostAtMs(posted, mostPerHour);
  if (publishing?.unpublished) {
    const { allowedAtMs } = publishing.unpublished;
    const limit = { mostPerHour, nextPostAtMs: Math.max(ownAtMs, allowedAtMs ?? 0), waiting };
    // The end of the publication, whenever that is, wakes the channel.
    return { do: 'wait', untilMs: Number.POSITIVE_INFINITY, limit: limit.nextPostAtMs > nowMs ? limit : null };
  }
  if (ownAtMs > nowMs) {
    return { do: 'wait', untilMs: ownAtMs, limit: { mostPerHour, nextPostAtMs: ownAtMs, waiting } };
  }

  const isLimited = isRollUpNext(posted, mostPerHour) || publishing?.isContested === true;
  const tried = due.find(({ id }) => mayArrive.has(id));
  const untried = due.filter(({ id }) => !mayArrive.has(id));
  // A message that Discord doesn't take keeps no others waiting. Where the hour has little room, they would take its place.
  if (tried && (isLimited || rollUp || untried.length === 0)) return { do: 'post', delivery: tried };
  if (rollUp) return { do: 'repeat-roll-up', rollUp };

  const ranked = publishing ? bestFirst(untried, publishing) : untried;
  const [first] = ranked;
  if (first && situation.isApart(first)) return { do: 'post', delivery: first };
  const suited = ranked.filter(
    (delivery) => (isLimited || isForRollUp(delivery, nowMs)) && !situation.isApart(delivery),
  );
  const group = situation.groupOf(suited[0]?.id ?? '');
  const together = suited.filter(({ id }) => situation.groupOf(id) === group);
  if (together.length > 1) {
    const withThis = [...posted, { id: '', atMs: nowMs }];
    return {
      do: 'post-together',
      deliveries: publishing ? together.slice(0, MOST_TOGETHER_PUBLISHED) : together,
      limit: isLimited ? { mostPerHour, nextPostAtMs: nextPostAtMs(withThis, mostPerHour) } : null,
    };
  }
  return first ? { do: 'post', delivery: first } : waitUntil(Number.POSITIVE_INFINITY);
}

/** Sorts by score, best first; equal scores keep their order, first due first. */
function bestFirst(due: readonly Delivery[], { scoreOf }: PublishingSituation): readonly Delivery[] {
  const scored = due.map((delivery) => ({ delivery, score: scoreOf(delivery) }));
  return scored.toSorted((one, other) => byScore(one.score, other.score)).map(({ delivery }) => delivery);
}

export function waitUntil(untilMs: number): Step {
  return { do: 'wait', untilMs, limit: null };
}

function isForRollUp({ isDigest, isLate, dueAtMs }: Delivery, nowMs: number): boolean {
  return isDigest || isLate || nowMs - dueAtMs > LATE_MS;
}

/**
 * Why these deliveries are posted together. The hourly limit is the reason where it gathers anything besides a digest.
 * Otherwise a roll-up that holds a digest counts as that digest, late deliveries in it included; one without is late.
 */
export function reasonOf(
  deliveries: readonly Delivery[],
  subscriptions: Pick<SubscriptionStore, 'get'>,
  isLimited: boolean,
): RollUpReason {
  const digests = deliveries.filter(({ isDigest }) => isDigest);
  if (digests.length === 0 || (isLimited && digests.length < deliveries.length)) return isLimited ? 'limit' : 'late';
  const modes = digests
    .flatMap(({ matches }) => activeSubscriptions(matches, subscriptions))
    .map(({ timing }) => timing.mode);
  return modes.includes('hourly') ? 'hourly' : 'daily';
}

/** The subscriptions that still want the delivery: neither removed nor paused. */
export function activeSubscriptions(
  matches: readonly DeliveryMatch[],
  subscriptions: Pick<SubscriptionStore, 'get'>,
): Subscription[] {
  return matches
    .map(({ subscriptionId }) => subscriptions.get(subscriptionId))
    .filter((subscription) => subscription !== undefined && subscription.pausedBy === null) as Subscription[];
}

/**
 * When the first of the subscriptions has no quiet hours: epoch milliseconds; `nowMs` where one has none now or none is
 * left. Each subscription's hours are evaluated once.
 */
export function quietUntil(
  subscriptions: Pick<SubscriptionStore, 'get'>,
  nowMs: number,
): (matches: readonly DeliveryMatch[]) => number {
  const known = new Map<string, number>();
  const openMsOf = (subscription: Subscription) => {
    const openMs = known.get(subscription.id) ?? openFrom(subscription.timing, nowMs);
    known.set(subscription.id, openMs);
    return openMs;
  };
  return (matches) => {
    const openMs = activeSubscriptions(matches, subscriptions).map(openMsOf);
    return openMs.length === 0 ? nowMs : openMs.reduce((a, b) => Math.min(a, b));
  };
}

/** Postpones the due deliveries that are in quiet hours to the end of those. First due first. */
function outOfQuiet(
  pending: readonly Delivery[],
  openMsOf: (matches: readonly DeliveryMatch[]) => number,
  nowMs: number,
): readonly Delivery[] {
  const held = pending.map((delivery) => {
    const wantedMs = dueFrom(delivery, nowMs);
    const openMs = wantedMs > nowMs ? nowMs : openMsOf(delivery.matches);
    const dueAtMs = openMs > nowMs ? openMs : wantedMs;
    return dueAtMs === delivery.dueAtMs ? delivery : { ...delivery, dueAtMs };
  });
  return held.some((delivery, index) => delivery !== pending[index])
    ? held.toSorted((one, other) => one.dueAtMs - other.dueAtMs)
    : pending;
}

/**
 * When a delivery is due: epoch milliseconds. An instant delivery is due now where the clock was set back to before its
 * creation.
 */
function dueFrom({ dueAtMs, createdAtMs }: Delivery, nowMs: number): number {
  return dueAtMs <= createdAtMs ? Math.min(dueAtMs, nowMs) : dueAtMs;
}

/**
 * The lowest limit of the subscriptions whose deliveries are due. A removed subscription sets none: deliveries that
 * nobody wants any more cost no post.
 */
function lowestLimit(
  due: readonly { matches: readonly DeliveryMatch[] }[],
  subscriptions: Pick<SubscriptionStore, 'get'>,
): number {
  const ids = new Set(due.flatMap(({ matches }) => matches).map(({ subscriptionId }) => subscriptionId));
  const limits = [...ids].map((id) => subscriptions.get(id)?.mostPerHour ?? Number.POSITIVE_INFINITY);
  return Math.max(
    1,
    limits.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
  );
}

/**
 * The posts per hour that are reserved for roll-ups: half of the limit, at least two where it allows two, at most
 * twelve. Roll-ups are an hour divided by that number apart, so no delivery waits for room longer than that.
 */
function keptForRollUps(most: number): number {
  return Math.min(most, MOST_KEPT, Math.max(2, Math.ceil(most / 2)));
}

/** Whether the next post uses a place that is reserved for roll-ups: then it contains all waiting deliveries. */
function isRollUpNext(posted: readonly Done[], most: number): boolean {
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
