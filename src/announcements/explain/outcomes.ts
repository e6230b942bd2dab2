import type { AnnouncementKind } from '../../deals/announcement.ts';
import type { Verdict } from '../../deals/decision.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { type Delivery, type DeliveryMatch, idsOf, type LedgerEntry, type RollUp } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';

/** The known facts about an offer in a subscription's channel. Times are epoch milliseconds. */
export interface ChannelFacts {
  subscription: Subscription;
  /** The channel's outbox. */
  pending: readonly Delivery[];
  rollUp: RollUp | undefined;
  /** When the channel's next post may be made; in the past where it may be made now. */
  freeAtMs: number;
  /** Whether the application's owner has paused all posting. */
  isPostingPaused: boolean;
  /** The ledger entries of the deliveries that `idsOf` names, by id. */
  ended: ReadonlyMap<string, Ended>;
  /** The posts in the channel about the offer. */
  posts: readonly Post[];
  nowMs: number;
}

export interface Ended {
  entry: LedgerEntry;
  /** The subscriptions that wanted it; null where that is no longer known. */
  matches: readonly DeliveryMatch[] | null;
}

/** How a delivery ended. */
export interface Outcome {
  deliveryId: string;
  kind: AnnouncementKind;
  verdict: Extract<Verdict, { is: 'posted' | 'dropped' }>;
  /** Whether this subscription asked for it, as far as is known. */
  isOwn: boolean;
}

/**
 * The posts in the channel, and the deliveries that ended without a post.
 * @param kindOf the announcement kind of a delivery, where the offer's record has it
 */
export function outcomesOf(
  { posts, ended, subscription }: ChannelFacts,
  kindOf: (deliveryId: string) => AnnouncementKind | undefined,
): Outcome[] {
  const standing = posts.map((post): Outcome => {
    const at = { channelId: post.messageChannelId, messageId: post.messageId };
    const verdict = { is: 'posted' as const, atMs: post.postedAtMs, at, isTogether: false };
    return { deliveryId: post.deliveryId, kind: post.announcement.kind, verdict, isOwn: isOf(subscription, post) };
  });
  const others = [...ended].filter(([id]) => !posts.some((post) => post.deliveryId === id));
  return [
    ...standing,
    ...others.map(([deliveryId, { entry, matches }]): Outcome => {
      // One post may stand for several deliveries that were detected together.
      const wanted = matches ?? posts.find(({ messageId }) => messageId === entry.messageId)?.matches ?? null;
      const isOwn = wanted === null || isOf(subscription, { matches: wanted });
      return { deliveryId, kind: kindOf(deliveryId) ?? 'new-offer', verdict: verdictOf(entry), isOwn };
    }),
  ];
}

function verdictOf({
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
export function waitingFor(
  id: string,
  { subscription, pending, rollUp, freeAtMs, isPostingPaused, nowMs }: ChannelFacts,
): Verdict | null {
  const delivery = pending.find((candidate) => idsOf(candidate).includes(id) && isOf(subscription, candidate));
  const member = rollUp?.members.find(
    ({ deliveryId, alsoTells, matches }) => [deliveryId, ...alsoTells].includes(id) && isOf(subscription, { matches }),
  );
  if (!delivery && !member) return null;
  if (isPostingPaused) return { is: 'waiting', for: 'pause' };
  if (delivery && delivery.dueAtMs > nowMs) {
    return { is: 'waiting', for: delivery.isDigest ? 'digest' : 'quiet', untilMs: delivery.dueAtMs };
  }
  if (subscription.problem !== null) return { is: 'waiting', for: 'channel' };
  return freeAtMs > nowMs ? { is: 'waiting', for: 'cap', untilMs: freeAtMs } : { is: 'waiting', for: 'turn' };
}

/** Whether the delivery, whoever wants it, is due or part of a roll-up: it is posted without anybody's doing. */
export function isBeingPosted(id: string, { pending, rollUp, nowMs }: ChannelFacts): boolean {
  const isDue = pending.some((candidate) => candidate.dueAtMs <= nowMs && idsOf(candidate).includes(id));
  return isDue || (rollUp?.replaces.includes(id) ?? false);
}

/** Where the list of matches was cut, the subscription may be among the unlisted ones. */
function isOf({ id }: Subscription, { matches }: { matches: readonly DeliveryMatch[] }): boolean {
  return matches.some(({ subscriptionId, unlisted = 0 }) => subscriptionId === id || unlisted > 0);
}
